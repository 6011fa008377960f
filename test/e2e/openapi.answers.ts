/**
 * Asks every published operation everything that its description speaks of, in the world of `openapi.world.ts`: each
 * answer and each refusal at least once, one after the other, because later ones build on what earlier ones did.
 */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { BUNDLES_A_DAY, MAX_PIECES, PLAN_EDITS_A_DAY } from '../../src/bundles/bundles.schema.ts'
import { DEFAULT_BODY_LIMIT } from '../../src/http/body.ts'
import { newId } from '../../src/lib/ids.ts'
import { MOST_OFFERS } from '../../src/offers/offers.service.ts'
import { OWNED_MAX } from '../../src/orgs/register.service.ts'
import { toInput } from '../../src/search/search.input.ts'
import { SearchRequest } from '../../src/search/search.schema.ts'
import { createTestApp } from '../harness.ts'
import { addMember, type Credential, createOrg, relate } from '../orgs.ts'
import { rehearse } from '../rehearse.ts'
import { CARD } from './integration.world.ts'
import {
  createOpenApiWorld,
  createRecorder,
  DEAL,
  GRINDEL_DOMAIN,
  MACHINE,
  PRODUCT,
  SEARCHES,
  UCP_PROFILE,
} from './openapi.world.ts'
import { untilRemembered } from './search.world.ts'

const souk = await createOpenApiWorld()
export const { record, ask, examples } = createRecorder(souk)
const { grindel, closed, person, viewer, site } = souk
const { db, pool } = souk.database
const cookie: Credential = { cookie: person.cookie }
const ELSEWHERE = { origin: 'https://elsewhere.example' }
const TOO_LARGE = JSON.stringify({ name: 'x'.repeat(DEFAULT_BODY_LIMIT) })

export async function recordEverything(): Promise<void> {
  await recordSearches()
  const offerId = await recordOffers()
  await recordReads()
  await recordFullShelf(offerId)
  await recordRegistering()
  await recordCards()
  await recordIntegration()
  await recordUcp()
}

async function recordSearches() {
  const search = (status: number, name: string, summary: string, body: unknown, as: Credential = null) =>
    record(status, 'searchProducts', name, summary, { body, as })
  await search(503, 'search_unavailable', 'The index is still loading', { query: 'coffee grinder' })
  await souk.searchRuntime.fill()
  const plain = { query: 'coffee grinder for French press under $150', limit: 1 }
  const narrowed = {
    query: 'burr grinder',
    filters: { category: 'coffee-grinders', max_price: 150 },
    include: ['facets', 'explain'],
  }
  for (const body of [plain, narrowed]) await untilRemembered(souk, toInput(SearchRequest.parse(body)))
  await search(200, 'search', 'A wish in plain words', plain)
  await search(200, 'narrowed', 'With filters, and counts to narrow by', narrowed)
  const set = { query: 'an espresso machine and a coffee grinder under $700', bundle: true }
  await search(200, 'bundle', 'A set within one budget, for a signed-in caller', set, cookie)
  await recordPlans()
  const served = db.updateTable('bundle_days').set({ served: BUNDLES_A_DAY })
  await served.execute()
  await search(429, 'quota_exceeded', 'The bundles of the day are used up', set, cookie)
  await db.deleteFrom('bundle_days').execute()
  await search(400, 'no_query', 'The query is missing', {})
  await search(400, 'not_json', 'The body is not JSON', '{')
  await search(400, 'unknown_category', 'There is no such category', {
    query: 'coffee grinder',
    filters: { category: 'coffee-grinder' },
  })
  await search(400, 'two_places', 'The region means two places', {
    query: 'coffee grinder',
    filters: { ships_to: 'CA' },
  })
  const many = { ...set, query: `an espresso machine and ${MAX_PIECES + 1} coffee grinders under $700` }
  await search(400, 'too_many', 'More of a thing than a bundle holds', many, cookie)
  await search(413, 'body_too_large', 'The body is over 256 KB', TOO_LARGE)
  for (let n = 0; n < SEARCHES; n++) await ask('searchProducts', { body: { query: `grinder number ${n}` } })
  await search(429, 'rate_limited', 'Too many searches from one network', { query: 'one grinder more' })
}

/** Of the plan that the search has made. */
async function recordPlans() {
  const { rows } = await sql<{ id: string }>`select id from plans limit 1`.execute(db)
  const parameters = { id: rows[0]?.id ?? '' }
  const unknown = { id: newId() }
  const unverified: Credential = { cookie: souk.unverified.cookie }
  const body = { edits: [{ keep: 'coffee-grinders' }, { budget_usd: 650 }], revision: 1 }
  await record(200, 'listPlans', 'list', 'One plan', { as: cookie })
  await record(200, 'getPlan', 'plan', 'A plan with its alternatives', { as: cookie, parameters })
  const edit = (status: number, name: string, summary: string, more = {}) =>
    record(status, 'editPlan', name, summary, { as: cookie, parameters, body, ...more })
  await edit(200, 'edited', 'Keep the grinder, and spend less')
  await edit(409, 'conflict', 'The plan has changed since')
  await edit(400, 'unknown_line', 'The plan has no such line', { body: { edits: [{ remove: 'teapots' }] } })
  const over = { edits: [{ keep: 'coffee-grinders' }, { budget_usd: 20 }] }
  await edit(400, 'over_budget', 'What is kept costs more than the budget', { body: over })
  await edit(400, 'not_json', 'The body is not JSON', { body: '{' })
  await edit(413, 'body_too_large', 'The body is over 256 KB', { body: TOO_LARGE })
  await db.updateTable('bundle_days').set({ edited: PLAN_EDITS_A_DAY }).execute()
  await edit(429, 'quota_exceeded', 'The edits of the day are used up', { body: { edits: body.edits } })
  await db.updateTable('bundle_days').set({ edited: 0 }).execute()
  for (const [id, more] of [
    ['listPlans', {}],
    ['getPlan', { parameters }],
    ['editPlan', { parameters, body }],
    ['deletePlan', { parameters }],
  ] as const) {
    await record(401, id, 'unauthenticated', 'Nobody is signed in', more)
    await record(403, id, 'EMAIL_UNVERIFIED_CODE', 'The email is not verified', { ...more, as: unverified })
    if (id === 'listPlans') continue
    await record(404, id, 'not_found', 'No such plan', { ...more, as: cookie, parameters: unknown })
    if (id === 'getPlan' || id === 'editPlan') {
      const later = {
        ...more,
        as: cookie,
        app: souk.stopping,
        ...(id === 'editPlan' && { body: { edits: body.edits } }),
      }
      await record(503, id, 'search_unavailable', 'The index is still loading', later)
    }
    if (id !== 'getPlan')
      await record(403, id, 'from_elsewhere', 'Another site sent it', {
        ...more,
        as: cookie,
        headers: ELSEWHERE,
      })
  }
  await record(200, 'deletePlan', 'deleted', 'The plan is gone', { as: cookie, parameters })
}

/** What every producer route that changes something refuses alike. */
async function recordRefusedWrites(id: string, body: unknown, { only = 'edit' } = {}) {
  const refuse = (status: number, name: string, summary: string, as: Credential, more = {}) =>
    record(status, id, name, summary, { as, body, ...more })
  await refuse(401, 'unauthenticated', 'Nobody is signed in', null)
  await refuse(403, 'org_deactivated', 'The organization is deactivated', closed.session)
  await refuse(403, 'from_elsewhere', 'Another site sent it', grindel.session, { headers: ELSEWHERE })
  const name = only === 'edit' ? 'only_reads' : 'not_owner_or_admin'
  await refuse(403, name, 'The role does not allow it', viewer)
  if (body === undefined) return
  await refuse(400, 'not_json', 'The body is not JSON', grindel.session, { body: '{' })
  await refuse(413, 'body_too_large', 'The body is over 256 KB', grindel.session, { body: TOO_LARGE })
}

async function recordOffers(): Promise<string> {
  const made = await record(201, 'createOffer', 'made', 'An offer with all that can be said', {
    as: grindel.bearer,
    body: DEAL,
  })
  const offer_id = String(made.offer_id)
  const refused = { ...DEAL, product_slug: MACHINE }
  const create = (
    status: number,
    name: string,
    summary: string,
    body: unknown,
    as: Credential = grindel.bearer,
  ) => record(status, 'createOffer', name, summary, { as, body })
  await create(400, 'headline', 'The headline is too long', { ...DEAL, headline: 'x'.repeat(61) })
  await create(400, 'offer_types', 'There is no such type', { ...DEAL, offer_types: ['cashback'] })
  await create(400, 'expires_at', 'It ends before it starts', { ...DEAL, starts_at: '2099-12-02T00:00:00Z' })
  await create(403, 'no_verified_relationship', 'Not a product of theirs', refused)
  await create(403, 'not_a_producer', 'No organization', DEAL, cookie)
  await recordRefusedWrites('createOffer', DEAL)

  const unknown = { offer_id: newId() }
  for (const [id, change] of [
    ['editOffer', { headline: 'A tenth off, and free shipping', detail: null }],
    ['setOfferStatus', { status: 'active' }],
  ] as const) {
    const body = { offer_id, ...change }
    await record(200, id, 'changed', 'By a link token', { as: grindel.bearer, body })
    await record(400, id, 'offer_id', 'The offer is not named', { as: grindel.bearer, body: change })
    await record(404, id, 'not_found', 'No such offer', { as: grindel.bearer, body: { ...body, ...unknown } })
    await recordRefusedWrites(id, body)
  }
  const paused = { offer_id, status: 'draft' }
  await record(400, 'setOfferStatus', 'status', 'Not to be set', { as: grindel.bearer, body: paused })
  await record(200, 'listOffers', 'list', 'One offer, one product', { as: grindel.bearer })
  await record(401, 'listOffers', 'unauthenticated', 'Nobody is signed in')
  await record(403, 'listOffers', 'not_a_producer', 'No organization', { as: cookie })
  return offer_id
}

async function recordReads() {
  const reads: Array<[id: string, name: string, accept?: string]> = [
    ['getProductJsonLd', 'product'],
    ['getProductMarkdown', 'product'],
    ['getProduct', 'json', 'application/ld+json'],
    ['getProduct', 'markdown', 'text/markdown'],
    ['getCategoryMarkdown', 'category'],
    ['getCategory', 'markdown', 'text/markdown'],
    ['getProductOffers', 'offers'],
  ]
  for (const [id, name, accept] of reads) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    await record(200, id, name, id.startsWith('getCategory') ? 'Coffee grinders' : 'A coffee grinder', {
      parameters: PRODUCT,
      headers,
    })
  }
  for (const id of new Set(reads.map(([id]) => id)))
    await record(404, id, 'unknown', 'Not found', {
      parameters: { category: 'teapots', slug: 'brown-betty' },
    })
  await souk.database.pool.query(`
    insert into product_addresses (category_slug, slug) values ('teapots', 'chipped');
    insert into category_addresses (slug) values ('teacups')`)
  for (const id of ['getProduct', 'getCategory'])
    await record(410, id, 'removed', 'It was removed', {
      parameters: { category: id === 'getProduct' ? 'teapots' : 'teacups', slug: 'chipped' },
    })
}

/** An organization with as many offers as it may have, and one that is over. */
async function recordFullShelf(offerId: string) {
  const at = souk.clock.now()
  const full = await createOrg(souk, { name: 'Full Shelf' })
  await relate(souk, full, souk.productId)
  const { id: _, ...stored } = await db
    .selectFrom('offers')
    .selectAll()
    .where('id', '=', offerId)
    .executeTakeFirstOrThrow()
  const live = { ...stored, org_id: full.id, status: 'paused' as const, expires_at: null }
  const over = newId()
  await db
    .insertInto('offers')
    .values([
      ...Array.from({ length: MOST_OFFERS }, () => ({ ...live, id: newId() })),
      { ...live, id: over, expires_at: at },
    ])
    .execute()
  const refuse = (id: string, body: unknown) =>
    record(409, id, 'conflict', 'There is no room for another', { as: full.bearer, body })
  await refuse('createOffer', DEAL)
  await refuse('editOffer', { offer_id: over, expires_at: '2027-01-01T00:00:00Z' })
  await db.updateTable('offers').set({ status: 'expired', expires_at: null }).where('id', '=', over).execute()
  await refuse('setOfferStatus', { offer_id: over, status: 'active' })
}

async function recordRegistering() {
  const body = { name: 'Ada’s Coffee', org_type: 'retailer', domain: 'people.example' }
  const register = (status: number, name: string, summary: string, as: Credential, more = {}) =>
    record(status, 'registerOrganization', name, summary, { as, body, ...more })
  await register(401, 'unauthenticated', 'Nobody is signed in', null)
  await register(403, 'EMAIL_UNVERIFIED_CODE', 'The address is not verified', {
    cookie: souk.unverified.cookie,
  })
  await register(403, 'from_elsewhere', 'Another site sent it', cookie, { headers: ELSEWHERE })
  await register(400, 'org_type', 'No such kind', cookie, { body: { ...body, org_type: 'bazaar' } })
  await register(400, 'not_json', 'The body is not JSON', cookie, { body: '{' })
  await register(413, 'body_too_large', 'The body is over 256 KB', cookie, { body: TOO_LARGE })
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger fail before insert on orgs for each row execute function fail()`,
  )
  await register(500, 'internal', 'The database failed', cookie)
  await pool.query('drop function fail cascade')
  const another = await createOrg(souk, { name: 'Another' })
  const owned = Array.from({ length: OWNED_MAX - 1 }, () =>
    ask('registerOrganization', { as: another.session, body }),
  )
  for (const answer of await Promise.all(owned)) expect(answer.status).toBe(201)
  await register(409, 'conflict', 'They own as many as one may', another.session)
  await register(201, 'verified', 'At the caller’s own domain', cookie)
}

async function recordCards() {
  const body = {
    agent_card_url: `https://agent.${GRINDEL_DOMAIN}/.well-known/agent-card.json`,
    auth_type: 'hmac',
    hmac_secret: 'sixteen characters or more',
  }
  const card = (status: number, name: string, summary: string, as: Credential, more = {}) =>
    record(status, 'registerAgentCard', name, summary, { as, body, ...more })
  site.serving(CARD)
  await card(200, 'registered', 'An agent that checks signatures', grindel.bearer)
  await recordRefusedWrites('registerAgentCard', body, { only: 'manage' })
  const without = { ...body, hmac_secret: undefined }
  await card(400, 'hmac_secret', 'The secret is missing', grindel.bearer, { body: without })
  await card(403, 'org_unverified', 'No verified domain', souk.unproved.bearer)
  const outside = { ...body, agent_card_url: 'https://elsewhere.example/card.json' }
  await card(403, 'domain_mismatch', 'Outside of the domain', grindel.bearer, { body: outside })
  const { cookie: nobody } = souk.unverified
  await card(404, 'not_found', 'No organization', { cookie: nobody })
  site.serving({ ...CARD, skills: [] })
  await card(422, 'card_lacks_skill', 'The skill is missing', grindel.bearer)
  site.serving('', 404)
  await card(422, 'card_unreachable', 'The card is not there', grindel.bearer)
  const inside = rehearse({ names: { [`agent.${GRINDEL_DOMAIN}`]: ['10.0.0.5'] } })
  const other = await createTestApp({ outbound: inside.outbound, database: souk.database })
  await card(422, 'private_address', 'Not a public address', grindel.bearer, { app: other.app })
  await card(503, 'stopping', 'The service is stopping', grindel.bearer, { app: souk.stopping })
  const leaver = await addMember(souk, grindel, 'admin')
  site.respondWith((_request, response) => {
    void db
      .deleteFrom('org_members')
      .where('user_id', '=', leaver.userId)
      .execute()
      .then(() => response.end(JSON.stringify(CARD)))
  })
  await card(409, 'conflict', 'The caller left meanwhile', leaver)
}

async function recordIntegration() {
  const body = { is_managed: true, managed_rules: { volume_discounts: [{ min_qty: 10, discount_pct: 5 }] } }
  const nobody = { cookie: souk.unverified.cookie }
  await record(200, 'changeAgentIntegration', 'managed', 'Let the service answer', {
    as: grindel.bearer,
    body,
  })
  await recordRefusedWrites('changeAgentIntegration', body, { only: 'manage' })
  const refused = { as: grindel.bearer, body: { managed_rules: null } }
  await record(400, 'changeAgentIntegration', 'is_managed', 'It is not said who answers', refused)
  await record(403, 'changeAgentIntegration', 'not_a_producer', 'No organization', { as: nobody, body })
  await record(200, 'getAgentIntegration', 'managed', 'The service answers', { as: grindel.bearer })
  await record(401, 'getAgentIntegration', 'unauthenticated', 'Nobody is signed in')
  await record(403, 'getAgentIntegration', 'not_a_producer', 'No organization', { as: nobody })
}

async function recordUcp() {
  const check = (status: number, name: string, summary: string, as: Credential, more = {}) =>
    record(status, 'checkUcp', name, summary, { as, ...more })
  site.serving(UCP_PROFILE)
  await check(200, 'found', 'The shop speaks UCP', grindel.session)
  site.serving('', 404)
  await check(200, 'not_found', 'It does not', grindel.session)
  await check(503, 'stopping', 'The service is stopping', grindel.session, { app: souk.stopping })
  await recordRefusedWrites('checkUcp', undefined)
  await check(403, 'not_a_producer', 'No organization', { cookie: souk.unverified.cookie })
  await check(403, 'domain_unverified', 'The domain is not verified', souk.unproved.session)
  await check(404, 'not_found', 'Neither domain nor shop', souk.nowhere.session)
  site.respondWith((_request, response) => {
    void db
      .updateTable('orgs')
      .set({ shopify_shop: 'grindel.myshopify.com' })
      .where('id', '=', grindel.id)
      .execute()
      .then(() => response.end(JSON.stringify(UCP_PROFILE)))
  })
  await check(409, 'conflict', 'The organization changed meanwhile', grindel.session)
}
