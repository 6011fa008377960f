/** Every route for producers: who may call it, and calls of it with the ids of some organization. */
import type { Settled } from './separation.world.ts'

export type Call = {
  /** Besides the route's own path. */
  query?: string
  id?: string
  body?: Record<string, unknown>
  /** What another organization gets. */
  others: number
  /** Where a link token gets something else than a session. */
  othersByToken?: number
}
export type Route = {
  sessionOnly?: true
  /** What somebody without organization gets, where it is not 403 not_a_producer. */
  withoutOrg?: number
  /**
   * What a deactivated organization gets, where a read is not 200 or a write not 403 org_deactivated. History and
   * tokens are read by the right to manage, which a deactivated organization gives to nobody.
   */
  deactivated?: number
  /** For reads: something that the owner sees there. */
  shows?: (of: Settled) => string
  /** Calls with the ids of `of`. */
  calls: (of: Settled) => Call[]
}

const NOTHING = () => [{ others: 200 }]
export const ROUTES: Record<string, Route> = {
  'POST /api/org/register': {
    sessionOnly: true,
    withoutOrg: 201,
    deactivated: 201,
    calls: ({ domain }) => [{ body: { name: 'New', org_type: 'retailer', domain }, others: 201 }],
  },
  'GET /api/org': { shows: ({ name }) => name, calls: NOTHING },
  'PATCH /api/org': {
    calls: ({ domain }) => [{ body: { name: 'Renamed', domain }, others: 200, othersByToken: 403 }],
  },
  'POST /api/org/select': {
    sessionOnly: true,
    withoutOrg: 404,
    deactivated: 200,
    calls: ({ org }) => [{ body: { org_id: org.id }, others: 404 }],
  },
  'POST /api/org/verify-domain': { calls: NOTHING },
  'GET /api/org/audit': {
    shows: ({ offerId }) => offerId,
    calls: ({ auditId }) => [{ others: 200 }, { query: `before=${auditId}`, others: 200 }],
  },
  'GET /api/org/link-tokens': {
    sessionOnly: true,
    shows: ({ org }) => org.tokenId,
    calls: NOTHING,
  },
  'POST /api/org/link-tokens': {
    sessionOnly: true,
    calls: () => [{ body: { name: 'plugin' }, others: 201 }],
  },
  'DELETE /api/org/link-tokens': {
    sessionOnly: true,
    calls: ({ org, spareTokenId }) => [
      { query: `id=${org.tokenId}`, others: 404 },
      { body: { id: spareTokenId }, others: 404 },
    ],
  },
  'GET /api/org/team': { shows: ({ invitationId }) => invitationId, calls: NOTHING },
  'PATCH /api/org/team': {
    calls: ({ member, invited }) => [
      { body: { email: member.email, role: 'none' }, others: 404, othersByToken: 403 },
      { body: { email: invited, role: 'none' }, others: 404, othersByToken: 403 },
    ],
  },
  'POST /api/org/invitations/accept': {
    sessionOnly: true,
    // Anyone who has the token was told of the invitation; it is another's all the same.
    withoutOrg: 403,
    deactivated: 403,
    calls: ({ invitationToken }) => [{ body: { token: invitationToken }, others: 403 }],
  },
  'POST /api/org/register-agent-card': {
    withoutOrg: 404,
    calls: ({ domain }) => [{ body: { agent_card_url: `https://${domain}/card.json` }, others: 403 }],
  },
  'GET /api/org/agent-integration': { shows: ({ mark }) => mark, calls: NOTHING },
  'PATCH /api/org/agent-integration': {
    calls: () => [{ body: { is_managed: false, managed_rules: null }, others: 200 }],
  },
  'POST /api/org/ucp-check': { sessionOnly: true, calls: NOTHING },
  'POST /api/org/products/claim': {
    calls: ({ slug }) => [{ body: { product_slug: slug, relationship_type: 'sells' }, others: 201 }],
  },
  'GET /api/org/products': { shows: ({ relationshipId }) => relationshipId, calls: NOTHING },
  'POST /api/org/enrichment': {
    calls: ({ slug }) => [{ body: { product_slug: slug, fields: { model: 'X' } }, others: 403 }],
  },
  'GET /api/org/enrichment': {
    shows: ({ enrichmentId }) => enrichmentId,
    calls: ({ slug }) => [{ others: 200 }, { query: `product_slug=${slug}`, others: 200 }],
  },
  'DELETE /api/org/enrichment': {
    calls: ({ enrichmentId }) => [{ body: { enrichment_id: enrichmentId }, others: 404 }],
  },
  'GET /api/org/submissions': { shows: ({ submissionId }) => submissionId, calls: NOTHING },
  'DELETE /api/org/submissions': {
    calls: ({ submissionId }) => [{ body: { submission_id: submissionId }, others: 404 }],
  },
  'POST /api/offers/create': {
    calls: ({ slug }) => [
      { body: { product_slug: slug, headline: 'H', destination_url: 'https://x.example/' }, others: 403 },
    ],
  },
  'PATCH /api/offers/edit': {
    withoutOrg: 404,
    calls: ({ offerId }) => [
      { body: { offer_id: offerId, headline: 'Taken over' }, others: 404 },
      { body: { offer_id: offerId }, others: 404 },
    ],
  },
  'PATCH /api/offers/update': {
    withoutOrg: 404,
    calls: ({ offerId }) => [{ body: { offer_id: offerId, status: 'paused' }, others: 404 }],
  },
  'GET /api/offers/list': { shows: ({ offerId }) => offerId, calls: NOTHING },
  'GET /api/org/rfqs': {
    shows: ({ rfqId }) => rfqId,
    calls: ({ rfqId, slug }) => [
      { others: 200 },
      { query: `before=${rfqId}`, others: 200 },
      { query: `product_slug=${slug}`, others: 200 },
    ],
  },
  'GET /api/org/rfqs/:id': { shows: ({ mark }) => mark, calls: ({ rfqId }) => [{ id: rfqId, others: 404 }] },
  'GET /api/org/pricing': {
    shows: () => '"lead_time_days":77',
    calls: ({ slug }) => [{ query: `product_slug=${slug}`, others: 404 }],
  },
  'GET /api/org/pricing/products': { shows: () => '"lead_time_days":77', calls: NOTHING },
  'PATCH /api/org/pricing': {
    calls: ({ slug }) => [
      { body: { product_slug: slug, reserve_price_usd: 1 }, others: 404, othersByToken: 403 },
    ],
  },
  'POST /api/org/pricing/import': {
    calls: ({ slug }) => [
      { body: { content: `product_slug,stock\n${slug},7` }, others: 200, othersByToken: 403 },
    ],
  },
  'POST /api/org/pricing/simulate': {
    calls: ({ slug }) => [{ body: { product_slug: slug }, others: 404 }],
  },
  // Late, because with it goes what hangs on it.
  'DELETE /api/org/products': {
    calls: ({ relationshipId }) => [{ body: { relationship_id: relationshipId }, others: 404 }],
  },
  // Last, because anyone who has left can do nothing of the rest.
  'POST /api/org/leave': {
    sessionOnly: true,
    withoutOrg: 404,
    deactivated: 409,
    calls: ({ org }) => [{ body: { org_id: org.id }, others: 404 }],
  },
}
