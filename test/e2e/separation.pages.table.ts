/**
 * Every page and form of the dashboard: the right it takes, and calls of it with the ids of some organization. Forms are
 * filled in as somebody would who may send them, so that what is refused is refused for who sends it and not for what
 * they typed. In this order they can all be done by one person, one after the other.
 */
import { markOf } from '../../src/catalog/sheet-batch.ts'
import { newId } from '../../src/lib/ids.ts'
import type { OrgRole } from '../../src/orgs/orgs.schema.ts'
import { hasRight, type Right } from '../../src/orgs/producer.ts'
import type { Settled } from './separation.world.ts'

/** Besides the rights of roles: what every member may do, and what everybody may who is signed in. */
export type PageRight = Right | 'member' | 'person'

export type PageCall = {
  /** For the parameters of the path, in their order. */
  at?: string[]
  query?: string
  fields?: Record<string, string>
  file?: string
  /** What who may gets, where it is not 200 for a page and 200 or 303 for a form. */
  own?: number
  /** What another organization gets, and one that sells the same product, where that differs. */
  others: number
  rivals?: number
}

export type Page = {
  right: PageRight
  /** What a deactivated organization gets, where a page is not 200 or a form not 403. */
  deactivated?: number
  /** Why no page of the organizations of these tests has this form. */
  unoffered?: string
  /** Registering and switching name an organization of their own accord. */
  namesOrg?: true
  /** Calls with the ids of `of`. */
  calls: (of: Settled) => PageCall[]
}

export function mayUse(role: OrgRole, right: PageRight): boolean {
  return right === 'member' || right === 'person' || hasRight(role, right)
}

/** The mark of what a preview of one row shows, which the form that saves it carries. */
function agreedTo(name: string, what: string): string {
  return markOf({ changed: [{ line: 2, name, what: [what] }], unchanged: 0, failed: [] })
}

const PLAIN = () => [{ others: 200 }]
const DONE = 303
/** A picture of one pixel in bytes that text can hold. */
const TINY_GIF = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02L\x01\0;'
const named = (slug: string) => slug.split('/')
const brought = ({ broughtId }: Settled) => [{ at: [broughtId], others: 404 }]

const sourced = ({ sourceId }: Settled) => [{ at: [sourceId], others: 404 }]

const READS: Record<string, Page> = {
  'GET /dashboard': { right: 'person', calls: PLAIN },
  'GET /dashboard/start': { right: 'read', calls: PLAIN },
  'GET /dashboard/attention': { right: 'read', calls: PLAIN },
  'GET /dashboard/performance': { right: 'read', calls: () => [{ query: 'by=product', others: 200 }] },
  'GET /dashboard/performance.csv': { right: 'read', calls: () => [{ query: 'by=offer', others: 200 }] },
  'GET /dashboard/products': {
    right: 'read',
    calls: ({ secret }) => [{ others: 200 }, { query: `q=${secret}`, others: 200 }],
  },
  'GET /dashboard/products/claim': {
    right: 'edit',
    calls: ({ slug, secret }) => [
      { others: 200 },
      { query: `product=${slug}`, others: 200 },
      { query: `q=${secret}`, others: 200 },
    ],
  },
  'GET /dashboard/products/found': { right: 'read', calls: PLAIN },
  'GET /dashboard/products/new': {
    right: 'edit',
    calls: ({ submissionId }) => [{ others: 200 }, { query: `from=${submissionId}`, others: 404 }],
  },
  'GET /dashboard/products/:category/:slug': {
    right: 'read',
    calls: ({ slug, waitingSlug }) => [
      { at: named(slug), others: 404, rivals: 200 },
      { at: named(waitingSlug), others: 404 },
    ],
  },
  'GET /dashboard/products/:category/:slug/change': {
    right: 'edit',
    calls: ({ slug }) => [{ at: named(slug), others: 404, rivals: 200 }],
  },
  'GET /dashboard/import': { right: 'edit', deactivated: 403, calls: PLAIN },
  'GET /dashboard/import/sample.csv': { right: 'edit', calls: PLAIN },
  'GET /dashboard/import/:id': { right: 'edit', deactivated: 403, calls: brought },
  'GET /dashboard/import/:id/result': { right: 'edit', deactivated: 403, calls: brought },
  'GET /dashboard/import/:id/bad-rows.csv': { right: 'edit', deactivated: 403, calls: brought },
  'GET /dashboard/sources': { right: 'edit', deactivated: 403, calls: PLAIN },
  'GET /dashboard/sources/:id': { right: 'edit', deactivated: 403, calls: sourced },
  'GET /dashboard/offers': {
    right: 'read',
    calls: ({ slug }) => [{ others: 200 }, { query: `product=${slug}`, others: 200 }],
  },
  'GET /dashboard/offers/calendar': { right: 'read', calls: PLAIN },
  'GET /dashboard/offers/new': {
    right: 'edit',
    calls: ({ slug }) => [{ others: 200 }, { query: `product=${slug}`, others: 200 }],
  },
  'GET /dashboard/offers/:id': {
    right: 'read',
    calls: ({ offerId, draftId }) => [
      { at: [offerId], others: 404 },
      { at: [draftId], others: 404 },
    ],
  },
  'GET /dashboard/pricing': { right: 'read', calls: PLAIN },
  'GET /dashboard/pricing/table': {
    right: 'manage',
    calls: ({ secret }) => [{ others: 200 }, { query: `q=${secret}`, others: 200 }],
  },
  'GET /dashboard/pricing/import': { right: 'manage', calls: PLAIN },
  'GET /dashboard/offers/import': { right: 'edit', calls: PLAIN },
  'GET /dashboard/products/claims-import': { right: 'edit', calls: PLAIN },
  'GET /dashboard/pricing/:category/:slug': {
    right: 'read',
    calls: ({ slug }) => [{ at: named(slug), others: 404, rivals: 200 }],
  },
  'GET /dashboard/rfqs': {
    right: 'read',
    calls: ({ slug }) => [{ others: 200 }, { query: `product=${slug}`, others: 200 }],
  },
  'GET /dashboard/rfqs.events': { right: 'read', calls: () => [{ others: 200 }] },
  'GET /dashboard/find.json': {
    right: 'read',
    calls: ({ slug }) => [{ query: `q=${named(slug)[1]}`, others: 200 }],
  },
  'GET /dashboard/rfqs/:id': { right: 'read', calls: ({ rfqId }) => [{ at: [rfqId], others: 404 }] },
  'GET /dashboard/agent/sandbox': { right: 'edit', calls: PLAIN },
  'GET /dashboard/agent': { right: 'read', calls: PLAIN },
  'GET /dashboard/organization/new': { right: 'person', calls: PLAIN },
  'GET /dashboard/organization': { right: 'read', calls: PLAIN },
  'GET /dashboard/team': { right: 'read', calls: PLAIN },
  'GET /dashboard/tokens': { right: 'oversee', calls: PLAIN },
  'GET /dashboard/history': {
    right: 'oversee',
    calls: ({ auditId, org }) => [
      { others: 200 },
      { query: `before=${auditId}`, others: 200 },
      { query: `actor=${org.ownerId}`, others: 200 },
    ],
  },
  'GET /dashboard/history.csv': { right: 'oversee', calls: PLAIN },
}

const offerFields = ({ slug }: Settled, headline: string) => ({
  product_slug: slug,
  headline,
  destination_url: 'https://x.example/',
})

const WRITES: Record<string, Page> = {
  'POST /dashboard/products/new': {
    right: 'edit',
    calls: () => [{ fields: { category: 'shelves', title: 'Stool of birch' }, others: DONE }],
  },
  'POST /dashboard/products/proposed/withdraw': {
    right: 'edit',
    calls: ({ submissionId }) => [{ fields: { submission_id: submissionId }, others: 404 }],
  },
  'POST /dashboard/products/claim': {
    right: 'edit',
    calls: ({ waitingSlug }) => [
      { fields: { product_slug: waitingSlug, relationship_type: 'sells' }, others: DONE },
    ],
  },
  'POST /dashboard/products/found': {
    right: 'edit',
    calls: ({ foundId }) => [{ fields: { [`pick_${foundId}`]: 'on' }, others: 409 }],
  },
  'POST /dashboard/products/found-undo': {
    right: 'edit',
    calls: ({ claimBatchId }) => [{ fields: { batch_id: claimBatchId }, others: 404 }],
  },
  'POST /dashboard/products/:category/:slug/change': {
    right: 'edit',
    calls: ({ slug }) => [
      { at: named(slug), fields: { description: 'Five boards' }, others: 404, rivals: DONE },
    ],
  },
  'POST /dashboard/products/:category/:slug/picture': {
    right: 'edit',
    calls: ({ slug }) => [
      { at: named(slug), fields: { shows: 'Five boards' }, file: TINY_GIF, others: 404, rivals: DONE },
    ],
  },
  'POST /dashboard/products/:category/:slug/proposals/withdraw': {
    right: 'edit',
    calls: ({ slug, enrichmentId }) => [
      { at: named(slug), fields: { enrichment_id: enrichmentId }, others: 404 },
    ],
  },
  'POST /dashboard/import': {
    right: 'edit',
    calls: () => [
      { fields: { source: 'csv', url: '' }, file: 'title,category\nStool,shelves\n', others: DONE },
    ],
  },
  'POST /dashboard/import/:id': {
    right: 'edit',
    calls: ({ broughtId }) => [{ at: [broughtId], fields: { source: 'csv' }, others: 404 }],
  },
  'POST /dashboard/import/:id/result': {
    right: 'edit',
    calls: ({ broughtId }) => [
      { at: [broughtId], fields: { act: 'check' }, others: 404 },
      { at: [broughtId], fields: { act: 'import' }, others: 404 },
    ],
  },
  'POST /dashboard/import/:id/delete': { right: 'edit', calls: brought },
  'POST /dashboard/sources': {
    right: 'edit',
    calls: () => [{ fields: { name: newId(), url: 'https://feed.example/', auth: 'none' }, others: DONE }],
  },
  'POST /dashboard/sources/:id': {
    right: 'edit',
    calls: ({ sourceId }) => [
      {
        at: [sourceId],
        fields: { name: 'Taken over', url: 'https://other.example/', auth: 'none' },
        others: 404,
      },
    ],
  },
  'POST /dashboard/sources/:id/run': {
    right: 'edit',
    calls: ({ sourceId }) => [
      { at: [sourceId], fields: { step: 'resume' }, others: 404 },
      { at: [sourceId], fields: { step: 'pause' }, others: 404 },
    ],
  },
  'POST /dashboard/sources/:id/delete': { right: 'edit', calls: sourced },
  'POST /dashboard/offers/new': {
    right: 'edit',
    calls: (of) => [
      { fields: { ...offerFields(of, 'Cheaper'), preview: '1' }, others: 200 },
      { fields: offerFields(of, 'Cheaper'), others: 403, rivals: DONE },
    ],
  },
  'POST /dashboard/offers/preview': {
    right: 'edit',
    unoffered: 'a script asks it while somebody types',
    calls: (of) => [{ fields: offerFields(of, 'Cheaper'), others: 200 }],
  },
  'POST /dashboard/offers/:id': {
    right: 'edit',
    calls: (of) => [
      { at: [of.offerId], fields: { ...offerFields(of, 'Taken over'), preview: '1' }, others: 404 },
      { at: [of.offerId], fields: offerFields(of, 'Taken over'), others: 404 },
    ],
  },
  'POST /dashboard/offers/:id/status': {
    right: 'edit',
    calls: ({ offerId, draftId }) => [
      { at: [offerId], fields: { status: 'paused', from: 'offer' }, others: 404 },
      { at: [draftId], fields: { status: 'active', from: 'list' }, others: 404 },
    ],
  },
  'POST /dashboard/pricing/volume': {
    right: 'manage',
    calls: () => [
      {
        fields: { 'volume_discounts.0.min_qty': '10', 'volume_discounts.0.discount_pct': '5' },
        others: DONE,
      },
    ],
  },
  'POST /dashboard/pricing/defaults': {
    right: 'manage',
    calls: () => [{ fields: { lead_time_days: '6' }, others: DONE }],
  },
  'POST /dashboard/pricing/import': {
    right: 'manage',
    calls: ({ slug }) => [
      {
        fields: { act: 'save', agreed: agreedTo(slug, 'stock') },
        ...{ file: `product_slug,stock\n${slug},7\n`, own: 200, others: 200 },
      },
    ],
  },
  'POST /dashboard/agent/sandbox': {
    right: 'edit',
    unoffered: 'only a browser on the same machine is',
    calls: ({ slug }) => [
      { fields: { address: '127.0.0.1:8787', product_slug: slug }, own: 404, others: 404 },
    ],
  },
  'POST /dashboard/pricing/table/selected': {
    right: 'manage',
    calls: ({ slug }) => [{ fields: { [`pick_${slug}`]: 'on', stock: '8' }, others: 400, rivals: DONE }],
  },
  'POST /dashboard/offers/prices': {
    right: 'edit',
    calls: ({ offerId }) => [{ fields: { [`pick_${offerId}`]: 'on', change_pct: '5' }, others: 404 }],
  },
  'POST /dashboard/offers/import': {
    right: 'edit',
    calls: ({ offerId }) => [
      {
        fields: { act: 'save', agreed: agreedTo('Brought', 'headline') },
        ...{ file: `offer_id,headline\n${offerId},Brought\n`, own: 200, others: 200 },
      },
    ],
  },
  'POST /dashboard/products/claims-import': {
    right: 'edit',
    calls: ({ slug }) => [
      { fields: {}, file: `product_slug,relationship_type\n${slug},sells\n`, own: 200, others: 200 },
    ],
  },
  'POST /dashboard/offers/status': {
    right: 'edit',
    calls: ({ offerId }) => [{ fields: { [`pick_${offerId}`]: 'on', status: 'paused' }, others: 404 }],
  },
  'POST /dashboard/pricing/table': {
    right: 'manage',
    calls: ({ slug }) => [
      {
        fields: { 'p.0.slug': slug, 'p.0.stock': '9', 'p.0.stock_was': '' },
        ...{ others: 400, rivals: DONE },
      },
    ],
  },
  'POST /dashboard/pricing/:category/:slug': {
    right: 'manage',
    calls: ({ slug }) => [{ at: named(slug), fields: { lead_time_days: '78' }, others: 404, rivals: DONE }],
  },
  'POST /dashboard/rfqs/:id/test': {
    right: 'manage',
    calls: ({ rfqId }) => [{ at: [rfqId], others: 404 }],
  },
  'POST /dashboard/agent': {
    right: 'manage',
    // Nothing answers there.
    calls: ({ domain }) => [
      { fields: { agent_card_url: `https://${domain}/card.json` }, own: 422, others: 403 },
    ],
  },
  'POST /dashboard/agent/answering': {
    right: 'manage',
    unoffered: 'without a card there is no agent that could answer instead',
    calls: () => [{ fields: { is_managed: 'true', agent_card: 'keep' }, others: DONE }],
  },
  'POST /dashboard/agent/ucp': { right: 'edit', calls: () => [{ others: DONE }] },
  'POST /dashboard/agent/test': {
    right: 'manage',
    calls: ({ slug }) => [{ fields: { product_slug: slug }, others: 404, rivals: 200 }],
  },
  'POST /dashboard/tokens/create': {
    right: 'manage',
    calls: () => [{ fields: { name: 'plugin' }, others: 200 }],
  },
  'POST /dashboard/tokens/revoke': {
    right: 'manage',
    calls: ({ spareTokenId }) => [{ fields: { id: spareTokenId }, others: 404 }],
  },
  'POST /dashboard/organization/edit': {
    right: 'manage',
    calls: () => [{ fields: { name: 'Renamed', org_type: 'retailer' }, others: DONE }],
  },
  'POST /dashboard/organization/verify': {
    right: 'manage',
    unoffered: 'the domain is verified',
    calls: () => [{ others: DONE }],
  },
  'POST /dashboard/team/invite': {
    right: 'manage',
    calls: () => [{ fields: { email: 'new@people.example', role: 'viewer' }, others: DONE }],
  },
  'POST /dashboard/team/role': {
    right: 'manage',
    calls: ({ member }) => [{ fields: { email: member.email, role: 'viewer' }, others: 409 }],
  },
  'POST /dashboard/team/remove': {
    right: 'manage',
    calls: ({ member }) => [{ fields: { email: member.email }, others: 409 }],
  },
  'POST /dashboard/team/withdraw': {
    right: 'manage',
    calls: ({ invited }) => [{ fields: { email: invited }, others: 404 }],
  },
  'POST /dashboard/organization/new': {
    right: 'person',
    namesOrg: true,
    calls: ({ domain }) => [{ fields: { name: 'New', org_type: 'retailer', domain }, others: DONE }],
  },
  // After it, because who has registered an organization acts for the new one.
  'POST /dashboard/switch': {
    right: 'person',
    namesOrg: true,
    unoffered: 'they belong to one organization',
    calls: ({ org }) => [{ fields: { org_id: org.id, at: '/dashboard/offers' }, others: 404 }],
  },
  // The last four, because with them goes what hangs on them.
  'POST /dashboard/products/withdraw': {
    right: 'edit',
    calls: ({ batchedId }) => [{ fields: { [`pick_${batchedId}`]: 'on' }, others: 404 }],
  },
  'POST /dashboard/products/:category/:slug/claims/withdraw': {
    right: 'edit',
    calls: ({ slug, relationshipId, waitingSlug, waitingId }) => [
      { at: named(waitingSlug), fields: { relationship_id: waitingId }, others: 404 },
      { at: named(slug), fields: { relationship_id: relationshipId }, others: 404 },
    ],
  },
  'POST /dashboard/organization/domain': {
    right: 'manage',
    calls: ({ domain }) => [{ fields: { domain: 'elsewhere.example', gives_up: domain }, others: 409 }],
  },
  'POST /dashboard/team/leave': {
    right: 'member',
    deactivated: 409,
    // The only owner stays.
    calls: () => [{ others: 409 }],
  },
}

export const PAGES: Record<string, Page> = { ...READS, ...WRITES }
