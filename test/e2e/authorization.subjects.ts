/**
 * What calls are about. Anyone who is refused asks about what the organization has had all along; anyone who may gets a subject of
 * their own, because most of what may be done can be done once: so no line of the table hangs on another.
 */
import { createSession } from '../../src/accounts/sessions.service.ts'
import { archiveProducts } from '../../src/catalog/manage-products.service.ts'
import { reportMistake } from '../../src/catalog/mistakes.service.ts'
import { setRates } from '../../src/catalog/rates.service.ts'
import { enqueue } from '../../src/jobs/runner.ts'
import type { OrgRole } from '../../src/orgs/orgs.schema.ts'
import { storedPlan } from '../../src/plans/kept.ts'
import { keepPlan } from '../../src/plans/plans.service.ts'
import { sharePlan } from '../../src/plans/share.service.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { getRfqTask, submitRfq } from '../../src/rfq/rfq.service.ts'
import { shareRfq } from '../../src/rfq/share.service.ts'
import { addJudgements, addRule, RuleInput } from '../../src/search/tuning.service.ts'
import { createMailbox } from '../accounts.ts'
import { categoryOf, wishOf } from '../bundles.ts'
import { addImport } from '../imports.ts'
import { addMember, call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { addFileSource, runLamps } from '../sources.ts'
import { type Caller, createCallers } from './authorization.callers.ts'
import { pkce } from './oauth.world.ts'
import { STRANGER } from './rfq.world.ts'
import type { createPagesWorld } from './separation.pages.world.ts'
import type { Settled } from './separation.world.ts'

type World = Awaited<ReturnType<typeof createPagesWorld>>

export type Subject = Settled & {
  caller: Caller
  /** Of a stylesheet. */
  asset: string
  coOwner: { userId: string; email: string }
  /** A new name that waits for the operator. */
  renameId: string
  /** A mistake that a reader reported. */
  reportId: string
  /** A person whose address is not confirmed. */
  newcomerId: string
  /** With a password. */
  account: { email: string; password: string }
  /** A request for quotes that the caller of this kind made, and one of the access token’s person. */
  consumersTask: string
  tokensTask: string
  /** A plan of the consumer, and a share of it. */
  planId: string
  planShareId: string
  /** A quote of the stranger's request, and a share of it. */
  choice: { quote_id: string; total_usd: number }
  shareId: string
  /** Of somebody who allowed an agent. */
  grantId: string
  /** Of the caller, on another device. */
  sessionId: string
  /** An invitation to the caller. */
  invitation: string
  /** What takes back the removal of a saved product. */
  removed: string
  /** What turns a kind of notices off. */
  unsubscribe: string
  /** Of a search. */
  queryId: string
  /** Of a job that failed. */
  jobId: string
  /** Of a file that the operator brought and checked, and of an import. */
  fileId: string
  batchId: string
  /** Of a source of the operator that has a file. */
  operatedId: string
  client: { id: string; challenge: string }
  /** What the operator tidies: nothing of the organization hangs on it. */
  tidy: {
    slug: string
    category: string
    brandId: string
    into: string
    seen: string
    batch: string
    ruleId: string
  }
  /** The form that redeems a code. */
  redeemed: Record<string, string>
}

/** A plan with a line for shelves that has no product yet. */
const ONE_LINE = {
  wish: wishOf(),
  asked: { filters: {}, wanted: [] },
  plan: storedPlan(
    {
      ...{ budgetCents: null, totalCents: 0, dropped: [] },
      lines: [
        {
          ...{ slug: 'shelves', label: 'Shelves', role: 'Shelves', quantity: 1, named: true, kept: false },
          ...{ allocatedCents: null, overBudget: false, product: null, costCents: null },
          because: { place: 0, passedOver: null, flaw: null, late: false, upgrade: null },
        },
      ],
    },
    { overview: 'One shelf.', reasonings: {} },
    { wishes: [categoryOf('shelves', [])] },
  ),
  totalCents: 0,
}

export type Fresh = keyof ReturnType<typeof createMakers>

export function createMakers(world: World) {
  const { pool, db } = world.database
  const makeCaller = createCallers(world)
  const mailbox = createMailbox(world)
  let made = 0
  let firstShare: string | null = null

  async function send(org: TestOrg, method: string, path: string, body: Record<string, unknown>) {
    const answer = await call(world, org.session, method, path, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function product() {
    const slug = `made-${++made}`
    const id = await addProduct(world, { category: 'shelves', slug, title: `Made ${made}`, list_price: 40 })
    return { id, slug: `shelves/${slug}` }
  }

  async function pointing(domain: string): Promise<string> {
    const where_to_buy = [{ name: 'Shop', url: `https://${domain}/made` }]
    return addProduct(world, {
      category: 'shelves',
      slug: `made-${++made}`,
      title: `Made ${made}`,
      where_to_buy,
    })
  }

  async function sold({ org }: Subject) {
    const { id, slug } = await product()
    return { slug, relationshipId: await relate(world, org, id) }
  }

  async function emailOf(userId: string | null): Promise<string> {
    const { rows } = await pool.query<{ email: string }>('select email from users where id = $1', [userId])
    return rows[0]?.email ?? ''
  }

  async function offer({ org, slug }: Subject): Promise<string> {
    const terms = { product_slug: slug, headline: 'Made', destination_url: 'https://x.example/' }
    return String((await send(org, 'POST', '/api/offers/create/', terms)).offer_id)
  }

  const operator = { kind: 'operator', id: null } as const

  async function tidy(): Promise<Pick<Subject, 'tidy'>> {
    const n = ++made
    const [category, slug, into] = [`made-kind-${n}`, `tidy-${n}`, `tidy-into-${n}`]
    const ctx = { db, clock: world.clock }
    await addProduct(world, { category, slug, title: `Tidy ${n}`, brand: `Brand ${n}` })
    await addProduct(world, {
      category: `made-other-${n}`,
      slug: into,
      title: `Into ${n}`,
      brand: `Other ${n}`,
    })
    const { batch } = await archiveProducts(ctx, { by: operator, selection: { slugs: [into] } })
    const rule = RuleInput.parse({ kind: 'pin', query: `tidy ${n}`, name: slug })
    const { id: ruleId } = await addRule(ctx, { by: operator, input: rule })
    await addJudgements(ctx, { by: operator, lines: `tidy | ${slug}` })
    await setRates(ctx, { by: operator, rates: { SEK: 0.1 } })
    const { rows } = await pool.query<{ brand_id: string; seen: Date }>(
      'select brand_id, updated_at as seen from products where slug = $1',
      [slug],
    )
    const [{ brand_id: brandId = '', seen = new Date() } = {}] = rows
    return { tidy: { slug, category, brandId, into, seen: seen.toISOString(), batch: batch ?? '', ruleId } }
  }

  return {
    tidy,
    caller: async ({ caller, org }: Subject) => ({ caller: await makeCaller(caller.kind, org) }),
    /** With the caller as a member of the same role, and nothing else. */
    org: async ({ caller }: Subject) => {
      const domain = `made-${++made}.example`
      const org = await createOrg(world, { domain })
      return { org, domain, caller: await makeCaller(caller.kind, org) }
    },
    sold,
    unclaimed: async () => {
      const { slug } = await product()
      return { slug, waitingSlug: slug }
    },
    foundId: async ({ domain }: Subject) => ({ foundId: await pointing(domain) }),
    claimBatchId: async ({ org, domain }: Subject) => {
      const found = await pointing(domain)
      const fields = { [`pick_${found}`]: 'on' }
      await world.send(org.session, 'POST /dashboard/products/found', { fields, others: 0 }, org.id)
      const { rows } = await pool.query<{ id: string }>(
        'select batch_id as id from product_relationships where product_id = $1',
        [found],
      )
      return { claimBatchId: rows[0]?.id ?? '' }
    },
    batchedId: async ({ org }: Subject) => {
      const { id } = await product()
      await relate(world, org, id)
      return { batchedId: id }
    },
    offerId: async (of: Subject) => ({ offerId: await offer(of) }),
    draftId: async (of: Subject) => ({ draftId: await offer(of) }),
    enrichmentId: async (of: Subject) => {
      const { slug } = await sold(of)
      const proposal = { product_slug: slug, fields: { model: `M-${made}` } }
      const { enrichment_id } = await send(of.org, 'POST', '/api/org/enrichment/', proposal)
      return { slug, enrichmentId: String(enrichment_id) }
    },
    submissionId: async ({ ownerToken }: Subject) => {
      const submitted = { category: 'shelves', title: `Ladder ${++made}` }
      const { data } = await world.call({ token: ownerToken }, 'submit_product', submitted)
      return { submissionId: String(data.submission_id) }
    },
    waitingId: async ({ org }: Subject) => {
      const { slug } = await product()
      const claim = { product_slug: slug, relationship_type: 'sells' }
      const { relationship_id } = await send(org, 'POST', '/api/org/products/claim/', claim)
      return { waitingSlug: slug, waitingId: String(relationship_id) }
    },
    renameId: async ({ org }: Subject) => {
      await send(org, 'PATCH', '/api/org/', { name: `Renamed ${++made}` })
      const { rows } = await pool.query<{ id: string }>('select id from org_renames where org_id = $1', [
        org.id,
      ])
      return { renameId: rows[0]?.id ?? '' }
    },
    reportId: async () => {
      const { id, slug } = await product()
      const report = { kind: 'price' as const, text: 'It costs more.', email: null, userId: null }
      await reportMistake(world.accounts, { ...report, product: { id, slug }, visit: STRANGER.visit })
      const { rows } = await pool.query<{ id: string }>(
        'select id from mistake_reports where product_id = $1',
        [id],
      )
      return { reportId: rows[0]?.id ?? '' }
    },
    broughtId: async ({ org }: Subject) => {
      const [name, path] = ['POST /dashboard/import', '/dashboard/import/']
      const file = `title,category\nBench ${++made},shelves\n`
      const brought = await world.send(
        org.session,
        name,
        { fields: { source: 'csv', url: '' }, file, others: 0 },
        org.id,
      )
      const broughtId = brought.location?.slice(path.length) ?? ''
      const result = 'POST /dashboard/import/:id/result'
      await world.send(org.session, result, { at: [broughtId], fields: { act: 'check' }, others: 0 }, org.id)
      return { broughtId }
    },
    sourceId: async ({ org }: Subject) => {
      const fields = { name: `Feed ${++made}`, url: 'https://feed.example/', auth: 'none' }
      const added = await world.send(org.session, 'POST /dashboard/sources', { fields, others: 0 }, org.id)
      return { sourceId: added.location?.slice('/dashboard/sources/'.length).split('?')[0] ?? '' }
    },
    member: async ({ org }: Subject) => ({ member: await colleague(org, 'editor') }),
    coOwner: async ({ org }: Subject) => ({ coOwner: await colleague(org, 'owner') }),
    invited: async ({ org }: Subject) => {
      const invited = `made-${++made}@people.example`
      await send(org, 'PATCH', '/api/org/team/', { email: invited, role: 'viewer' })
      return { invited }
    },
    spareTokenId: async ({ org }: Subject) => {
      const { id } = await send(org, 'POST', '/api/org/link-tokens/', { name: 'made' })
      return { spareTokenId: String(id), org: { ...org, tokenId: String(id) } }
    },
    invitation: async ({ caller }: Subject) => {
      const email = await emailOf(caller.userId)
      await send(await createOrg(world), 'PATCH', '/api/org/team/', { email, role: 'viewer' })
      const link = new URL(await mailbox.link(email), 'http://any.example')
      return { invitation: link.searchParams.get('token') ?? '' }
    },
    newcomerId: async () => {
      const { id } = await world.addPerson()
      await pool.query('update users set email_verified_at = null where id = $1', [id])
      return { newcomerId: id }
    },
    consumersTask: async ({ caller }: Subject) => ({ consumersTask: await task(caller) }),
    planId: async ({ caller: { userId } }: Subject) => {
      const owner = { userId: userId ?? '' }
      const { id } = await keepPlan(world.ctx, owner, ONE_LINE)
      const share = await sharePlan(world.a2a.plans, owner, { id, withWords: false })
      return { planId: id, planShareId: share.id }
    },
    choice: async ({ taskId }: Subject) => {
      const { quotes } = await getRfqTask(world.rfq, { id: taskId, userId: null })
      const [{ quote_id, total_usd } = { quote_id: '', total_usd: 0 }] = quotes
      return { choice: { quote_id, total_usd } }
    },
    /** A request has few, so those after the first are made room for. */
    shareId: async ({ taskId }: Subject) => {
      const room = 'update rfq_shares set revoked_at = now() where rfq_id = $1 and id <> $2'
      if (firstShare !== null) await pool.query(room, [taskId, firstShare])
      const { id } = await shareRfq(world.rfq, { id: taskId, userId: null, visit: STRANGER.visit, days: 7 })
      firstShare ??= id
      return { shareId: id }
    },
    tokensTask: async ({ caller }: Subject) => ({ tokensTask: await task(caller) }),
    grantId: async ({ caller: { userId } }: Subject) => {
      if (userId !== null) await world.tokenFor(userId)
      const { rows } = await pool.query<{ id: string }>(
        'select id from oauth_grants where user_id = $1 and revoked_at is null limit 1',
        [userId],
      )
      return { grantId: rows[0]?.id ?? '' }
    },
    sessionId: async ({ caller: { userId } }: Subject) => {
      const visit = { ip: null, userAgent: null, requestId: null }
      await createSession(world.accounts, { userId: userId ?? '', visit, replaces: null })
      const { rows } = await pool.query<{ id: string }>(
        'select id from sessions where user_id = $1 order by id desc limit 1',
        [userId],
      )
      return { sessionId: rows[0]?.id ?? '' }
    },
    queryId: async () => {
      const { body } = await call(world, null, 'POST', '/api/search/', { query: `shelf ${++made}` })
      return { queryId: String(body.query_id) }
    },
    jobId: async () => {
      const jobId = (await enqueue(db, { kind: 'made', maxAttempts: 1 }, {})) ?? ''
      await pool.query(`update jobs set state = 'failed', finished_at = now() where id = $1`, [jobId])
      return { jobId }
    },
    imported: () => addImport(world),
    operated: async () => {
      const operatedId = await addFileSource(world)
      await runLamps(world, operatedId, { lamps: 3, dryRun: true })
      return { operatedId }
    },
    client: async () => ({ client: { id: await world.register(), challenge: pkce().challenge } }),
    redeemed: async () => ({ redeemed: (await world.readyToRedeem()).form }),
    saved: async (of: Subject) => {
      await save(of)
      return {}
    },
    removed: async (of: Subject) => {
      await save(of)
      const form = new URLSearchParams({ p: of.slug, from: of.saved.list })
      const headers = { ...of.caller.headers, origin: world.base }
      const answer = await world.postForm('/saved/remove', form, headers)
      const address = new URL(answer.headers.get('location') ?? '', world.base)
      return { removed: address.searchParams.get('removed') ?? '' }
    },
  }

  async function save({ caller: { token }, saved }: Subject): Promise<void> {
    const { isError, text } = await world.call({ token: token ?? '' }, 'save_product', saved)
    if (isError) throw new Error(text)
  }

  async function colleague(org: TestOrg, role: OrgRole) {
    const { userId } = await addMember(world, org, role)
    return { userId, email: await emailOf(userId) }
  }

  async function task({ userId }: Caller): Promise<string> {
    const request = RfqRequest.parse({ product_slug: (await product()).slug })
    const { rfqId } = await submitRfq(world.rfq, { ...STRANGER, userId }, { request })
    await waitForRfq(world.rfq, { id: rfqId, userId, ms: 10_000 })
    return rfqId
  }
}
