/**
 * Mixed traffic as real callers make it: pages, search, tools, requests for quote, offers, accounts and the rest, drawn by
 * weight from a table of acts (trials/acts). Two ways to run it, until `until` is aborted:
 *
 *   concurrency: 8     eight callers, each with one act after the other
 *   rate: 200          two hundred acts begin a second, whether or not earlier ones have ended; a function of the seconds
 *                      since the start makes a ramp. What would pass `mostAtOnce` is not sent, and counted as `skipped`
 *
 *   const figures = await runTraffic({ addresses, people, mail, concurrency: 8, seed: 1, until: AbortSignal.timeout(9_000) })
 *   percentileMs(figures.all, 0.99)
 *
 * `addresses` is asked for each request. `mix` changes weights by an act's name or its first word (`{ offer: 0 }`).
 * Writes are noted in the `journal`, if one is given. All draws come from `seed`; what runs at once still depends on time.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Act, Answer } from './act.ts'
import { ACCOUNT_ACTS } from './acts/accounts.ts'
import { OFFER_ACTS } from './acts/offers.ts'
import { PRODUCER_ACTS } from './acts/producers.ts'
import { READ_ACTS } from './acts/reads.ts'
import { RFQ_ACTS } from './acts/rfqs.ts'
import { SEARCH_ACTS } from './acts/search.ts'
import { TOOL_ACTS } from './acts/tools.ts'
import { countRequest, endingOf, type Figures, newFigures } from './figures.ts'
import { createJournal, type Journal } from './journal.ts'
import { countLost, type Lost } from './lost.ts'
import type { MailServer } from './mail-server.ts'
import type { People } from './people.ts'
import { createLottery, createRandom } from './random.ts'
import { createSender } from './sending.ts'
import { createTurn } from './turn.ts'

export const ACTS: readonly Act[] = [
  ...READ_ACTS,
  ...SEARCH_ACTS,
  ...TOOL_ACTS,
  ...RFQ_ACTS,
  ...OFFER_ACTS,
  ...PRODUCER_ACTS,
  ...ACCOUNT_ACTS,
]

export type SeenAnswer = {
  act: string
  method: string
  path: string
  status: number
  /** Of a lost one, why it was. */
  cause?: string
  ms: number
  /** When it ended, by the clock of this process. */
  atMs: number
  requestId: string
  address: string
  text: string
  header: Answer['header']
}

export type TrafficOptions = {
  /** Asked for every request, so that nodes may come and go. */
  addresses: () => string[]
  people: People
  /** Where sign-ups find their mail; without it nobody confirms an address. */
  mail?: MailServer
  journal?: Journal
  mix?: Record<string, number>
  seed: number
  /** Acts by their names, one after the other before all else, for anyone who needs them to have happened. */
  first?: readonly string[]
  until: AbortSignal
  concurrency?: number
  rate?: number | ((seconds: number) => number)
  mostAtOnce?: number
  timeLimitMs?: number
  /** Told of each answer, lost ones (status 0) too. */
  onAnswer?: (answer: SeenAnswer) => void
}

export type TrafficFigures = Figures & { skipped: number; lost: Lost[] }

const TIME_LIMIT_MS = 15_000
const MOST_AT_ONCE = 1_000
/** With no node up there is nobody to ask; callers look again after this. */
const NOBODY_MS = 50
const TICK_MS = 10
const NOWHERE = 'http://127.0.0.1:1'

export async function runTraffic(options: TrafficOptions): Promise<TrafficFigures> {
  const { until, journal = createJournal(), timeLimitMs = TIME_LIMIT_MS, mostAtOnce = MOST_AT_ONCE } = options
  const run = `t${randomBytes(4).toString('hex')}`
  const sender = createSender({ run, timeLimitMs, connections: options.rate ? mostAtOnce : 64 })
  const random = createRandom(options.seed)
  const draw = createLottery(weighted(options.mix ?? {}))
  const acts = new Map(ACTS.map(({ name }) => [name, newFigures()]))
  const all = newFigures()
  const lost: Lost[] = []
  const started = performance.now()
  let words = 0
  let skipped = 0

  async function play(act: Act, seed: number): Promise<void> {
    const chance = createRandom(seed)
    const own = acts.get(act.name) ?? newFigures()
    const turn = createTurn({
      ...options,
      mail: options.mail ?? null,
      act: act.name,
      random: chance,
      journal,
      word: () => `${run}w${++words}`,
      async send(request) {
        const address = await anAddress(chance)
        const begun = performance.now()
        const answer = await sender.send(address, request)
        const ms = performance.now() - begun
        const ending = endingOf(answer.status)
        countRequest(all, ending, ms)
        countRequest(own, ending, ms)
        const { method = request.body === undefined ? 'GET' : 'POST', path } = request
        if (answer.cause !== undefined)
          countLost(lost, answer.cause, `${act.name}: ${method} ${path} at ${address}, ${answer.requestId}`)
        options.onAnswer?.({ ...answer, act: act.name, method, path, ms, atMs: Date.now(), address })
        return answer
      },
    })
    await act.run(turn)
  }

  async function anAddress(draw: () => number): Promise<string> {
    for (;;) {
      const addresses = options.addresses()
      const address = addresses[Math.floor(draw() * addresses.length)]
      if (address) return address
      // Nobody listens there: anyone who is left without a node when all is over ends like any other without an answer.
      if (until.aborted) return NOWHERE
      await sleep(NOBODY_MS)
    }
  }

  const seedOfNext = () => Math.floor(random() * 4_294_967_296)

  async function caller(): Promise<void> {
    while (!until.aborted) await play(draw(random), seedOfNext())
  }

  async function arrivals(rate: (seconds: number) => number): Promise<void> {
    const playing = new Set<Promise<void>>()
    let due = 0
    let seenAt = performance.now()
    while (!until.aborted) {
      await sleep(TICK_MS)
      const now = performance.now()
      due += (rate((now - started) / 1000) * (now - seenAt)) / 1000
      seenAt = now
      for (; due >= 1; due--) {
        if (playing.size >= mostAtOnce) {
          skipped++
          continue
        }
        const one = play(draw(random), seedOfNext()).finally(() => playing.delete(one))
        playing.add(one)
      }
    }
    await Promise.all(playing)
  }

  try {
    const { rate, concurrency = 8, first = [] } = options
    for (const name of first) await play(actNamed(name), seedOfNext())
    if (rate === undefined) await Promise.all(Array.from({ length: concurrency }, caller))
    else await arrivals(typeof rate === 'number' ? () => rate : rate)
  } finally {
    await sender.close()
  }
  return { seconds: (performance.now() - started) / 1000, all, acts: Object.fromEntries(acts), skipped, lost }
}

function actNamed(name: string): Act {
  const act = ACTS.find((one) => one.name === name)
  if (!act) throw new Error(`there is no act ${name}`)
  return act
}

function weighted(mix: Record<string, number>): Array<{ weight: number; what: Act }> {
  return ACTS.map((act) => ({
    weight: mix[act.name] ?? mix[act.name.split('.')[0] ?? ''] ?? act.weight,
    what: act,
  }))
}
