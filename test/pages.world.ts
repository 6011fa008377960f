/**
 * The whole service as people meet it in a browser: the demo catalog on a real port, jobs running, mail in the outbox,
 * three sellers who answer requests for quotes in three ways, and people in every state that a page can show. One world
 * for whatever walks through pages: the check of accessibility, the screenshots and the journeys. All of it is on
 * loopback; the sellers' names are known to the allow list alone.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, vi } from 'vitest'
import { createMailJob } from '../src/accounts/mail.job.ts'
import { createMailTransport } from '../src/accounts/mail.transport.ts'
import { listOutbox, type OutboxMail, outboxDir } from '../src/accounts/outbox.ts'
import { parseDemoFile } from '../src/catalog/demo.service.ts'
import { createFileJob } from '../src/catalog/imports.job.ts'
import { startListener } from '../src/db/listen.ts'
import { createJobRunner } from '../src/jobs/runner.ts'
import { projectFile } from '../src/lib/paths.ts'
import { askSellers } from '../src/plans/ask.service.ts'
import { WISHES } from '../src/plans/plan-of-day.ts'
import type { Edit } from '../src/plans/plans.schema.ts'
import { editPlan } from '../src/plans/plans.service.ts'
import { sharePlan } from '../src/plans/share.service.ts'
import { chooseQuote } from '../src/rfq/choose.service.ts'
import { waitForRfq } from '../src/rfq/follow.ts'
import { RfqRequest } from '../src/rfq/rfq.schema.ts'
import { type RfqTask, submitRfq } from '../src/rfq/rfq.service.ts'
import { createRfqJob } from '../src/rfq/run.job.ts'
import { shareRfq } from '../src/rfq/share.service.ts'
import { saveProduct } from '../src/saved/saved.service.ts'
import { createBrowser, PASSWORD } from './accounts.ts'
import { pkce, REDIRECT, requestFor } from './e2e/oauth.world.ts'
import { put } from './e2e/search.world.ts'
import { createDemoDatabase, createTestApp, EMBEDDER, testConfig } from './harness.ts'
import { listenFirst } from './listen-first.ts'
import { withAxe } from './pages.audit.ts'
import { ASKED, addPeople, addSellers, OFFERED, REMOVED, send, UNSOLD, VISIT } from './pages.people.ts'
import { createGate, type SellerAgents, startSellerAgents } from './seller-agents.ts'
import { withTools } from './tools.world.ts'

const NOTED = 'air-fryers/ovenbird-crisp-3'

export type PagesWorld = Awaited<ReturnType<typeof createPagesWorld>>
type Base = Awaited<ReturnType<typeof openShop>>

export async function createPagesWorld() {
  const base = await openShop()
  const { souk, agents, baseUrl } = base
  const acting = {
    ...actionsOf(base),
    sellers: await addSellers(base),
    people: await addPeople(base),
  }
  startJobs(base)
  return {
    ...souk,
    ...acting,
    baseUrl,
    /** While it is held, the slow seller does not answer. */
    slow: agents.slow,
    /** The same for anyone who plans sets, as a language model that takes its time. */
    planner: base.planner,
    /** An agent that no organization has registered yet. */
    free: agents.free,
    seeds: await addSeeds(base, acting),
  }
}

function actionsOf(base: Base) {
  const { souk, baseUrl } = base
  return {
    /** Asked by this person, or by a stranger; anyone who asks waits for the end if they want to. */
    ask: (userId: string | null, request: Record<string, unknown> = {}) =>
      submitRfq(
        souk.rfq,
        { userId, clientId: null, face: 'web', visit: VISIT },
        { request: RfqRequest.parse({ product_slug: ASKED, ...request }) },
      ),
    finished: (task: RfqTask, userId: string | null): Promise<RfqTask> =>
      waitForRfq(souk.rfq, { id: task.rfqId, userId, ms: 30_000 }),
    /** A plan whose espresso machine three sellers sell; its id. */
    async planCoffee(userId: string): Promise<string> {
      const query = 'espresso machine and coffee grinder for $900'
      const { plan_id: id } = await souk.bundles.plan({ query, userId, face: 'web' })
      const edits: Edit[] = [{ kind: 'replace', line: 'espresso-machines', with: ASKED }]
      await editPlan(souk.plans, { userId }, { id: id ?? '', edits })
      return id ?? ''
    },
    /** The newest mail to this address, when it has come. */
    mailTo: (email: string, about: RegExp = /./) => mailTo(base, email, about),
    /** As an import does it, and seen by every page at once. */
    setPrice: (product: string, price: { low: number; high: number }) => setPrice(base, product, price),
    /** The session, in the form that a browser is started with. */
    cookieOf(session: string) {
      const { hostname } = new URL(baseUrl)
      const [name = '', value = ''] = session.split('=')
      const limits = { expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }
      return { name, value, domain: hostname, path: '/', ...limits }
    },
  }
}

async function openShop() {
  const { baseUrl, answerWith } = await listenFirst()
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-pages-'))
  afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }))
  const agents: SellerAgents = await startSellerAgents(() => souk.clock.now())
  // Long enough for a seller who is held back by hand.
  const deadline = { SOUK_RFQ_DEADLINE_MS: '60000' }
  const config = testConfig({ SOUK_BASE_URL: baseUrl, SOUK_DATA_DIR: dataDir, ...deadline })
  const { outbound } = agents
  const database = await createDemoDatabase()
  const souk = withTools(await createTestApp({ database, demo: true, config, outbound }))
  await souk.searchRuntime.fill()
  await souk.catchUp()
  // A model that is being loaded on a busy machine answers too late, and by this clock nobody would ask it again.
  for (const { wish } of WISHES) await EMBEDDER.embedQuery(wish)
  expect(await souk.planOfDay.find()).not.toBeNull()
  answerWith(withAxe(souk.app))
  const planner = createGate()
  const { serve } = souk.bundles
  souk.bundles.serve = async (wish) => {
    await planner.passed()
    return serve(wish)
  }
  return { souk, agents, planner, baseUrl, config }
}

function startJobs({ souk, config }: Base): void {
  const mail = createMailJob({ ...souk.accounts, config }, createMailTransport(config))
  const runner = createJobRunner({
    ...souk.ctx,
    jobs: [mail, createRfqJob(souk.rfq), createFileJob(souk.ctx)],
    pollMs: 50,
  })
  runner.start()
  const told = { jobs: runner.wake, rfqs: souk.rfq.news.tell }
  const listener = startListener(souk.database.connection, told, souk.logged.log)
  afterAll(() => Promise.all([listener.close(), runner.stop(500)]))
}

type Acting = ReturnType<typeof actionsOf> & {
  sellers: Awaited<ReturnType<typeof addSellers>>
  people: Awaited<ReturnType<typeof addPeople>>
}

/** What has happened before the first page is looked at. */
async function addSeeds(base: Base, world: Acting) {
  const { souk, baseUrl } = base
  const { people, sellers } = world
  const { ada, newcomer } = people
  const saved = { ...souk.ctx, search: souk.searchRuntime.search, offers: souk.offers }
  const owner = { userId: ada.userId, visit: VISIT }
  const save = (product: string, more: { list?: string; note?: string; targetPriceCents?: number } = {}) => {
    const [category = '', slug = ''] = product.split('/')
    return saveProduct(saved, owner, { category, slug, list: 'saved', ...more })
  }
  const sql = 'insert into product_addresses (category_slug, slug) values ($1, $2)'
  await souk.database.pool.query(sql, REMOVED.split('/'))
  await save(ASKED, { targetPriceCents: 400_00, note: 'Fits under the shelf, 13.2 in tall' })
  await save(OFFERED)
  await save(NOTED, { list: 'birthday', note: 'For Lin' })
  await world.setPrice(ASKED, { low: 399, high: 459 })
  const { offer_id } = await send(souk, sellers.managed, 'POST', '/api/offers/create/', {
    product_slug: OFFERED,
    headline: '$20 off the list price',
    detail: 'With free shipping',
    destination_url: 'https://harborhearth.example/conic-40',
    price_usd: 109,
    list_price_usd: 129,
    promo_code: 'TWENTY',
    expires_at: '2099-12-01T00:00:00Z',
  })
  await send(souk, sellers.managed, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  await souk.catchUp()
  for (const clientName of ['Claude', 'Cursor']) await souk.tokenFor(ada.userId, { clientName })
  const quoted = await world.ask(ada.userId, { quantity: 2, delivery_region: 'US-CA' })
  const unsold = await world.ask(ada.userId, { product_slug: UNSOLD })
  const strangers = await world.ask(null)
  const tasks = {
    quoted: await world.finished(quoted, ada.userId),
    unsold: await world.finished(unsold, ada.userId),
    strangers: await world.finished(strangers, null),
    chosen: await choseBest(await world.ask(null, { quantity: 6 })),
  }
  const whose = { id: tasks.chosen.rfqId, userId: null, visit: VISIT }
  const share = await shareRfq(souk.rfq, { ...whose, days: 7 })
  await send(souk, sellers.managed, 'PATCH', '/api/org/team/', { email: newcomer.email, role: 'editor' })
  const browser = createBrowser(souk, { baseUrl, ip: '127.0.0.1' })
  await browser.post('/auth/magic', { email: ada.email })
  await browser.post('/auth/reset', { email: ada.email })
  const signedUp = 'signed-up@people.example'
  await browser.post('/auth/signup', { email: signedUp, password: PASSWORD, name: 'Sol' })
  const link = async (email: string, about: RegExp) => linkIn(await world.mailTo(email, about))
  async function choseBest(task: RfqTask): Promise<RfqTask> {
    const { rfqId: id, quotes } = await world.finished(task, null)
    const [{ quote_id, total_usd } = { quote_id: '', total_usd: 0 }] = quotes
    return chooseQuote(souk.rfq, { id, userId: null, visit: VISIT, quote_id, total_usd })
  }
  const planned = await souk.bundles.plan({
    ...{ query: 'home office setup under $1,200', userId: ada.userId, face: 'web' },
  })
  const coffee = await world.planCoffee(ada.userId)
  const asking = { ...souk.rfq, ...souk.plans }
  const asked = await askSellers(asking, owner, { id: coffee, delivery_region: null, deadline_iso: null })
  for (const { request_id: id } of asked)
    if (id !== null) await waitForRfq(souk.rfq, { id, userId: ada.userId, ms: 30_000 })
  const planShare = await sharePlan(souk.plans, owner, { id: planned.plan_id ?? '', withWords: true })
  return {
    tasks,
    shareId: share.id,
    /** Another of hers, with what its sellers answered, and a share of the first. */
    askedPlanId: coffee,
    planShareId: planShare.id,
    /** A plan of ada's. */
    planId: planned.plan_id ?? '',
    /** Where an app that nobody has allowed yet sends a person. */
    consent: await consentPath(base),
    mail: (await world.mailTo(newcomer.email, /\/org\/join/)).name,
    /** Paths of links in mails, good until they are used. */
    links: {
      invitation: await link(newcomer.email, /\/org\/join/),
      magic: await link(ada.email, /\/auth\/magic/),
      reset: await link(ada.email, /\/auth\/reset/),
      verify: await link(signedUp, /\/auth\/verify/),
    },
  }
}

async function consentPath({ souk, baseUrl }: Base): Promise<string> {
  const registered = await souk.app.request('/api/oauth/register/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'Kitchen Helper' }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const request = { ...requestFor(client_id, pkce().challenge), resource: `${baseUrl}/mcp` }
  return `/oauth/authorize/?${new URLSearchParams(request)}`
}

async function mailTo({ config }: Base, email: string, about: RegExp): Promise<OutboxMail> {
  return await vi.waitFor(
    async () => {
      const mails = await listOutbox(outboxDir(config))
      const found = mails.find(({ to, text }) => to.includes(email) && about.test(text))
      if (!found) throw new Error(`no such mail to ${email} among ${mails.length}`)
      return found
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** The path of the link in a mail. */
export function linkIn({ text }: OutboxMail): string {
  const line = text.split('\n').find((one) => one.startsWith('http'))
  if (!line) throw new Error(`a mail without a link: ${text}`)
  const url = new URL(line)
  return `${url.pathname}${url.search}`
}

async function setPrice({ souk }: Base, product: string, price: { low: number; high: number }) {
  const [category = '', slug = ''] = product.split('/')
  const file = parseDemoFile(fs.readFileSync(projectFile('catalog', `${category}.json`), 'utf8'))
  const row = file.products.find((one) => one.slug === slug)
  if (!row) throw new Error(`the demo catalog has no ${product}`)
  await put(souk.ctx, { category, ...row, price })
  await souk.catchUp()
}
