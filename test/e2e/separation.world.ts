/**
 * Organizations that have everything an organization can have, with ids and words that no other row or answer holds by
 * chance, for tests that look for traces of one in what another is told.
 */
import { createOutbound } from '../../src/lib/outbound.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { submitRfq } from '../../src/rfq/rfq.service.ts'
import { createMailbox, signIn } from '../accounts.ts'
import { addMember, call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct, addProducts } from '../products.ts'
import { withTools } from '../tools.world.ts'
import { watchRows } from '../written-rows.ts'
import { createOauthWorld } from './oauth.world.ts'
import { carryOutRequests, STRANGER } from './rfq.world.ts'

export type Settled = {
  org: TestOrg
  name: string
  domain: string
  /** `<category>/<slug>` of the product it sells. */
  slug: string
  /** Stands in its rules and in its offer's headline. */
  mark: string
  /** Stands only in what nobody else is shown: drafts, what waits for review, what its owner saved. */
  secret: string
  /** `<category>/<slug>` of a product it has claimed and is not known to sell. */
  waitingSlug: string
  waitingId: string
  /** A product that points to its domain, and claims that were made together because others do. */
  foundId: string
  claimBatchId: string
  batchedId: string
  draftId: string
  /** What it said when it proposed a product, and what became of it. */
  submitted: Record<string, unknown>
  submissionId: string
  /** An import that was done. */
  imported: { source: string; content: string; dry_run: boolean; idempotency_key: string }
  /** A file that was brought and checked, and not imported yet; a row of it is bad. */
  broughtId: string
  /** A source that has not run. */
  sourceId: string
  /** The product that its owner saved, with a note and on a list that is nobody's but theirs. */
  saved: { category: string; slug: string; list: string }
  ownerToken: string
  member: { userId: string; email: string }
  invited: string
  invitationId: string
  invitationToken: string
  spareTokenId: string
  relationshipId: string
  offerId: string
  enrichmentId: string
  /** A stranger’s request: the task itself, and as its sellers know it. */
  taskId: string
  rfqId: string
  /** Its newest entry of history. */
  auditId: string
}

/** Tables that change by themselves. */
const SELF_CHANGING = ['jobs', 'tool_days']

export async function createSeparationWorld() {
  const nowhere = createOutbound({
    allow: [],
    resolve: async (name) => {
      throw new Error(`no test asks the world for ${name}`)
    },
  })
  const world = withTools(await createOauthWorld({ outbound: nowhere }))
  await world.searchRuntime.fill()
  carryOutRequests(world)
  const mailbox = createMailbox(world)
  const { pool } = world.database
  const written = await watchRows(pool)
  const { tokens, person } = await world.connected()
  let made = 0

  async function send(org: TestOrg, method: string, path: string, body?: Record<string, unknown>) {
    const answer = await call(world, org.session, method, path, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function use(token: string, tool: string, args: Record<string, unknown>) {
    const answer = await world.call({ token }, tool, args)
    if (answer.isError) throw new Error(`${tool}: ${answer.text}`)
    return answer.data
  }

  async function settle(name: string): Promise<Settled> {
    const n = ++made
    const mark = `${name.toLowerCase()}-mark`
    const secret = `${name.toLowerCase()}-secret`
    const domain = `${mark}.example`
    const slug = `shelves/shelf-${n}`
    const title = `Shelf ${n}`
    const [category = '', ownSlug = ''] = slug.split('/')
    const product = await addProduct(world, {
      category,
      slug: ownSlug,
      title,
      list_price: 100,
    })
    const org = await createOrg(world, { name, domain })
    const relationshipId = await relate(world, org, product)
    const invited = `invited-${n}@${domain}`
    const member = await addMember(world, org, 'editor')
    const { rows } = await pool.query<{ email: string }>('select email from users where id = $1', [
      member.userId,
    ])
    await send(org, 'PATCH', '/api/org/team/', { email: invited, role: 'viewer' })
    const link = await mailbox.link(invited)
    const { invitations } = (await send(org, 'GET', '/api/org/team/')) as { invitations: [{ id: string }] }
    await send(org, 'PATCH', '/api/org/agent-integration/', {
      is_managed: true,
      managed_rules: { note: mark, secret },
    })
    await send(org, 'PATCH', '/api/org/pricing/', { product_slug: slug, lead_time_days: 77 })
    const offer = await send(org, 'POST', '/api/offers/create/', {
      product_slug: slug,
      headline: mark,
      destination_url: `https://${domain}/`,
      price_usd: 90,
    })
    await send(org, 'PATCH', '/api/offers/update/', { offer_id: offer.offer_id, status: 'active' })
    const enrichment = await send(org, 'POST', '/api/org/enrichment/', {
      product_slug: slug,
      fields: { model: mark, description: secret },
    })
    const spare = await send(org, 'POST', '/api/org/link-tokens/', { name: 'spare' })
    const draft = await send(org, 'POST', '/api/offers/create/', {
      product_slug: slug,
      headline: secret,
      destination_url: `https://${domain}/`,
    })
    const pointing = await settlePointing(org, { category, domain, n })
    const hidden = await settleHidden({ org, category, slug, title, secret, domain })
    const broughtId = await bring(org, `title,category\nBench ${secret},${category}\n,${category}\n`)
    const sourceId = await addFeed(org, secret)
    const { taskId, rfqId } = await askFor(slug)
    await world.app.request(`/go/${offer.offer_id}`)
    const audit = (await send(org, 'GET', '/api/org/audit/')) as { entries: [{ id: string }] }
    return {
      org,
      name,
      domain,
      slug,
      mark,
      secret,
      draftId: String(draft.offer_id),
      ...hidden,
      ...pointing,
      broughtId,
      sourceId,
      member: { userId: member.userId, email: rows[0]?.email ?? '' },
      invited,
      invitationId: invitations[0].id,
      invitationToken: new URL(link, 'http://any.example').searchParams.get('token') ?? '',
      spareTokenId: String(spare.id),
      relationshipId,
      offerId: String(offer.offer_id),
      enrichmentId: String(enrichment.enrichment_id),
      taskId,
      rfqId,
      auditId: audit.entries[0].id,
    }
  }

  /** One product that points to its domain, and one that was claimed because it does. */
  async function settlePointing(
    org: TestOrg,
    { category, domain, n }: { category: string; domain: string; n: number },
  ) {
    const { id, session } = org
    const where_to_buy = [{ name: 'Shop', url: `https://${domain}/stool` }]
    const [foundId = '', batched = ''] = await addProducts(
      world,
      ['found', 'batched'].map((word) => ({
        category,
        slug: `${word}-${n}`,
        title: `Stool ${word} ${n}`,
        where_to_buy,
      })),
    )
    const body = new URLSearchParams({ org_id: id, [`pick_${batched}`]: 'on' })
    const headers = { ...session, origin: world.accounts.config.baseUrl }
    const path = '/dashboard/products/found'
    const answer = await world.app.request(path, { method: 'POST', headers, body })
    if (answer.status !== 303) throw new Error(`${path}: ${await answer.text()}`)
    const { rows } = await pool.query<{ id: string }>(
      'select batch_id as id from product_relationships where org_id = $1 and product_id = $2',
      [id, batched],
    )
    const batchedId = await addProduct(world, { category, slug: `several-${n}`, title: `Stool several ${n}` })
    await relate(world, org, batchedId)
    return { foundId, claimBatchId: rows[0]?.id ?? '', batchedId }
  }

  /** What only tools can make, and a claim that waits. */
  async function settleHidden(of: {
    org: TestOrg
    category: string
    slug: string
    title: string
    secret: string
    domain: string
  }) {
    const { org, category, secret } = of
    const waitingSlug = `${of.slug}-waiting`
    const [, waiting = ''] = waitingSlug.split('/')
    await addProduct(world, { category, slug: waiting, title: `Waiting ${waiting}`, list_price: 50 })
    await world.catchUp()
    const claim = await send(org, 'POST', '/api/org/products/claim/', {
      product_slug: waitingSlug,
      relationship_type: 'sells',
      evidence_url: `https://${of.domain}/${secret}`,
    })
    const ownerToken = await world.tokenFor(org.ownerId)
    const submitted = { category, title: `Ladder ${secret}`, description: secret, price_usd: 33 }
    const { submission_id } = await use(ownerToken, 'submit_product', submitted)
    const [, slug = ''] = of.slug.split('/')
    const rows = [
      { category, title: `Crate ${secret}` },
      { category, slug, title: of.title, description: `imported ${secret}` },
    ]
    const content = rows.map((row) => JSON.stringify(row)).join('\n')
    const imported = { source: 'jsonl', content, dry_run: false, idempotency_key: secret }
    await use(ownerToken, 'import_products', imported)
    const saved = { category, slug, list: secret }
    await use(ownerToken, 'save_product', { ...saved, note: secret, target_price_usd: 12 })
    return {
      waitingSlug,
      waitingId: String(claim.relationship_id),
      submitted,
      submissionId: String(submission_id),
      imported,
      saved,
      ownerToken,
    }
  }

  /** Only the dashboard takes files. */
  async function bring({ id, session }: TestOrg, content: string): Promise<string> {
    const press = async (path: string, fields: Record<string, string>, file?: File) => {
      const form = file ? new FormData() : new URLSearchParams()
      for (const [name, value] of Object.entries({ org_id: id, ...fields })) form.set(name, value)
      if (file && form instanceof FormData) form.set('file', file)
      const headers = { ...session, origin: world.accounts.config.baseUrl }
      const answer = await world.app.request(path, { method: 'POST', headers, body: form })
      if (answer.status >= 400) throw new Error(`${path}: ${await answer.text()}`)
      // A check that takes its time is told as it goes, and is done when the page is.
      await answer.text()
      return answer.headers.get('location') ?? ''
    }
    const path = await press('/dashboard/import', { source: 'csv' }, new File([content], 'brought.csv'))
    await press(`${path}/result`, { act: 'check' })
    return path.split('/').at(-1) ?? ''
  }

  async function addFeed({ id, session }: TestOrg, name: string): Promise<string> {
    const body = new URLSearchParams({ org_id: id, name, url: 'https://feed.example/', auth: 'none' })
    const headers = { ...session, origin: world.accounts.config.baseUrl }
    const answer = await world.app.request('/dashboard/sources', { method: 'POST', headers, body })
    if (answer.status !== 303) throw new Error(`/dashboard/sources: ${await answer.text()}`)
    return /sources\/([^?]+)/.exec(answer.headers.get('location') ?? '')?.[1] ?? ''
  }

  async function askFor(slug: string) {
    const request = RfqRequest.parse({ product_slug: slug })
    const { rfqId: taskId, sessionId: rfqId } = await submitRfq(world.rfq, STRANGER, { request })
    await waitForRfq(world.rfq, { id: taskId, userId: null, ms: 10_000 })
    return { taskId, rfqId }
  }

  const idsOf = (of: Settled) => [
    of.org.id,
    of.org.ownerId,
    of.org.tokenId,
    of.member.userId,
    of.invitationId,
    of.spareTokenId,
    of.relationshipId,
    of.waitingId,
    of.offerId,
    of.draftId,
    of.enrichmentId,
    of.submissionId,
    of.broughtId,
    of.sourceId,
    of.rfqId,
  ]

  return {
    ...world,
    accessToken: tokens.access_token,
    connectedId: person.id,
    settle,
    /** What nobody else is told. */
    marksOf: (of: Settled) => [...idsOf(of), of.auditId, of.name, of.mark, of.secret, of.member.email],
    written,
    /** What has changed since that moment of all rows in which one of its ids stands, but for `SELF_CHANGING`. */
    async changesOf(of: Settled, moment: string): Promise<string[]> {
      const rows = await written.since(moment, idsOf(of).join('|'))
      return rows.filter((row) => !SELF_CHANGING.includes(row.split(' ')[1] ?? ''))
    },
    /** Every row in which one of its ids stands, but for `SELF_CHANGING`. */
    async rowsOf(of: Settled): Promise<string[]> {
      const { rows: tables } = await pool.query<{ name: string }>(
        `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition and relname <> all($1)`,
        [[...SELF_CHANGING, 'written_rows']],
      )
      const found = await Promise.all(
        tables.map(({ name }) =>
          pool.query<{ row: string }>(
            `select '${name} ' || t::text as row from ${name} t where t::text ~ $1`,
            [idsOf(of).join('|')],
          ),
        ),
      )
      return found.flatMap(({ rows }) => rows.map(({ row }) => row)).sort()
    },
    async signInAs(email: string) {
      return { cookie: (await signIn(world, { email, verified: true })).cookie }
    },
  }
}
