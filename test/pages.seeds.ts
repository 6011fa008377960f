/**
 * What producers and the operator have at hand when their pages are looked at: something in every state that a page can
 * show. Most is done as people do it, by the forms and the API; only what takes days to happen is written as rows. Apart
 * from the world of pages, because those who travel through it begin with less.
 */
import { editProduct } from '../src/catalog/manage-products.service.ts'
import { setRates } from '../src/catalog/rates.service.ts'
import { enqueue } from '../src/jobs/runner.ts'
import { addJudgements, addRule, RuleInput } from '../src/search/tuning.service.ts'
import { createBrowser } from './accounts.ts'
import { addImports } from './imports.ts'
import { addMember, call, createOrg, relate, type TestOrg } from './orgs.ts'
import { addFigures, addReceived } from './pages.figures.ts'
import { ASKED, OFFERED, productId, send, UNSOLD } from './pages.people.ts'
import { createPagesWorld, type PagesWorld } from './pages.world.ts'
import { addSellerSource, addSources } from './sources.ts'
import type { ConsoleVisitor } from './tour.stop.ts'

export type TourWorld = PagesWorld & { console: Awaited<ReturnType<typeof addConsole>> }

/** Sold by the organization besides those that all sell: one that is whole, one without a price of its own. */
const SOLD = ['desk-lamps/lumaro-arc-2', 'blenders/hearthline-undertow-1500']
/** Claimed, and not proved. */
export const CLAIMED = 'headphones/hushfield-vesper-4'
const PICTURE = 'https://img.example/conic.png'

export async function createTourWorld(): Promise<TourWorld> {
  const world = await createPagesWorld()
  return { ...world, console: await addConsole(world) }
}

async function addConsole(world: PagesWorld) {
  const { managed } = world.sellers
  for (const slug of SOLD) await relate(world, managed, await productId(world, slug))
  const { sessions, people } = await addOthers(world)
  const [asked, offered] = [await productId(world, ASKED), await productId(world, OFFERED)]
  await addFigures(world, { org: managed, products: [offered, asked] })
  await addJob(world)
  await addReports(world)
  return {
    sessions,
    people,
    offers: await addOffers(world),
    proposals: await addProposals(world),
    drafts: await addDrafts(world),
    imports: await addImports(world),
    sources: await addSources(world),
    sellerSource: await addSellerSource(world, managed),
    tidied: await addTidied(world),
    received: await addReceived(world, { org: world.sellers.quick, product: asked }),
    won: world.seeds.tasks.quoted.sessionId,
  }
}

async function addOthers(world: PagesWorld) {
  const { managed, quick } = world.sellers
  const fresh = await createOrg(world, {
    name: 'Quiet Corner',
    domain: 'quietcorner.example',
    verified: false,
  })
  const domainless = await createOrg(world, { name: 'Market Stall 7', domain: null, verified: false })
  await world.database.db
    .insertInto('org_members')
    .values({ org_id: quick.id, user_id: domainless.ownerId, role: 'viewer' })
    .execute()
  const gone = await createOrg(world, { name: 'Closed Shop', deactivated: true })
  await world.database.db
    .updateTable('users')
    .set({ deactivated_at: world.clock.now() })
    .where('id', '=', gone.ownerId)
    .execute()
  const viewer = await addMember(world, managed, 'viewer')
  const sessions: Record<ConsoleVisitor, string> = {
    viewer: viewer.cookie,
    agentful: quick.session.cookie,
    fresh: fresh.session.cookie,
    domainless: domainless.session.cookie,
  }
  return { sessions, people: { fresh, gone } }
}

/** What the operator did to the catalog, with a rule and a judged query; and how the service was doing. */
async function addTidied(world: PagesWorld) {
  const by = { kind: 'operator', id: null } as const
  const ctx = { db: world.database.db, clock: world.clock }
  const [slug] = SOLD[0]?.split('/').toReversed() ?? []
  const edited = await editProduct(ctx, { by, slug: slug ?? '', fields: { sku: 'TIDY-1' } })
  await addRule(ctx, { by, input: RuleInput.parse({ kind: 'pin', query: 'arc lamp', name: slug }) })
  await addJudgements(ctx, { by, lines: `arc lamp | ${slug}` })
  await setRates(ctx, { by, rates: { EUR: 1.08 } })
  await world.database.pool.query(
    `insert into health_samples (at, figures) select date_trunc('minute', now()) - n * interval '1 hour',
       jsonb_build_object('searches', n % 7, 'jobs_due', n % 3, 'memory_mb', 300 + n) from generate_series(0, 20) n`,
  )
  const { rows } = await world.database.pool.query('select brand_id from products where slug = $1', [slug])
  return { batch: edited.batch ?? '', brandId: String(rows[0]?.brand_id) }
}

async function addOffers(world: PagesWorld) {
  const { managed } = world.sellers
  const make = async (product: string, headline: string, more: Record<string, unknown> = {}) => {
    const made = await send(world, managed, 'POST', '/api/offers/create/', {
      product_slug: product,
      headline,
      destination_url: 'https://harborhearth.example/deals',
      ...more,
    })
    return String(made.offer_id)
  }
  const set = (id: string, status: string) =>
    send(world, managed, 'PATCH', '/api/offers/update/', { offer_id: id, status })
  const draft = await make(OFFERED, 'A burr brush with every grinder')
  const paused = await make(ASKED, 'Free beans with your machine', {
    starts_at: '2026-11-10T00:00:00Z',
    expires_at: '2026-11-24T00:00:00Z',
  })
  const ended = await make(ASKED, 'Autumn price', { price_usd: 389, list_price_usd: 429 })
  const soon = await make(ASKED, 'Ten percent off until the weekend', {
    price_usd: 386.1,
    starts_at: '2026-10-20T00:00:00Z',
    expires_at: '2026-11-07T00:00:00Z',
  })
  for (const id of [paused, ended, soon]) await set(id, 'active')
  await set(paused, 'paused')
  await set(ended, 'expired')
  await send(world, managed, 'PATCH', '/api/org/pricing/', {
    product_slug: OFFERED,
    max_discount_pct: 12.5,
    return_policy_days: 30,
    delivery_regions: ['US', 'CA-US'],
    shipping_cost_usd: 6.5,
    reserve_price_usd: 90,
  })
  await world.catchUp()
  return { draft, soon }
}

/** A claim that waits; products and changes that were proposed: waiting, rejected with a note, approved. */
async function addProposals(world: PagesWorld) {
  const { managed, slow } = world.sellers
  const [shop, operator] = [formsOf(world, managed), formsOf(world, null)]
  const claim = { relationship_type: 'sells', evidence_url: 'https://harborhearth.example/vesper-4' }
  await send(world, managed, 'POST', '/api/org/products/claim/', { product_slug: CLAIMED, ...claim })
  await send(world, slow, 'POST', '/api/org/products/claim/', {
    product_slug: UNSOLD,
    relationship_type: 'sells',
  })
  await send(world, slow, 'PATCH', '/api/org/', { name: 'Brasswick Works' })
  const lamp = { category: 'desk-lamps', brand: 'Harbor', specs: 'Height: 18 in\nPower: 9 W' }
  await shop('/dashboard/products/new', { ...lamp, title: 'Harbor Lantern', image_urls: PICTURE })
  await shop('/dashboard/products/new', { ...lamp, title: 'Harbor Lantern Twin' })
  const submissions = await world.database.db
    .selectFrom('product_submissions')
    .select(['id', 'version', 'product'])
    .where('org_id', '=', managed.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const [waiting, refused] = submissions
  if (!waiting || !refused) throw new Error('the products were not proposed')
  const note = 'It is the Lantern with two bulbs: propose it as a change of that one.'
  await operator(`/admin/submissions/${refused.id}/reject`, { version: String(refused.version), note })

  const propose = async (product: string, more: Record<string, unknown>) => {
    const body = { product_slug: product, evidence: ['https://harborhearth.example/data'], ...more }
    return String((await send(world, managed, 'POST', '/api/org/enrichment/', body)).enrichment_id)
  }
  const answer = async (act: string, id: string, more = {}) => {
    const body = { enrichment_id: id, ...more }
    const told = await call(
      world,
      { cookie: world.people.admin.cookie },
      'POST',
      `/api/admin/enrichments/${act}/`,
      body,
    )
    if (told.status !== 200) throw new Error(JSON.stringify(told.body))
  }
  const approved = await propose(OFFERED, { fields: { specs: { 'Burr width': '40 mm' } } })
  await answer('approve', approved)
  const rejected = await propose(OFFERED, { fields: { title: 'BEST GRINDER EVER' } })
  await answer('reject', rejected, { note: 'A title is the name of the product and nothing else.' })
  const pending = await propose(OFFERED, {
    fields: {
      description:
        'A conical burr grinder with forty steps, from espresso to French press, and a bin that does not cling.',
      specs: { 'Burr width': '42 mm', Noise: '68 dB' },
    },
    images: [{ url: PICTURE, alt: 'The grinder from the front' }],
    note: 'Measured in our workshop.',
  })
  await world.catchUp()
  return { submission: waiting.id, approved, pending }
}

/** Mistakes that readers report: by a stranger, by one who wants an answer, and one that is closed. */
async function addReports(world: PagesWorld) {
  const report = async (slug: string, fields: Record<string, string>) => {
    const sent = await createBrowser(world, { baseUrl: world.baseUrl }).post(`/p/${slug}/mistakes`, fields)
    if (sent.status !== 303) throw new Error(`${slug}: ${sent.status} ${await sent.text()}`)
  }
  await report(OFFERED, { kind: 'discontinued', text: 'The maker no longer lists it.' })
  const { rows } = await world.database.pool.query<{ id: string }>('select id from mistake_reports')
  const note = 'Still on the maker’s site, under another name.'
  await formsOf(world, null)(`/admin/reports/${rows[0]?.id}/close`, { outcome: 'fixed', note })
  await report(ASKED, { kind: 'price', text: 'The shop asks $449 since Monday.' })
  await report(ASKED, {
    ...{ kind: 'spec', email: 'reader@people.example' },
    text: 'The tank holds 1.4 l, not 1.8 l.\n\nIt says so on the label of the machine I bought last week, and in the manual on page 7.',
  })
}

/** Files as they are brought: with columns that nobody knows, checked with failed rows, imported, and cut off. */
async function addDrafts(world: PagesWorld) {
  const { managed } = world.sellers
  const shop = formsOf(world, managed)
  const bring = async (name: string, ...lines: string[]) => {
    const path = await shop('/dashboard/import', { url: '', source: '' }, { name, content: lines.join('\n') })
    return path.split('?')[0] ?? ''
  }
  const header = 'title,category,brand,price'
  const lamps = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => `${name} ${n + 1},desk-lamps,Harbor,${40 + n}`)
  const imported = await bring('spring.csv', header, ...lamps(3, 'Spring Lamp'))
  await shop(`${imported}/result`, { act: 'import' })
  const stopped = await bring('summer.csv', header, ...lamps(8, 'Summer Lamp'))
  await world.database.db
    .updateTable('import_drafts')
    .set({ done_rows: 5, run_at: world.clock.now() })
    .where('id', '=', stopped.split('/').at(-1) ?? '')
    .execute()
  const checked = await bring(
    'autumn-range.csv',
    header,
    ...lamps(2, 'Autumn Lamp'),
    'Sky Boat,hovercrafts,Harbor,900',
    'Fog Lamp,desk-lamps,Harbor,cheap',
  )
  await shop(`${checked}/result`, { act: 'check' })
  const unread = await bring(
    'herbst.csv',
    'Bezeichnung;Warengruppe;Marke;Preis;Gewicht;Lager',
    'Morgentau Lamp;desk-lamps;Morgentau;129;1.1 kg;A4',
    'Abendrot Lamp;desk-lamps;Abendrot;89 EUR;1.3 kg;A5',
  )
  return { imported, stopped, checked, unread }
}

async function addJob({ database }: PagesWorld): Promise<void> {
  const payload = { url: 'https://hooks.example/rfq', attempt_of: 'a push that nobody took' }
  const id = (await enqueue(database.db, { kind: 'rfq.push', maxAttempts: 5 }, payload)) ?? ''
  const error = 'connect ECONNREFUSED 192.0.2.7:443: nobody listens at the address that was registered'
  await database.db
    .updateTable('jobs')
    .set({ state: 'failed', attempts: 5, last_error: error, finished_at: new Date() })
    .where('id', '=', id)
    .execute()
}

/** Forms of the pages, sent as the owner of the organization or as the operator; answers where they lead. */
function formsOf(world: PagesWorld, org: TestOrg | null) {
  const browser = createBrowser(world, { baseUrl: world.baseUrl })
  const { cookie } = org?.session ?? world.people.admin
  browser.setCookie(cookie)
  return async (path: string, fields: Record<string, string>, file?: { name: string; content: string }) => {
    const whole = { ...(org && { org_id: org.id }), ...fields }
    const sent = file ? upload(world, { path, cookie, fields: whole, file }) : browser.post(path, whole)
    const answer = await sent
    const text = await answer.text()
    // On a busy machine the answer begins before the file is read, and ends with the way to the result.
    const isLate = answer.status === 200 && (text.includes('See the result') || path.endsWith('/result'))
    if (answer.status !== 303 && !isLate) throw new Error(`${path}: ${answer.status} ${text}`)
    return answer.headers.get('location') ?? ''
  }
}

type Upload = {
  path: string
  cookie: string
  fields: Record<string, string>
  file: { name: string; content: string }
}

async function upload(world: PagesWorld, { path, cookie, fields, file }: Upload): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new File([file.content], file.name))
  const headers = { cookie, origin: world.baseUrl, accept: 'text/html' }
  return world.app.request(`${world.baseUrl}${path}`, { method: 'POST', body: form, headers })
}
