/** The operator's pages about the service itself: jobs, searches and health. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sessionCookieName } from '../../src/http/session-cookie.ts'
import { retryJob } from '../../src/jobs/jobs.admin.service.ts'
import { enqueue } from '../../src/jobs/runner.ts'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser, signIn } from '../accounts.ts'
import { runAdmin } from '../admin-command.ts'
import { BASE_URL, createTestApp } from '../harness.ts'
import { addProduct } from '../products.ts'

const SWEEP = { kind: 'sweep-things', maxAttempts: 3, everyMs: 3_600_000 }
const souk = await createTestApp({ jobs: [SWEEP, { kind: 'mail.send', maxAttempts: 15 }] })
const { db } = souk.database
const browser = createBrowser(souk)
let operatorId = ''

beforeAll(async () => {
  const { email, cookie } = await signIn(souk, { email: 'op@example.com', verified: true })
  const row = await db
    .updateTable('users')
    .set({ is_admin: true })
    .where('email_key', '=', email)
    .returning('id')
    .executeTakeFirstOrThrow()
  operatorId = row.id
  browser.setCookie(cookie)
})

const text = async (path: string) => (await browser.get(path)).text()
const PATHS = ['/admin/jobs', '/admin/search', '/admin/health', '/admin/oauth', '/admin/imports']

test('none of the pages is there for anybody else', async () => {
  const person = await signIn(souk, { verified: true })
  const other = createBrowser(souk)
  other.setCookie(person.cookie)
  for (const path of [...PATHS, '/admin/health.json']) {
    expect([path, (await other.get(path)).status]).toEqual([path, 404])
    expect([path, (await browser.get(path)).status]).toEqual([path, 200])
  }
  for (const path of ['/admin/jobs/retry', '/admin/jobs/drop', '/admin/jobs/run', '/admin/imports/new'])
    expect([path, (await other.post(path, { job: newId(), kind: SWEEP.kind })).status]).toEqual([path, 404])
})

describe('jobs', () => {
  const fail = async (
    kind: string,
    options: { dedupeKey?: string; payload?: Record<string, unknown> } = {},
  ) => {
    const { payload = { n: 7 }, ...more } = options
    const id = (await enqueue(db, { kind, maxAttempts: 3 }, payload, more)) ?? ''
    await sql`
      update jobs set state = 'failed', attempts = 3, last_error = 'no <luck>', finished_at = now()
      where id = ${id}`.execute(db)
    return id
  }
  const job = (id: string) => db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()

  test('that failed are shown with their reason, tried again with all their attempts, and on record', async () => {
    const id = await fail('embed-things')
    const sealed = await fail('mail.send', { payload: { sealed: 'v1.key.secret-letter' } })
    const page = await text('/admin/jobs')
    expect(page).toContain('no &lt;luck&gt;')
    expect(page).toContain('{&quot;n&quot;: 7}')
    expect(page).not.toContain('secret-letter')
    const mails = await text('/admin/jobs?kind=mail.send')
    expect([mails.includes(sealed), mails.includes(id)]).toEqual([true, false])
    expect(await text('/admin/jobs?kind=mail.send&format=csv')).toMatch(/mail\.send,no <luck>,3,/)
    const response = await browser.post('/admin/jobs/retry', { job: id })
    expect(response.headers.get('location')).toBe('/admin/jobs?done=retried')
    expect(await job(id)).toMatchObject({ state: 'waiting', attempts: 0, finished_at: null })
    const again = await browser.post('/admin/jobs/retry', { job: id })
    expect([again.status, (await again.text()).includes('no longer in the list')]).toEqual([409, true])
    expect((await runAdmin(souk, 'jobs')).out).toContain(`failed\t${sealed}\tmail.send\t3\t`)
    expect((await runAdmin(souk, 'retry-job', sealed)).err).toContain('mail.send is queued again')
    const { rows } = await sql`
      select actor_kind, actor_id, detail->>'job_id' as job from audit_log where action = 'job.retried'
      order by at, id`.execute(db)
    expect(rows).toEqual([
      { actor_kind: 'user', actor_id: operatorId, job: id },
      { actor_kind: 'operator', actor_id: null, job: sealed },
    ])
  })

  test('whose work waits already are done with, never two of them', async () => {
    const id = await fail('index-things', { dedupeKey: 'all' })
    await enqueue(db, { kind: 'index-things', maxAttempts: 3 }, {}, { dedupeKey: 'all' })
    const response = await browser.post('/admin/jobs/retry', { job: id })
    expect(response.headers.get('location')).toBe('/admin/jobs?done=stands')
    expect(await job(id)).toMatchObject({ state: 'done' })
  })

  test('whose work is put in line at the same moment are done with too', async () => {
    const id = await fail('embed-once', { dedupeKey: 'at once' })
    const { promise: looked, resolve: look } = Promise.withResolvers<void>()
    const { promise: written, resolve: wrote } = Promise.withResolvers<void>()
    const putting = db.transaction().execute(async (tx) => {
      await enqueue(tx, { kind: 'embed-once', maxAttempts: 3 }, {}, { dedupeKey: 'at once' })
      wrote()
      await looked
    })
    await written
    const retried = retryJob(souk.ctx, id, async () => {})
    setTimeout(look, 200)
    await putting
    expect(await retried).toEqual({ kind: 'embed-once', stands: true })
    expect(await job(id)).toMatchObject({ state: 'done' })
  })

  test('are dropped only when they have failed', async () => {
    const id = await fail('old-things')
    const waiting = (await enqueue(db, { kind: 'old-things', maxAttempts: 3 }, {})) ?? ''
    expect((await browser.post('/admin/jobs/drop', { job: id })).status).toBe(303)
    expect(await job(id)).toBeUndefined()
    expect((await browser.post('/admin/jobs/drop', { job: waiting })).status).toBe(409)
    expect((await browser.post('/admin/jobs/drop', { job: 'x' })).status).toBe(409)
    await expect(runAdmin(souk, 'drop-job', waiting)).rejects.toThrow('no failed job has the id')
    expect(await job(waiting)).toMatchObject({ state: 'waiting' })
  })

  test('that are periodic run when asked, once, and no other kind does', async () => {
    expect(await text('/admin/jobs')).toContain('Soon')
    const ask = async (kind: string) =>
      (await browser.post('/admin/jobs/run', { kind })).headers.get('location')
    expect(await ask(SWEEP.kind)).toBe('/admin/jobs?done=asked')
    expect(await ask(SWEEP.kind)).toBe('/admin/jobs?done=waits')
    expect(await ask('mail.send')).toBeNull()
    expect(await ask('nothing')).toBeNull()
    const made = await db.selectFrom('jobs').select('dedupe_key').where('kind', '=', SWEEP.kind).execute()
    expect(made).toEqual([{ dedupe_key: 'periodic' }])
  })
})

type Asked = {
  hoursAgo?: number
  found?: boolean
  match?: 'good' | 'near' | 'none'
  closestId?: string
  filters?: Record<string, unknown>
  face?: string
  ms?: number
  clicked?: boolean
  offset?: number
}

/** Enters a search into the log; without `match` as an older node does. */
async function ask(query: string, asked: Asked = {}): Promise<void> {
  const { hoursAgo = 1, found = true, face = 'web', ms = 10, clicked = false, offset = 0 } = asked
  const { match = null, closestId = null, filters = {} } = asked
  const at = new Date(souk.ctx.clock.now().getTime() - hoursAgo * 3_600_000)
  const [answer, asking, product] = [newId(), newId(), newId()]
  await sql`
    insert into search_answers (id, at, query, filters, face, mode, product_ids, offset_by, match, closest_id)
    values (${answer}, ${at}, ${query}, ${JSON.stringify(filters)}, ${face}, 'semantic',
      ${found ? [product] : []}::uuid[], ${offset}, ${match}, ${closestId})`.execute(db)
  await sql`
    insert into search_queries (id, at, answer_id, ms, session_id)
    values (${asking}, ${at}, ${answer}, ${ms}, 'session-of-somebody')`.execute(db)
  if (clicked)
    await sql`
      insert into search_clicks (id, at, query_id, product_id, position)
      values (${newId()}, ${at}, ${asking}, ${product}, 1)`.execute(db)
}

test('search quality tells shares, times and the questions worth a look, of the days asked for', async () => {
  expect(await text('/admin/search')).toContain('No searches yet')
  await ask('Tents', { clicked: true })
  await ask('tents')
  await ask('stoves & <lamps>')
  await ask('unobtainium', { found: false, face: 'tools', ms: 900 })
  await ask('tents', { offset: 20 })
  await ask('kayaks', { hoursAgo: 100 })
  await ask('ancient', { hoursAgo: 24 * 40 })
  const day = await text('/admin/search?days=1')
  expect(day).toMatch(/Searches<\/dt><dd><span class="figure">4</)
  expect(day).toMatch(/Without results<\/dt><dd><span class="figure">25%</)
  expect(day).toMatch(/With a click<\/dt><dd><span class="figure">33%</)
  expect(day).toContain('href="/search?q=stoves+%26+%3Clamps%3E"')
  expect(day).not.toContain('kayaks')
  expect(day).not.toContain('session-of-somebody')
  const unclicked = day.slice(day.indexOf('id="results-but-no-click"'), day.indexOf('id="slowest"'))
  expect(unclicked).toContain('stoves')
  expect(unclicked).not.toContain('tents')
  expect(unclicked).not.toContain('unobtainium')
  expect(await text('/admin/search?days=bogus')).toContain('kayaks')
  expect(await text('/admin/search?days=30')).not.toContain('ancient')
})

test('search quality lists what was looked for in vain, most often first, with what came closest', async () => {
  const closestId = await addProduct(souk, { slug: 'rack', category: 'dish-racks', title: 'Steel & Rack' })
  await ask('Dishwasher', { found: false, match: 'none', hoursAgo: 30, closestId: newId() })
  await ask('dishwasher', { found: false, match: 'none', closestId, filters: { sort: 'rating' } })
  await ask('dishwasher', { found: false, match: 'near', hoursAgo: 600, filters: { onSale: true } })
  await ask('sofa', { found: false, match: 'near', closestId: newId(), clicked: true })
  await ask('wardrobe', { found: false, match: 'none', hoursAgo: 24 * 31 })
  await ask('kettle', { match: 'good' })
  const vainOf = (page: string) =>
    page.slice(page.indexOf('id="no-results"'), page.indexOf('id="top-queries"'))
  const vain = vainOf(await text('/admin/search'))
  const rows = vain.match(/<tr>.*?<\/tr>/gs)?.filter((row) => row.includes('/search?q=')) ?? []
  expect(rows.map((row) => /q=([a-z]+)/.exec(row)?.[1])).toEqual(['dishwasher', 'sofa', 'unobtainium'])
  expect(rows[0]).toMatch(/>3<.*>1<.*<a href="\/p\/dish-racks\/rack">Steel &amp; Rack<\/a>/s)
  expect(rows[1]).not.toContain('/p/')
  expect(vain).not.toContain('session-of-somebody')
  expect(vainOf(await text('/admin/search?days=1'))).toMatch(/q=dishwasher.*?>1<.*?>0</s)
  // The command goes by the machine's clock.
  const hoursAgo = (souk.ctx.clock.now().getTime() - Date.now()) / 3_600_000 + 1
  await ask('wheelbarrow', { found: false, match: 'none', closestId, hoursAgo, ms: 900 })
  const { out } = await runAdmin(souk, 'search-quality')
  expect(out).toMatch(/^1d\tslow\t1\t1\t0\t900\twheelbarrow$/m)
  expect(out).toMatch(/^1d\tvain\t1\t0\t\S+Z\tdish-racks\/rack\twheelbarrow$/m)
})

test('health says of each thing how it is and what to do, the same in JSON', async () => {
  await sql`
    insert into jobs (id, kind, payload, max_attempts, run_at)
    values (${newId()}, 'late', '{}', 1, now() - interval '20 minutes')`.execute(db)
  const response = await browser.get('/admin/health.json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  type Found = { state: string; groups: Array<{ name: string; checks: Array<Record<string, string>> }> }
  const health = (await response.json()) as Found
  const checks = new Map(
    health.groups.flatMap((group) => group.checks.map((check) => [check.name, check] as const)),
  )
  expect(health.groups.map(({ name }) => name)).toEqual([
    'Server',
    'Database',
    'Jobs and email',
    'Search',
    'Requests for quotes',
  ])
  expect(health.state).toBe('bad')
  expect(checks.get('Backlog')).toMatchObject({ state: 'bad', fix: expect.stringContaining('see Jobs') })
  expect(checks.get('Email server')).toMatchObject({ state: 'look', fix: 'set SMTP_URL to send it' })
  expect(checks.get('Migrations')).toMatchObject({ state: 'ok' })
  expect(checks.get('Index of this node')).toMatchObject({ state: 'bad' })
  expect(checks.get('Readiness')).toMatchObject({ state: 'ok' })
  const page = await text('/admin/health')
  for (const name of checks.keys()) expect(page).toContain(name)
  expect(page).toContain('Set SMTP_URL to send it.')
})

test('the session cookie of a deactivated operator opens none of it', async () => {
  const second = await signIn(souk)
  await db.updateTable('users').set({ is_admin: true }).where('email', '=', second.email).execute()
  const other = createBrowser(souk)
  other.setCookie(second.cookie)
  expect(other.cookie()).toContain(sessionCookieName(BASE_URL))
  expect((await other.get('/admin/health')).status).toBe(200)
  await runAdmin(souk, 'deactivate-user', second.email)
  expect((await other.get('/admin/health')).status).toBe(404)
})
