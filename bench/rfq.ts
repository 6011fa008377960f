/**
 * What a request for quote costs beside its slowest answer: 1,000 producers asked by the engine (rows, signatures,
 * verdicts, ranking, signed quotes) and the same 1,000 requests as a bare Promise.all through the same lib/outbound.
 * Then whether one producer that hangs holds up anybody else, with 200 requests at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Outbound } from '../src/lib/outbound.ts'
import { waitForRfq } from '../src/rfq/follow.ts'
import { MAX_ANSWER_BYTES } from '../src/rfq/quote.schema.ts'
import { encodeRfqMessage } from '../src/rfq/request.ts'
import { RfqRequest } from '../src/rfq/rfq.schema.ts'
import { type Asker, submitRfq } from '../src/rfq/rfq.service.ts'
import type { Figure, Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'
import { createRfqWorld, type Engine, type RfqWorld } from './rfq/world.ts'

const PRODUCERS = 1_000
const AT_ONCE = 200
const ROUNDS = 3
const DEADLINE_MS = 25_000
const HANGING_DEADLINE_MS = 5_000
const GOOD = ['good-1', 'good-2', 'good-3', 'good-4']
const ASKER: Asker = {
  userId: null,
  clientId: null,
  face: 'a2a',
  visit: { ip: null, userAgent: null, requestId: null },
}

type Measured = { ms: number; cpuMs: number; rssMb: number; afterLastMs: number }
type Round = Record<'bareCold' | 'bareWarm' | 'rfqCold' | 'rfqWarm', Measured>

export async function benchRfq({ quick }: { quick: boolean }): Promise<Figures> {
  const many = Array.from({ length: quick ? PRODUCERS / 5 : PRODUCERS }, (_, n) => `shop-${n}`)
  const world = await createRfqWorld([
    { slug: 'sold-by-many', sellers: many },
    { slug: 'all-answer', sellers: GOOD },
    { slug: 'one-hangs', sellers: [...GOOD, 'hanging'] },
  ])
  try {
    const rounds = quick ? 2 : ROUNDS
    return { ...(await benchMany(world, many, rounds)), ...(await benchHanging(world, Math.min(3, rounds))) }
  } finally {
    await world.close()
  }
}

async function benchMany(world: RfqWorld, sellers: string[], rounds: number): Promise<Figures> {
  // The first of everything pays for compiling and for loading modules, whichever contender it is; for the memory it
  // takes it is the one that counts, because the process keeps what it once had.
  const first = await roundOf(world, sellers)
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) results.push(await roundOf(world, sellers))
  const over = (warmth: 'Cold' | 'Warm') =>
    figureOf(results.map((result) => (result[`rfq${warmth}`].ms - result[`bare${warmth}`].ms) / 1000))
  const afterLast = (name: 'rfqCold' | 'rfqWarm') =>
    figureOf(results.map((result) => result[name].afterLastMs / 1000))
  const milliseconds = ({ value }: Figure) => (Math.abs(value) * 1000).toFixed(0)
  const row = (title: string, name: keyof Round, difference: string, after: string) => [
    title,
    median(results.map((result) => result[name].ms)).toFixed(0),
    median(results.map((result) => result[name].cpuMs)).toFixed(0),
    difference,
    after,
    Math.max(first[name].rssMb, ...results.map((result) => result[name].rssMb)).toFixed(0),
  ]
  const added = (warmth: 'Cold' | 'Warm') =>
    `${over(warmth).value < 0 ? '−' : '+'} ${milliseconds(over(warmth))}`
  printTable(
    `One request to ${sellers.length.toLocaleString('en')} producers over TLS that answer after 20 to 200 ms (median of ${rounds})`,
    ['', 'ms', 'CPU ms', 'over bare', 'after the slowest answer', 'peak RSS + MB'],
    [
      row('bare requests, new connections', 'bareCold', '', ''),
      row('request for quote, new connections', 'rfqCold', added('Cold'), milliseconds(afterLast('rfqCold'))),
      row('bare requests, kept connections', 'bareWarm', '', ''),
      row(
        'request for quote, kept connections',
        'rfqWarm',
        added('Warm'),
        milliseconds(afterLast('rfqWarm')),
      ),
    ],
  )
  return {
    'rfq.after_slowest_new_seconds': afterLast('rfqCold'),
    'rfq.after_slowest_kept_seconds': afterLast('rfqWarm'),
    'rfq.over_bare_new_seconds': over('Cold'),
    'rfq.over_bare_kept_seconds': over('Warm'),
    'rfq.of_bare_new': ratioOf(
      results.map(({ bareCold }) => bareCold.ms),
      results.map(({ rfqCold }) => rfqCold.ms),
    ),
  }
}

async function roundOf(world: RfqWorld, sellers: string[]): Promise<Round> {
  const outbound = world.newOutbound()
  const bareCold = await measured(() => askBare(world, outbound, sellers))
  const bareWarm = await measured(() => askBare(world, outbound, sellers))
  await outbound.close()
  const engine = await world.startEngine({ deadlineMs: DEADLINE_MS })
  const rfqCold = await measured(() => askEngine(engine, sellers.length))
  const rfqWarm = await measured(() => askEngine(engine, sellers.length))
  await engine.stop()
  return { bareCold, bareWarm, rfqCold, rfqWarm }
}

async function askBare(world: RfqWorld, outbound: Outbound, sellers: string[]): Promise<undefined> {
  const body = encodeRfqMessage({
    rfqId: 'bare',
    messageId: 'bare',
    productSlug: 'lamps/sold-by-many',
    quantity: 1,
    deliveryRegion: null,
    deadlineIso: null,
    requestor: 'http://localhost:3000/.well-known/agent-card.json',
  })
  const answers = await Promise.all(
    sellers.map((seller) =>
      outbound.request({
        url: `https://${world.hostOf(seller)}/message:send`,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        timeoutMs: DEADLINE_MS,
        maxBytes: MAX_ANSWER_BYTES,
      }),
    ),
  )
  if (answers.some(({ status }) => status !== 200)) throw new Error('not everybody answered')
}

/** Gives how long after its slowest answer the request was complete. */
async function askEngine({ ctx }: Engine, expected: number): Promise<number> {
  const { rfqId } = await submit(ctx, 'sold-by-many')
  const task = await waitForRfq(ctx, { id: rfqId, userId: null, ms: 60_000 })
  if (task.state !== 'completed' || task.quotes.length !== expected)
    throw new Error(`${task.state} with ${task.quotes.length} quotes`)
  const ended = Date.now()
  const { rows } = await sql<{ last: Date }>`
    select max(finished_at) as last from rfq_attempts where rfq_id = ${rfqId}`.execute(ctx.db)
  return ended - (rows[0]?.last.getTime() ?? Number.NaN)
}

function submit(ctx: Engine['ctx'], slug: string) {
  return submitRfq(ctx, ASKER, { request: RfqRequest.parse({ product_slug: `lamps/${slug}` }) })
}

/** Memory is looked at every few milliseconds; what is measured is the highest it stood above where it began. */
async function measured(work: () => Promise<number | undefined>): Promise<Measured> {
  await sleep(100)
  const before = process.memoryUsage.rss()
  let peak = before
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 5)
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  const afterLastMs = (await work()) ?? Number.NaN
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpuBefore)
  look()
  clearInterval(timer)
  return { ms, cpuMs: (user + system) / 1000, rssMb: (peak - before) / 1e6, afterLastMs }
}

async function benchHanging(world: RfqWorld, rounds: number): Promise<Figures> {
  const engine = await world.startEngine({ deadlineMs: HANGING_DEADLINE_MS })
  const slugs = ['all-answer', 'one-hangs'] as const
  const times = { 'all-answer': [] as Burst[], 'one-hangs': [] as Burst[] }
  await burst(world, engine, 'all-answer')
  for (let round = 0; round < rounds; round++)
    for (const slug of slugs) times[slug].push(await burst(world, engine, slug))
  await engine.stop()
  const of = (slug: keyof typeof times, field: keyof Burst) => median(times[slug].map((time) => time[field]))
  const answered = (slug: keyof typeof times) => times[slug].map(({ answeredMs }) => answeredMs)
  const ratio = ratioOf(answered('one-hangs'), answered('all-answer'))
  const row = (title: string, slug: keyof typeof times, compared: string) => [
    title,
    of(slug, 'answeredMs').toFixed(0),
    compared,
    of(slug, 'completedMs').toFixed(0),
  ]
  printTable(
    `${AT_ONCE} requests at once, until the four answers of each are recorded (median of ${rounds})`,
    ['', 'four recorded, ms', 'of first', 'all completed, ms'],
    [
      row('four producers, all answer', 'all-answer', ''),
      row(
        `and a fifth that hangs (deadline ${HANGING_DEADLINE_MS} ms)`,
        'one-hangs',
        `${ratio.value.toFixed(2)} ×`,
      ),
    ],
  )
  return { 'rfq.hanging_of_answering': ratio }
}

type Burst = { answeredMs: number; completedMs: number }

async function burst({ db }: RfqWorld, { ctx }: Engine, slug: string): Promise<Burst> {
  // A producer that failed too often is left alone for a while; here it is to hang every time.
  await sql`update agent_integrations set failures_in_a_row = 0, skip_until = null, status = 'active'`.execute(
    db,
  )
  const started = performance.now()
  const tasks = await Promise.all(Array.from({ length: AT_ONCE }, () => submit(ctx, slug)))
  const ids = tasks.map(({ rfqId }) => rfqId)
  const recorded = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from rfq_quotes where rfq_id = any(${ids}::uuid[])`.execute(db)
    return rows[0]?.count ?? 0
  }
  while ((await recorded()) < AT_ONCE * GOOD.length) {
    if (performance.now() - started > 60_000) throw new Error('the answers were not recorded')
    await sleep(20)
  }
  const answeredMs = performance.now() - started
  for (const id of ids) await waitForRfq(ctx, { id, userId: null, ms: 30_000 })
  return { answeredMs, completedMs: performance.now() - started }
}
