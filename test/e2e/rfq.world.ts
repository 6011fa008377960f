/**
 * A marketplace for tests: producers are real HTTPS servers on loopback, each with a name of its own that only the
 * allow list knows, and the real job runner carries requests out on a real database.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll } from 'vitest'
import type { AgentsContext } from '../../src/agents/context.ts'
import { startListener } from '../../src/db/listen.ts'
import { createJobRunner, type Job } from '../../src/jobs/runner.ts'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import type { OpenSocket } from '../../src/lib/outbound.connect.ts'
import type { Resolve } from '../../src/lib/outbound.target.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { type Asker, submitRfq } from '../../src/rfq/rfq.service.ts'
import { createRfqJob } from '../../src/rfq/run.job.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createTestCa, type TestCa } from '../tls.ts'

type Souk = Awaited<ReturnType<typeof createTestApp>>

export type Received = { headers: IncomingMessage['headers']; body: string }
export type Respond = (received: Received, response: ServerResponse, count: number) => void

export type ProducerPlan = {
  respond: Respond
  auth?: { type: 'bearer' | 'hmac'; secret: string }
  /** The name in its certificate, when it is not its own. */
  certificateName?: string
  verified?: boolean
  /** What its card declares beside the skill to answer requests. */
  skills?: string[]
}

export type Producer = { name: string; host: string; org: TestOrg; received: Received[] }

export const PRODUCT = 'desk-lamps/lume-one'
export const STRANGER: Asker = {
  userId: null,
  clientId: null,
  face: 'a2a',
  visit: { ip: '192.0.2.7', userAgent: null, requestId: null },
}

export type RfqWorldOptions = {
  /** Who means a producer to be late says one; by default it is one that a busy machine does not miss. */
  deadlineMs?: number
  authority?: TestCa
  /** More of the allow list, for servers that are no producers. */
  allow?: string[]
  resolve?: Resolve
  open?: OpenSocket
  /** Besides the one that carries requests out. */
  jobs?: (ctx: AgentsContext) => Job[]
}

/** Requests for quotes are jobs; without a runner nobody would be asked. */
export function carryOutRequests(
  { ctx, rfq, database, logged }: Pick<Souk, 'ctx' | 'rfq' | 'database' | 'logged'>,
  jobs: Job[] = [],
): void {
  const runner = createJobRunner({ ...ctx, jobs: [createRfqJob(rfq), ...jobs] })
  runner.start()
  const listener = startListener(database.connection, { jobs: runner.wake, rfqs: rfq.news.tell }, logged.log)
  afterAll(() => listener.close())
  afterAll(() => runner.stop(500))
}

export async function createRfqWorld(plans: Record<string, ProducerPlan>, options: RfqWorldOptions = {}) {
  const { deadlineMs = 15_000, authority = createTestCa() } = options
  const servers = await Promise.all(
    Object.entries(plans).map(async ([name, plan]) => {
      const host = `${name}.example`
      const received: Received[] = []
      const server = await serve(
        async (request, response) => {
          const chunks: Buffer[] = []
          for await (const chunk of request) chunks.push(chunk as Buffer)
          const one = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') }
          received.push(one)
          if (request.method === 'POST' && request.url === '/message:send')
            plan.respond(one, response, received.length)
          else if (plan.skills && request.url === '/.well-known/agent-card.json')
            response.writeHead(200, { 'content-type': 'application/json' }).end(
              JSON.stringify({
                skills: ['respond-to-rfq', ...plan.skills].map((id) => ({ id, description: id })),
              }),
            )
          else response.writeHead(404).end()
        },
        authority.certFor([plan.certificateName ?? host]),
      )
      afterAll(() => server.close())
      return { name, plan, host, received, server }
    }),
  )
  const pins = servers.map(({ host, server }) => `${host}=127.0.0.1:${server.port}`)
  const outbound = createOutbound({
    allow: parseOutboundAllow([...pins, ...(options.allow ?? [])].join(',')),
    ca: authority.ca,
    open: options.open,
    resolve:
      options.resolve ??
      (async (name) => {
        throw new Error(`no test asks the world for ${name}`)
      }),
  })
  const config = testConfig({ SOUK_RFQ_DEADLINE_MS: String(deadlineMs) })
  const souk = await createTestApp({ outbound, config })
  const product = await addProduct(souk, {
    category: 'desk-lamps',
    slug: 'lume-one',
    title: 'Lume One',
    price: { low: 100, high: 120 },
    list_price: 130,
  })
  const ctx = souk.rfq
  carryOutRequests(souk, options.jobs?.(souk.a2a))
  const producers: Record<string, Producer> = {}
  for (const { name, plan, host, received } of servers) {
    const org = await createOrg(souk, { name, domain: host, verified: plan.verified ?? true })
    await relate(souk, org, product)
    await souk.database.db
      .insertInto('agent_integrations')
      .values({
        org_id: org.id,
        agent_card_url: `https://${host}/.well-known/agent-card.json`,
        managed_rules: null,
        auth_type: plan.auth?.type ?? 'none',
        secret_box: plan.auth ? ctx.integrationSecrets.seal(plan.auth.secret) : null,
        last_response_ms: null,
        last_checked_at: null,
        skip_until: null,
      })
      .execute()
    producers[name] = { name, host, org, received }
  }

  const submit = (request: Record<string, unknown> = {}, asker = STRANGER) =>
    submitRfq(ctx, asker, { request: RfqRequest.parse({ product_slug: PRODUCT, ...request }) })
  const finish = (id: string) => waitForRfq(ctx, { id, userId: null, ms: 20_000 })

  return {
    ...souk,
    product,
    producers,
    submit,
    finish,
    ask: async (request: Record<string, unknown> = {}) => finish((await submit(request)).rfqId),
    /** The last try of each producer, by its name. */
    async verdicts(
      rfqId: string,
    ): Promise<Record<string, { verdict: string; reason: string; tries: number }>> {
      const rows = await souk.database.db
        .selectFrom('rfq_attempts')
        .innerJoin('orgs', 'orgs.id', 'rfq_attempts.org_id')
        .select(['orgs.name', 'verdict', 'reason', 'try'])
        .where('rfq_id', '=', rfqId)
        .orderBy('try')
        .execute()
      return Object.fromEntries(
        rows.map((row) => [
          row.name,
          { verdict: row.verdict ?? '', reason: row.reason ?? '', tries: row.try },
        ]),
      )
    },
    /** The world as text: every table, row by row. */
    async dump(): Promise<string> {
      const { rows: tables } = await souk.database.pool.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public'`,
      )
      const texts = await Promise.all(
        tables.map(({ name }) => souk.database.pool.query(`select t::text as row from "${name}" t`)),
      )
      return texts.flatMap(({ rows }) => rows.map((row) => String(row.row))).join('\n')
    },
  }
}

export type AnswerFields = Record<string, unknown>

/** A good answer, with changes. Offers stand for `hours` of the test's own clock. */
export function answerWith(now: () => Date, change: AnswerFields = {}, hours = 23): Respond {
  return (received, response) => {
    const { hostname } = new URL(`https://${received.headers.host}`)
    const body = {
      price_usd: 100,
      in_stock: true,
      claim_url: `https://${hostname}/claim`,
      offer_expires_at: new Date(now().getTime() + hours * 3_600_000).toISOString(),
      shipping_cost_usd: 5,
      estimated_shipping_days: 3,
      ...change,
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
}
