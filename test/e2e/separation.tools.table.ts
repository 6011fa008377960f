/**
 * Every tool: who may call it, and calls of it with the ids and words of some organization. What others get is either the
 * code of a refusal or a part of the answer's data, which for a list is that it is empty: a list that merely lacks
 * one thing would prove little.
 */
import { expect } from 'vitest'
import { SHOPPER_LINES } from './separation.tools.shoppers.ts'
import type { Settled } from './separation.world.ts'

/** The code of a refusal, or what stands in the data. */
export type Outcome = string | Record<string, unknown>
export type Arguments = Record<string, unknown>
export type Right = 'anybody' | 'read' | 'edit' | 'manage'

export type ToolUse = {
  args: Arguments
  /** What another organization gets, and from a tool of everybody another person. */
  others: Outcome
  /** What another organization gets that is known to sell the same product, where it is something else. */
  rivals?: Outcome
  own: Outcome
  /** Where it takes more than the tool does. */
  right?: Right
  /** Where a deactivated organization may not even read. */
  deactivated?: string
}
export type Line = {
  right: Right
  /** What of it everybody is shown here. */
  isPublic?: (of: Settled) => string[]
  /** What the owner finds in the answer to the first call. */
  shows?: (of: Settled) => string
  /** Makes rows of its own for the organization, as every shopper may; those that were there stay as they are. */
  adds?: true
  uses: (of: Settled) => ToolUse[]
}

const UNRELATED = 'no_verified_relationship'
const NO_OFFERS = { draft: 0, active: 0, paused: 0, expired: 0 }
const NO_SALES = { rfqs: 0, quotes: 0, wins: 0, clicks: 0 }

export const TOOL_LINES: Record<string, Line> = {
  ...SHOPPER_LINES,
  list_my_products: {
    right: 'read',
    shows: ({ relationshipId }) => relationshipId,
    uses: ({ saved }) =>
      [{ own: 4 }, { query: saved.slug, own: 2 }].map(({ own, ...args }) => ({
        args,
        others: { products: [], total: 0, submissions_pending: 0 },
        rivals: { products: [{ offers: NO_OFFERS }], total: 1, submissions_pending: 0 },
        own: { total: own, submissions_pending: 2 },
      })),
  },
  claim_product: {
    right: 'edit',
    uses: ({ slug, waitingSlug }) => {
      const [fresh, known] = [
        { created: true, status: 'pending' },
        { created: false, status: 'verified' },
      ]
      const sells = { relationship_type: 'sells' }
      return [
        { args: { product_slug: slug, ...sells }, others: fresh, rivals: known, own: known },
        { args: { product_slug: waitingSlug, ...sells }, others: fresh, own: { ...fresh, created: false } },
      ]
    },
  },
  submit_product: {
    right: 'edit',
    shows: ({ submissionId }) => submissionId,
    uses: ({ submitted }) => [{ args: submitted, others: { created: true }, own: { created: false } }],
  },
  import_products: {
    right: 'edit',
    uses: ({ imported }) => {
      const others = { submitted: 1, claimed: 1, proposed: 0 }
      const rivals = { submitted: 1, claimed: 0, proposed: 1 }
      return [
        { args: { ...imported, dry_run: true }, others, rivals, own: { unchanged: 2 } },
        // The key was used: its owner is told the same again, others begin anew.
        { args: imported, others, rivals, own: rivals },
      ]
    },
  },
  get_catalog_issues: {
    right: 'read',
    shows: ({ slug }) => slug,
    uses: ({ slug, waitingSlug }) => {
      const own = { products_checked: 1 }
      return [
        { args: { limit: 50 }, others: { products_checked: 0 }, rivals: own, own: { products_checked: 4 } },
        { args: { product_slug: slug }, others: 'not_found', rivals: own, own },
        { args: { product_slug: waitingSlug }, others: 'not_found', own },
      ]
    },
  },
  get_enrichment_status: {
    right: 'read',
    shows: ({ enrichmentId }) => enrichmentId,
    uses: ({ slug }) => [
      { args: { product_slug: slug }, others: { proposals: [] }, own: { total_proposals: 2 } },
    ],
  },
  submit_enrichment: {
    right: 'edit',
    shows: ({ enrichmentId }) => enrichmentId,
    uses: ({ slug, waitingSlug, mark, secret }) => {
      const fields = { model: mark, description: secret }
      const [fresh, own] = [{ created: true }, { created: false }]
      return [
        { args: { product_slug: slug, fields }, others: UNRELATED, rivals: fresh, own },
        { args: { product_slug: waitingSlug, fields }, others: UNRELATED, own: UNRELATED },
      ]
    },
  },
  list_offers: {
    right: 'read',
    shows: ({ draftId }) => draftId,
    uses: ({ slug }) =>
      [{}, { product_slug: slug }, { status: 'draft' }].map((args) => ({
        args,
        others: { offers: [], total: 0 },
        own: { total: 'status' in args ? 1 : 2 },
      })),
  },
  create_offer: {
    right: 'edit',
    uses: ({ slug, waitingSlug, domain }) => {
      const terms = { headline: 'New', destination_url: `https://${domain}/` }
      const own = { status: 'draft' }
      return [
        { args: { ...terms, product_slug: slug }, others: UNRELATED, rivals: own, own },
        { args: { ...terms, product_slug: waitingSlug }, others: UNRELATED, own: UNRELATED },
      ]
    },
  },
  update_offer: {
    right: 'edit',
    uses: ({ offerId, draftId }) =>
      [
        { offer_id: draftId, status: 'active' },
        { offer_id: offerId, headline: 'Taken over', status: 'paused' },
      ].map((args) => ({ args, others: 'not_found', own: args })),
  },
  get_pricing_rules: {
    right: 'read',
    shows: ({ secret }) => secret,
    uses: ({ slug, mark }) => [
      {
        args: {},
        others: { is_managed: false },
        own: { is_managed: true, other_rules: { note: mark } },
      },
      {
        args: { product_slug: slug },
        others: 'not_found',
        rivals: { is_managed: false, product_rules: { lead_time_days: null } },
        own: { product_rules: { lead_time_days: 77 } },
      },
    ],
  },
  set_pricing_rules: {
    right: 'manage',
    uses: ({ slug, mark }) => {
      const told = (lead_time_days: number | null) => ({
        product_rules: { max_discount_pct: 3, lead_time_days },
      })
      const tiers = [{ min_qty: 5, discount_pct: 1 }]
      return [
        {
          args: { product_slug: slug, max_discount_pct: 3 },
          others: 'not_found',
          rivals: told(null),
          own: told(77),
        },
        {
          args: { volume_discounts: tiers },
          others: { is_managed: false, volume_discounts: tiers },
          own: { is_managed: true, volume_discounts: tiers, other_rules: { note: mark } },
        },
      ]
    },
  },
  simulate_quote: {
    right: 'read',
    uses: ({ slug }) => [
      {
        args: { product_slug: slug, quantity: 1 },
        others: 'not_found',
        rivals: { is_managed: false, estimated_shipping_days: null, unit_price_usd: 100 },
        own: { is_managed: true, estimated_shipping_days: 77 },
        deactivated: 'org_deactivated',
      },
    ],
  },
  get_agent_integration: {
    right: 'read',
    shows: ({ rfqId }) => rfqId,
    uses: ({ mark, slug }) => {
      const others = { is_managed: false, managed_rules: null, last_attempts: [] }
      const own = { is_managed: true, managed_rules: { note: mark } }
      // The latest of its products, each of which ends in its number.
      const test = { kind: 'managed', product_slug: expect.stringMatching(`${slug.replace(/^.*-/, '-')}$`) }
      return [
        { args: {}, others, own },
        {
          args: { run_test: true },
          others: { ...others, test: { kind: 'none' } },
          own: { ...own, test },
          right: 'manage',
        },
      ]
    },
  },
  set_agent_integration: {
    right: 'manage',
    uses: ({ domain, mark }) => [
      {
        args: { agent_card_url: `https://${domain}/card.json` },
        others: 'domain_mismatch',
        own: 'card_unreachable',
      },
      { args: { is_managed: true }, others: { managed_rules: null }, own: { managed_rules: { note: mark } } },
    ],
  },
  list_rfqs: {
    right: 'read',
    shows: ({ rfqId }) => rfqId,
    uses: ({ slug }) =>
      [{}, { product_slug: slug }, { outcome: 'won' }].map((args) => ({
        args,
        others: { rfqs: [], total: 0 },
        own: {},
      })),
  },
  get_performance: {
    right: 'read',
    shows: ({ slug }) => slug,
    uses: () =>
      ['product', 'day', 'agent', 'query'].map((group_by) => ({
        args: { group_by },
        others: { totals: { ...NO_SALES, impressions: 0, reads: 0 }, rows: [] },
        // How often a product is shown and read is told to all who sell it.
        rivals: { totals: NO_SALES },
        own: { totals: { clicks: 1 } },
      })),
  },
  list_team_members: {
    right: 'read',
    shows: ({ member }) => member.email,
    uses: ({ invited }) => {
      const others = { members: [{ role: 'owner' }], invitations: [] }
      return [{ args: {}, others, own: { invitations: [{ email: invited }] } }]
    },
  },
  // Last, because a member goes with it.
  set_team_member: {
    right: 'manage',
    uses: ({ member, invited }) => {
      const anew = { outcome: 'invited' }
      return [
        { args: { email: member.email, role: 'none' }, others: 'not_found', own: { outcome: 'removed' } },
        { args: { email: invited, role: 'none' }, others: 'not_found', own: { outcome: 'withdrawn' } },
        // Who is a member elsewhere is invited like anybody, and it is not told.
        { args: { email: member.email, role: 'viewer' }, others: anew, own: anew },
      ]
    },
  },
}
