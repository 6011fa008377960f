/**
 * Whether a node takes a request on, decided before any work is done for it. A node that has more to do than
 * it can would make everybody wait until nobody is served in time; so it turns some away at once, with the time to come
 * back, and serves the others well.
 *
 * Four things say how much there is to do: the delay of the event loop, new connections that wait in the system's line, the
 * queue for the database's connections, and the requests that are under way. Each is a share of what is still
 * fine; the largest is the pressure. Lines are measured in time, not in heads: many may wait where it goes fast. The more it
 * is above one, the more are turned away: first strangers, then callers who brought a session or a token, and last those in
 * the middle of something. It falls below one by a margin before everybody is let in again, so that it does not flutter.
 *
 * While all is well it costs an entry in a set, which is looked through a few times a second.
 */
import type { ServerResponse } from 'node:http'

/** What is turned away first stands first; what is never turned away does not come here. */
export type Kind = 'stranger' | 'known' | 'midway'

type Reason = 'event_loop' | 'connections' | 'database' | 'under_way'

type Sample = {
  /** How late the timer was. */
  delayMs: number
  /** Callers in line for a connection to the database. */
  waiting: number
  /** Connections to the database that were given to somebody since the last sample. */
  handedOut: number
  /** Requests that were taken on and whose answer has not begun. */
  underWay: number
  /** Requests that came since the last sample. */
  arrived: number
  /** Answers that have begun since the last sample. */
  begun: number
  /** Since the last sample. */
  tookMs: number
  /** The part of that time in which the loop did not rest, from 0 to 1. */
  used: number
  /** 1 when the loop never rested and found a new connection in each of its turns, else 0: see `createCrowdWatch`. */
  crowded: number
}

export type Bounds = {
  /** The delay of the event loop that is still fine. */
  delayMs: number
  /** So many may wait for the database however slow it is. */
  waiting: number
  underWay: number
  /** No more may wait, for the loop or for the database, than are served in so long. */
  queueMs: number
}

/** How much was done in the times in which there was always more to do: from them it is known what can be done. */
type Pace = { done: number; ms: number }

export type Pressure = {
  level: number
  reason: Reason
  shedding: boolean
  smoothed: Pick<Sample, 'delayMs' | 'waiting' | 'underWay' | 'arrived' | 'used' | 'crowded'>
  /** Of the loop and of the database's connections. */
  paces: { answers: Pace; connections: Pace }
}

export const NO_PRESSURE: Pressure = {
  level: 0,
  reason: 'event_loop',
  shedding: false,
  smoothed: { delayMs: 0, waiting: 0, underWay: 0, arrived: 0, used: 0, crowded: 0 },
  paces: { answers: { done: 0, ms: 0 }, connections: { done: 0, ms: 0 } },
}

export const SAMPLE_MS = 50
const LATE_MS = 1.5 * SAMPLE_MS
/** The share of a new sample: a single slow moment passes unnoticed, half a second of them does not. */
const WEIGHT = 0.25
/** A crowd is one when it stays for more than half a second; visitors often come in a bunch. */
const SLOW_WEIGHT = 0.06
/** Of the bound. A node that stood still for long, or slept with its machine, is not judged by that one moment. */
const LONGEST_DELAY = 3
/** A pace is known after most of a second. */
const KNOWN_MS = 0.6 * SAMPLE_MS
const CROWD_BOUND = 0.5
const RARELY_RESTS = 0.9
const LEAST_ROOM = 64
/** A busy machine delays a node that has little to do as well; it is not the requests then that are too many. */
const FEW = 16
const CALM = 0.7
const START: Record<Kind, number> = { stranger: 1, known: 1.4, midway: 2.4 }
/**
 * From the level at which the first of a kind is turned away to that at which all are. The shorter, the less those who are
 * served wait beyond what is fine; but it must be long enough to come to rest between none and all.
 */
const SPAN = 0.6

export function nextPressure(before: Pressure, sample: Sample, bounds: Bounds): Pressure {
  // A look that follows close upon another tells the same moment again.
  const weight = WEIGHT * Math.min(1, sample.tookMs / SAMPLE_MS)
  const delayMs = Math.min(sample.delayMs, LONGEST_DELAY * bounds.delayMs)
  const smoothed = {
    delayMs: smooth(before.smoothed.delayMs, delayMs, weight),
    waiting: smooth(before.smoothed.waiting, sample.waiting, weight),
    underWay: smooth(before.smoothed.underWay, sample.underWay, weight),
    arrived: smooth(before.smoothed.arrived, sample.arrived, weight),
    used: smooth(before.smoothed.used, sample.used, weight),
    crowded: smooth(before.smoothed.crowded, sample.crowded, SLOW_WEIGHT),
  }
  const paces = nextPaces(before.paces, sample)
  const many = Math.min(1, Math.max(smoothed.underWay, smoothed.arrived) / FEW)
  const { queueMs } = bounds
  // A node that rests now and then waits for others, as requests for quote do, and may wait for many at once.
  const room = smoothed.used < RARELY_RESTS ? bounds.underWay : servedIn(queueMs, paces.answers, LEAST_ROOM)
  const shares: Array<[Reason, number]> = [
    ['event_loop', (smoothed.delayMs / bounds.delayMs) * many],
    ['connections', smoothed.crowded / CROWD_BOUND],
    ['database', smoothed.waiting / servedIn(queueMs, paces.connections, bounds.waiting)],
    ['under_way', smoothed.underWay / Math.min(bounds.underWay, room)],
  ]
  const [reason, level] = shares.reduce((most, one) => (one[1] > most[1] ? one : most))
  return { level, reason, shedding: level > 1 || (before.shedding && level > CALM), smoothed, paces }
}

function nextPaces({ answers, connections }: Pressure['paces'], sample: Sample): Pressure['paces'] {
  const { begun, handedOut, tookMs, underWay, used, waiting } = sample
  return {
    answers: nextPace(answers, begun, used >= RARELY_RESTS && underWay >= FEW ? tookMs : 0),
    connections: nextPace(connections, handedOut, waiting > 0 ? tookMs : 0),
  }
}

/** A time in which there was not always more to do counts as none; so a pace of long ago is forgotten. */
function nextPace({ done, ms }: Pace, nowDone: number, tookMs: number): Pace {
  const counted = tookMs > 0 ? nowDone : 0
  return { done: smooth(done, counted, SLOW_WEIGHT), ms: smooth(ms, tookMs, SLOW_WEIGHT) }
}

/** How many are served in that time, at least `least`; any number while that is not known. */
function servedIn(ms: number, pace: Pace, least: number): number {
  return pace.ms < KNOWN_MS ? Number.POSITIVE_INFINITY : Math.max(least, (pace.done / pace.ms) * ms)
}

function smooth(before: number, now: number, weight: number): number {
  return before + (now - before) * weight
}

/** The chance to be turned away, from 0 to 1. */
export function chanceOf(kind: Kind, { level, shedding }: Pick<Pressure, 'level' | 'shedding'>): number {
  if (!shedding) return 0
  const start = START[kind] - (1 - CALM)
  return Math.min(1, Math.max(0, (level - start) / SPAN))
}

type Admission = {
  /** Null when the request is taken on, which counts as work until its answer begins; else why it is not. */
  refuses(response: ServerResponse, kindOf: () => Kind): Reason | null
  pressure(): Pressure
  stop(): void
}

export function createAdmission(input: {
  bounds: Bounds
  /** Who is in line for the database, and how many got a connection since it was last asked. */
  line(): { waiting: number; handedOut: number }
  /** How the loop was used since it was last asked. */
  loop(): { used: number; crowded: boolean }
  /** Called when it begins and ends to turn requests away. */
  onChange?(pressure: Pressure): void
  random?(): number
}): Admission {
  const { bounds, line, loop, onChange = () => {}, random = Math.random } = input
  const underWay = new Set<ServerResponse>()
  let pressure = NO_PRESSURE
  let arrived = 0
  let begun = 0
  let lookedAt = performance.now()
  let due = lookedAt + SAMPLE_MS

  /** Streams have begun their answer, so they are no work under way, however long they stay. */
  function forgetBegun(): void {
    for (const response of underWay) {
      if (!response.headersSent && !response.closed) continue
      underWay.delete(response)
      begun++
    }
  }

  function look(now: number): void {
    const delayMs = Math.max(0, now - due)
    const tookMs = now - lookedAt
    lookedAt = now
    forgetBegun()
    const before = pressure
    const { used, crowded } = loop()
    const sample = {
      ...{ delayMs, tookMs, used, arrived, begun },
      ...line(),
      underWay: underWay.size,
      crowded: crowded ? 1 : 0,
    }
    arrived = 0
    begun = 0
    pressure = nextPressure(before, sample, bounds)
    if (pressure.shedding !== before.shedding) onChange(pressure)
  }

  /** Between two looks a burst may bring more than can be held. */
  function isFull(): boolean {
    if (underWay.size < bounds.underWay * 2) return false
    forgetBegun()
    return underWay.size >= bounds.underWay * 2
  }

  const timer = setInterval(() => {
    const now = performance.now()
    look(now)
    due = now + SAMPLE_MS
  }, SAMPLE_MS).unref()
  return {
    refuses(response, kindOf) {
      arrived++
      const now = performance.now()
      // Hundreds may come in one turn of the loop, and the timer only comes after the last of them.
      if (now - lookedAt > LATE_MS) look(now)
      if (pressure.shedding && random() < chanceOf(kindOf(), pressure)) return pressure.reason
      if (isFull()) return 'under_way'
      underWay.add(response)
      return null
    },
    pressure: () => pressure,
    stop: () => clearInterval(timer),
  }
}
