/**
 * Rows that a caller without an account can make. Each way is taken over HTTP far past its limit, and the
 * rows are counted. The list at the end names every table, so that a new one must say what bounds it.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createSweepJob } from '../../src/accounts/sweep.job.ts'
import { AGENT_FAMILIES, createProductReadsSweep } from '../../src/catalog/product-reads.ts'
import type { Job } from '../../src/jobs/runner.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { newId } from '../../src/lib/ids.ts'
import { createRfqSweep } from '../../src/rfq/sweep.job.ts'
import { toInput } from '../../src/search/search.input.ts'
import { SearchRequest } from '../../src/search/search.schema.ts'
import { createBrowser, PASSWORD, signIn } from '../accounts.ts'
import { captureLog, createTestApp, testConfig } from '../harness.ts'
import { addProducts } from '../products.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const PRODUCTS = 40
const souk = await createTestApp({ config: testConfig({ SOUK_TRUST_PROXY: '1' }) })
const { pool } = souk.database
const ids = await addProducts(
  souk,
  Array.from({ length: PRODUCTS }, (_, n) => ({
    slug: `lamp-${n}`,
    category: 'desk-lamps',
    title: `Lamp ${n}`,
    price: { low: 20, high: 30 },
  })),
)
await souk.searchRuntime.fill()

beforeEach(() => souk.clock.advance(HOUR_MS))

function post(path: string, body: unknown, from: { ip?: string; agent?: string } = {}) {
  const { ip = '192.0.2.1', agent = 'Tester/1' } = from
  return souk.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, 'user-agent': agent },
    body: JSON.stringify(body),
  })
}

const count = async (table: string, where = 'true') =>
  Number((await pool.query(`select count(*) as n from ${table} where ${where}`)).rows[0].n)

const run = (job: Job) =>
  job.run({}, { signal: new AbortController().signal, attempt: 1, jobId: newId(), log: captureLog().log })

describe('reads of products', () => {
  beforeEach(() => pool.query('truncate product_reads'))
  const reads = async () => {
    await souk.a2a.reads.settled()
    const { rows } = await pool.query(
      'select agent, sum(reads)::int as reads, count(*)::int as rows from product_reads group by agent order by agent',
    )
    return rows
  }

  test('of any number of made-up agents are one row a product, day and face', async () => {
    for (let n = 0; n < 50; n++) {
      const agent = `made-up-${n}/${n}.0 (${'x'.repeat(n)})`
      expect((await post('/catalog/lookup', { ids: ['lamp-1'] }, { agent })).status).toBe(200)
      expect((await post('/catalog/product', { id: 'lamp-1' }, { agent })).status).toBe(200)
    }
    expect(await reads()).toEqual([{ agent: 'other', reads: 100, rows: 1 }])
  })

  test('by agents that are known are told apart by their family', async () => {
    for (const agent of ['Claude-User/1.0', 'anthropic-sdk/9', 'ChatGPT-User/2', 'python-requests/2.1', ''])
      await post('/catalog/lookup', { ids: ['lamp-1'] }, { agent })
    expect((await reads()).map(({ agent, reads: times }) => [agent, times])).toEqual(
      [
        ['ChatGPT', 1],
        ['Claude', 2],
        ['other', 1],
        ['Python', 1],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    )
    for (const { agent } of await reads()) expect(AGENT_FAMILIES).toContain(agent)
  })

  test('by strangers of A2A are counted by family too', async () => {
    for (let n = 0; n < 20; n++)
      await post(
        '/a2a/',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'message/send',
          params: {
            message: {
              kind: 'message',
              messageId: newId(),
              role: 'user',
              parts: [{ kind: 'data', data: { skill: 'product-lookup', product_slug: 'desk-lamps/lamp-1' } }],
            },
          },
        },
        { agent: `made-up-${n}` },
      )
    expect(await reads()).toEqual([{ agent: 'other', reads: 20, rows: 1 }])
  })

  test('are counted 3,600 times an hour for one network, and all of them are answered', async () => {
    const slugs = ids.map((_, n) => `lamp-${n}`)
    for (let n = 0; n < 95; n++) {
      const answer = await post('/catalog/lookup', { ids: slugs })
      expect(((await answer.json()) as { products: unknown[] }).products).toHaveLength(PRODUCTS)
    }
    expect(await reads()).toEqual([{ agent: 'other', reads: 3_600, rows: PRODUCTS }])
    await post('/catalog/lookup', { ids: ['lamp-1'] }, { ip: '198.51.100.2' })
    expect(await reads()).toMatchObject([{ reads: 3_601 }])
  })

  test('that were kept under other names are folded into the families by the sweep, none lost', async () => {
    await pool.query(
      `insert into product_reads (product_id, day, face, agent, reads)
       select $1::uuid, '2026-10-01'::date - n % 3, 'ucp', 'made-up-' || n, 2 from generate_series(1, 2500) n
       union all select $1::uuid, '2026-10-01', 'ucp', 'other', 5
       union all select $1::uuid, '2026-10-01', 'ucp', 'claude-code/2.0', 7
       union all select $1::uuid, '2026-10-01', 'ucp', 'Claude', 1`,
      [ids[0]],
    )
    const sweep = createProductReadsSweep({ db: souk.database.db, clock: souk.clock })
    await run(sweep)
    await run(sweep)
    expect(await reads()).toEqual([
      { agent: 'Claude', reads: 8, rows: 1 },
      { agent: 'other', reads: 5_005, rows: 3 },
    ])
  })
})

describe('searches', () => {
  const body = { query: 'lamp', limit: 1 }
  const settled = () =>
    post('/api/search/click/', { query_id: newId(), slug: 'lamp-1' }, { ip: '203.0.113.250' })

  test('that are remembered are logged 6,000 times an hour for one network, and all are answered', async () => {
    await post('/api/search/', body, { ip: '203.0.113.1' })
    await settled()
    await pool.query('truncate search_queries cascade')
    const input = toInput(SearchRequest.parse(body), '192.0.2.1')
    // As its HTTP interface asks for them.
    for (let n = 0; n < 5_900; n++) souk.searchRuntime.search.remembered(input)
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => post('/api/search/', body)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      await settled()
      expect(await count('search_queries')).toBe(6_000)
    }
    await post('/api/search/', body, { ip: '203.0.113.1' })
    await settled()
    expect(await count('search_queries')).toBe(6_001)
  })

  test('have 3,600 clicks an hour of one network kept; the rest are taken', async () => {
    await pool.query('truncate search_queries cascade')
    // On a product that is not there: each counts, and nothing is written.
    const astray = { queryId: newId(), slug: 'no-such-lamp', ip: '192.0.2.1' }
    for (let n = 0; n < 3_450; n++)
      await expect(souk.searchRuntime.recordClick(astray)).rejects.toThrow('no product')
    for (let n = 0; n < 3; n++) {
      const { query_id } = (await (await post('/api/search/', body)).json()) as { query_id: string }
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => post('/api/search/click/', { query_id, slug: 'lamp-1' })),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    }
    expect(await count('search_clicks')).toBe(150)
  })

  test('that add a product to a comparison count against the limit of searches', async () => {
    const limited = await createTestApp({
      database: souk.database,
      config: testConfig({ SOUK_TRUST_PROXY: '1', SOUK_LIMITS: 'search=2/minute' }),
    })
    await limited.searchRuntime.fill()
    const look = (words: string) =>
      limited.app.request(`/compare?add=${words}`, {
        headers: { accept: 'text/html', 'x-forwarded-for': '192.0.2.9' },
      })
    expect([(await look('reading')).status, (await look('bright')).status]).toEqual([200, 200])
    const refused = await look('small')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})

describe('accounts', () => {
  const idOf = async (email: string) =>
    (await pool.query('select id from users where email = $1', [email])).rows[0].id as string

  test('have a hundred sessions at most, and 120 sign-ins an hour in the audit log', async () => {
    const { email } = await signIn(souk)
    const userId = await idOf(email)
    // As 117 sign-ins before leave it: each hash of a password takes its time.
    await pool.query(
      `insert into sessions (id, token_hash, user_id, created_at, last_seen_at, expires_at)
       select gen_random_uuid(), 'hash ' || n, $1, $2, $2, $2::timestamptz + interval '30 days' from generate_series(1, 117) n`,
      [userId, new Date(souk.clock.now().getTime() - 1_000)],
    )
    await pool.query('update a2a_hours set messages = messages + 117 where network = $1', [
      souk.accounts.secrets.throttleKey(`signin user ${userId}`),
    ])
    const enter = async () =>
      (await createBrowser(souk).post('/auth/signin', { email, password: PASSWORD })).status
    expect([await enter(), await enter(), await enter()]).toEqual([303, 303, 429])
    expect(await count('sessions', `user_id = '${userId}'`)).toBe(100)
    expect(await count('audit_log', `user_id = '${userId}' and action = 'signin'`)).toBe(3)
    souk.clock.advance(HOUR_MS)
    expect(await enter()).toBe(303)
    expect(await count('sessions', `user_id = '${userId}'`)).toBe(100)
  })

  test('that nobody confirmed and that own nothing are gone after 90 days, each with its line in the audit log', async () => {
    const confirmed = await idOf((await signIn(souk, { verified: true })).email)
    const signUp = async (email: string) => {
      await createBrowser(souk).post('/auth/signup', { email, password: PASSWORD, name: 'Somebody' })
      return idOf(email)
    }
    const [unused, saver] = [await signUp('unused@example.com'), await signUp('saver@example.com')]
    await pool.query('insert into saved_products (id, user_id, product_id, list) values ($1, $2, $3, $4)', [
      newId(),
      saver,
      ids[0],
      'saved',
    ])
    const left = async () =>
      (await pool.query('select id from users where id = any($1)', [[confirmed, unused, saver]])).rows.length
    souk.clock.advance(89 * DAY_MS)
    await run(createSweepJob(souk.accounts))
    expect(await left()).toBe(3)
    souk.clock.advance(2 * DAY_MS)
    await run(createSweepJob(souk.accounts))
    expect(await left()).toBe(2)
    expect(await count('users', `id = '${unused}'`)).toBe(0)
    expect(await count('audit_log', `user_id = '${unused}' and action = 'account.deleted'`)).toBe(1)
  })
})

test("strangers' requests for quote that nobody quoted for go a year after what was sent for them", async () => {
  const asked = await souk.app.request('/a2a/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.55' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          messageId: newId(),
          role: 'user',
          parts: [{ kind: 'data', data: { skill: 'request-for-quote', product_slug: 'desk-lamps/lamp-1' } }],
        },
      },
    }),
  })
  expect(asked.status).toBe(200)
  expect(await count('rfqs', 'anonymous')).toBe(1)
  await pool.query(`update rfqs set state = 'completed', finished_at = $1`, [souk.clock.now()])
  const config = { keep: { searches: 90, attempts: 365, audit: null, requests: null } }
  const sweep = createRfqSweep({ db: souk.database.db, clock: souk.clock, config })
  souk.clock.advance(729 * DAY_MS)
  await run(sweep)
  expect(await count('rfqs')).toBe(1)
  souk.clock.advance(2 * DAY_MS)
  await run(sweep)
  expect(await count('rfqs')).toBe(0)
})

test('jobs that failed for good are gone after 90 days', async () => {
  await pool.query(
    `insert into jobs (id, kind, payload, state, max_attempts, finished_at)
     values (gen_random_uuid(), 'gone', '{}', 'failed', 1, now() - interval '91 days'),
       (gen_random_uuid(), 'kept', '{}', 'failed', 1, now() - interval '89 days')`,
  )
  const idle = { kind: 'idle', maxAttempts: 1, leaseMs: 1_000, run: async () => {} } as unknown as Job
  const runner = createJobRunner({ db: souk.database.db, log: captureLog().log, jobs: [idle] })
  runner.start()
  await expect.poll(() => count('jobs', "state = 'failed'"), { timeout: 20_000 }).toBe(1)
  await runner.stop()
})

const ACCOUNT = 'grows by what people, organizations and operators do, each within the limits of an account'
/** What bounds each table against a caller without an account. */
const BOUNDS: Record<string, string> = {
  users: 'sign-ups by network and hour; unconfirmed ones that own nothing go after 90 days',
  sessions: '120 sign-ins an hour and 100 sessions for an account',
  mail_tokens: 'mails by address and by network; swept after they run out',
  unsaved_forms: '60 an hour of one network, 1,000 in all, 64 KB each; swept after 30 minutes',
  throttles: 'a try is counted for its network first, which is then blocked; swept after two days',
  audit_log: 'by what causes a line: tries, mails, sign-ups and sign-ins have their limits; swept',
  oauth_clients: 'registrations by network; swept when unused',
  oauth_trace: '5,000 rows',
  search_queries: '6,000 an hour of one network; swept',
  search_words: ACCOUNT,
  search_products: ACCOUNT,
  search_counts: 'terms, names and kinds of the catalog, with SOUK_SEARCH=postgres alone',
  search_words_state: 'one row',
  search_answers: 'one for each answer that is logged; swept',
  search_clicks: '100 for a search, 3,600 an hour of one network; swept',
  product_impressions: 'a row a product and day; swept',
  product_reads: 'a row a product, day, face and family of agents; swept',
  link_clicks: '3,600 an hour of one network',
  rfqs: '60 an hour of one network; those of strangers without a quote are swept',
  rfq_attempts: 'a few for each request; swept',
  rfq_quotes: 'one for each seller that answers a request',
  rfq_shares: 'ten that work for a request; swept when they expire',
  rfq_pushes: '10 a task; swept',
  a2a_questions: '60 an hour of one network; swept',
  a2a_hours: 'a row a limit, network and window; swept after a day',
  notices: 'a request causes at most one a day for each owner and admin of a seller; swept',
  notice_settings: ACCOUNT,
  mistake_reports: '10 an hour of one network; 20 open of a product, 5,000 in all; swept',
  search_rules: 'operators only; 2,000 in all',
  search_judgements: 'operators only; 5,000 lines at a time',
  health_samples: 'one a minute; swept after 30 days',
  jobs: 'by what causes them; done ones are swept after 7 days, failed ones after 90',
  oauth_grants: ACCOUNT,
  oauth_families: ACCOUNT,
  oauth_codes: ACCOUNT,
  oauth_refresh_tokens: ACCOUNT,
  oauth_access_tokens: ACCOUNT,
  tool_days: ACCOUNT,
  bundle_days: ACCOUNT,
  plans: ACCOUNT,
  plan_shares: ACCOUNT,
  plan_requests: ACCOUNT,
  saved_products: ACCOUNT,
  orgs: ACCOUNT,
  org_members: ACCOUNT,
  org_renames: ACCOUNT,
  org_invitations: ACCOUNT,
  link_tokens: ACCOUNT,
  agent_integrations: ACCOUNT,
  ucp_checks: ACCOUNT,
  product_relationships: ACCOUNT,
  enrichments: ACCOUNT,
  offers: ACCOUNT,
  product_pricing: ACCOUNT,
  product_submissions: ACCOUNT,
  org_imports: ACCOUNT,
  org_import_leases: ACCOUNT,
  import_drafts: ACCOUNT,
  categories: ACCOUNT,
  brands: ACCOUNT,
  products: ACCOUNT,
  product_vectors: ACCOUNT,
  imports: ACCOUNT,
  import_files: ACCOUNT,
  import_file_parts: ACCOUNT,
  import_writes: ACCOUNT,
  sources: ACCOUNT,
  source_runs: ACCOUNT,
  feed_products: ACCOUNT,
  picture_files: ACCOUNT,
  picture_uploads: ACCOUNT,
  product_pictures: ACCOUNT,
  product_keys: ACCOUNT,
  deleted_keys: ACCOUNT,
  category_names: ACCOUNT,
  product_addresses: ACCOUNT,
  category_addresses: ACCOUNT,
  changes: ACCOUNT,
  settings: ACCOUNT,
  index_marks: 'one for each folder that nodes keep their index in; swept',
  signing_keys: ACCOUNT,
  migrations: ACCOUNT,
}

test('every table says what bounds it', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  expect(Object.keys(BOUNDS).sort()).toEqual(rows.map(({ name }) => name).sort())
})
