/**
 * A service that is traced, logs everything and has a secret of each kind, and a list of them: whatever an action sends in or
 * is given that must stay between the two is written down, to be looked for wherever else it could be.
 */
import { afterAll, vi } from 'vitest'
import { createMailJob } from '../../src/accounts/mail.job.ts'
import { createMailTransport } from '../../src/accounts/mail.transport.ts'
import { startListener } from '../../src/db/listen.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { startTracing, stopTracing } from '../../src/lib/tracing.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { submitRfq } from '../../src/rfq/rfq.service.ts'
import { createRfqJob } from '../../src/rfq/run.job.ts'
import { createBrowser, createMailbox } from '../accounts.ts'
import { createTestApp, SILENT, testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { type Credential, call, createOrg, relate } from '../orgs.ts'
import { startOtlpReceiver } from '../otlp-receiver.ts'
import { addProduct } from '../products.ts'
import { CARD, createSite } from './integration.world.ts'
import { STRANGER } from './rfq.world.ts'

export type SecretKind =
  | 'password'
  | 'session'
  | 'browser cookie'
  | 'authorization code'
  | 'code verifier'
  | 'access token'
  | 'refresh token'
  | 'link token'
  | 'producer bearer'
  | 'producer hmac'
  | 'reserve price'
  | 'mail token'
  | 'push credential'
  | 'metrics token'
  | 'mail server password'
  | 'model key'
  | 'service secret'

export const SLUG = 'shelves/oak'
/** As the harness gives it to every app. */
const SERVICE_SECRET = 'a secret for tests, of at least 32 characters'
const CONFIGURED = {
  'metrics token': 'planted-metrics-5f0c1b7e9a2d',
  'mail server password': 'planted-smtp-7d2e9a4c1b6f',
  'model key': 'planted-model-3c8a5e1d7f9b',
} as const

export type SecretsWorld = Awaited<ReturnType<typeof createSecretsWorld>>

export async function createSecretsWorld() {
  const collector = await startOtlpReceiver()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint)
  await startTracing(SILENT)
  vi.unstubAllEnvs()
  afterAll(stopTracing)
  const site = await createSite(['acme.example', 'bolt.example', 'hook.example'])
  /** As it is with a gateway that explains itself. */
  const model = await serve((request, response) => {
    response.writeHead(401, JSON_TYPE).end(JSON.stringify({ error: request.headers }))
  })
  afterAll(() => model.close())
  const config = testConfig({
    SOUK_METRICS_TOKEN: CONFIGURED['metrics token'],
    SMTP_URL: `smtp://mailer:${CONFIGURED['mail server password']}@127.0.0.1:9`,
    SOUK_LLM_URL: `http://127.0.0.1:${model.port}/v1`,
    SOUK_LLM_MODEL: 'any',
    SOUK_LLM_KEY: CONFIGURED['model key'],
    SOUK_LOG: 'trace',
  })
  const souk = await createTestApp({ outbound: site.outbound, config })
  const runner = createJobRunner({ ...souk.ctx, jobs: [createRfqJob(souk.rfq)], pollMs: 20 })
  runner.start()
  const told = { jobs: runner.wake, rfqs: souk.rfq.news.tell }
  const listener = startListener(souk.database.connection, told, souk.logged.log)
  afterAll(() => Promise.all([listener.close(), runner.stop(500)]))
  const product = await addProduct(souk, {
    category: 'shelves',
    slug: 'oak',
    title: 'Oak',
    list_price: 9_999,
  })
  const [acme, bolt] = [
    await createOrg(souk, { name: 'Acme', domain: 'acme.example' }),
    await createOrg(souk, { name: 'Bolt', domain: 'bolt.example' }),
  ]
  await addProduct(souk, { category: 'desks', slug: 'pine', title: 'Pine desk', price: 90 })
  for (const org of [acme, bolt]) await relate(souk, org, product)
  await souk.searchRuntime.fill()
  /** Whatever it is asked, it says back all that it was told. */
  site.respondWith(async (request, response) => {
    if (request.method === 'GET') return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(CARD))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers } = request
    const echo = { error: `no: ${headers.authorization}`, headers, body: Buffer.concat(chunks).toString() }
    response
      .writeHead(500, { ...JSON_TYPE, 'X-Echo': String(headers.authorization) })
      .end(JSON.stringify(echo))
  })

  const planted: Array<{ kind: SecretKind; value: string }> = []
  const plant = <T extends string>(kind: SecretKind, value: T): T => {
    if (value.length < 6) throw new Error(`${kind} ${value} could be anywhere`)
    planted.push({ kind, value })
    return value
  }
  plant('service secret', SERVICE_SECRET)
  for (const [kind, value] of Object.entries(CONFIGURED)) plant(kind as keyof typeof CONFIGURED, value)

  const answers: string[] = []
  /** A action whose answer must not tell what was sent in. */
  async function say(by: Credential, method: string, path: string, body?: unknown, headers = {}) {
    const answer = await call(souk, by, method, path, body, headers)
    answers.push(JSON.stringify([path, answer.body, [...answer.headers]]))
    return answer
  }

  const { pool } = souk.database
  return {
    ...souk,
    site,
    collector,
    config,
    acme,
    bolt,
    planted,
    plant,
    answers,
    /** What the database held at several moments. */
    seen: [] as string[],
    say,
    mailbox: createMailbox(souk),
    browser: createBrowser(souk),
    /** By the job that sends it for the operator, to a server that is not there. */
    async sendMailInVain(): Promise<void> {
      const job = createMailJob({ ...souk.accounts, config }, createMailTransport(config))
      const { rows } = await pool.query(`select id, payload from jobs where kind = 'mail.send'`)
      for (const { id, payload } of rows) {
        const how = { signal: AbortSignal.timeout(5_000), attempt: 1, jobId: id, log: souk.logged.log }
        const failed = await job.run(payload, how).then(
          () => null,
          (error: unknown) => error,
        )
        souk.logged.log.warn({ err: failed }, 'job failed')
      }
    },
    async askForQuotes(): Promise<{ taskId: string; rfqId: string }> {
      const request = RfqRequest.parse({ product_slug: SLUG, quantity: 2 })
      const { rfqId: taskId, sessionId: rfqId } = await submitRfq(souk.rfq, STRANGER, { request })
      await waitForRfq(souk.rfq, { id: taskId, userId: null, ms: 10_000 })
      return { taskId, rfqId }
    },
    /** While it runs, no row of the table can be written. */
    async whileBroken(table: string, work: () => Promise<unknown>): Promise<void> {
      await pool.query(`alter table ${table} add constraint broken check (false) not valid`)
      await work()
      await pool.query(`alter table ${table} drop constraint broken`)
    },
    /** Every row of every table as text; bytes are written in hex. */
    async everyRow(): Promise<string> {
      const { rows } = await pool.query<{ name: string }>(
        `select quote_ident(table_name) as name from information_schema.tables
         where table_schema = 'public' and table_type = 'BASE TABLE'`,
      )
      const dumps = await Promise.all(
        rows.map(({ name }) => pool.query(`select t::text as row from ${name} t`)),
      )
      return dumps.flatMap(({ rows: found }) => found.map(({ row }) => String(row))).join('\n')
    },
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** As it is, and as somebody would have it who thinks that nobody looks: in hex, in Base64 at any offset, in an address. */
export function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const shifted = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // The first and the last letters hang on what stands beside it.
    return text.slice(offset === 0 ? 0 : 4, -4)
  })
  const urlSafe = shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const hex = bytes.toString('hex')
  const all = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
  ]
  return [...new Set([...all, ...shifted, ...urlSafe])].filter((text) => text.length >= 6)
}
