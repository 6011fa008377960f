/**
 * Whether a node takes a request on, decided at the door before any work is done for it. A node that has more to do than
 * it can would make everybody wait until nobody is served in time; so it turns some away at once, with the time to come
 * back, and serves the others well.
 *
 * Four things say how much there is to do: the delay of the event loop, new connections that wait in the system's line, the
 * queue for the database's connections, and the requests that are under way. Each is told as a share of what is still
 * fine; the largest is the pressure. The more it is
 * above one, the more are turned away: first strangers, then callers who brought a session or a token, and last those in
 * the middle of something. It falls below one by a margin before everybody is let in again, so that it does not flutter.
 *
 * While all is well it costs an entry in a set, which is looked through a few times a second.
 */
import type { ServerResponse } from 'node:http'

/** What is turned away first stands first; what is never turned away does not come here. */
export type Kind = 'stranger' | 'known' | 'midway'

export type Reason = 'event_loop' | 'connections' | 'database' | 'under_way'

export type Sample = {
  /** How late the timer was. */
  delayMs: number
  /** Callers in line for a connection to the database. */
  waiting: number
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
  waiting: number
  underWay: number
  /** While the loop does not rest: no more shall be under way than it begins to answer in so long. */
  queueMs: number
}

export type Pressure = { level: number; reason: Reason; shedding: boolean; smoothed: Sample }

export const NO_PRESSURE: Pressure = {
  level: 0,
  reason: 'event_loop',
  shedding: false,
  smoothed: { delayMs: 0, waiting: 0, underWay: 0, arrived: 0, begun: 0, tookMs: 0, used: 0, crowded: 0 },
}

export const SAMPLE_MS = 50
const LATE_MS = 1.5 * SAMPLE_MS
/** The share of a new sample: a single slow moment passes unnoticed, half a second of them does not. */
const WEIGHT = 0.25
/** A crowd at the door is one when it stays for more than half a second; visitors often come in a bunch. */
const SLOW_WEIGHT = 0.06
const CROWD_BOUND = 0.5
const RARELY_RESTS = 0.9
const LEAST_ROOM = 64
/** A busy machine delays a node that has little to do as well; it is not the requests then that are too many. */
const FEW = 16
const CALM = 0.7
const START: Record<Kind, number> = { stranger: 1, known: 1.6, midway: 2.4 }
/** From the level at which the first of a kind is turned away to that at which all are. */
const SPAN = 1

export function nextPressure(before: Pressure, sample: Sample, bounds: Bounds): Pressure {
  const smoothed = {
    delayMs: smooth(before.smoothed.delayMs, sample.delayMs),
    waiting: smooth(before.smoothed.waiting, sample.waiting),
    underWay: smooth(before.smoothed.underWay, sample.underWay),
    arrived: smooth(before.smoothed.arrived, sample.arrived),
    begun: smooth(before.smoothed.begun, sample.begun, SLOW_WEIGHT),
    tookMs: smooth(before.smoothed.tookMs, sample.tookMs, SLOW_WEIGHT),
    used: smooth(before.smoothed.used, sample.used),
    crowded: smooth(before.smoothed.crowded, sample.crowded, SLOW_WEIGHT),
  }
  const many = Math.min(1, Math.max(smoothed.underWay, smoothed.arrived) / FEW)
  const shares: Array<[Reason, number]> = [
    ['event_loop', (smoothed.delayMs / bounds.delayMs) * many],
    ['connections', smoothed.crowded / CROWD_BOUND],
    ['database', smoothed.waiting / bounds.waiting],
    ['under_way', smoothed.underWay / roomFor(smoothed, bounds)],
  ]
  const [reason, level] = shares.reduce((most, one) => (one[1] > most[1] ? one : most))
  return { level, reason, shedding: level > 1 || (before.shedding && level > CALM), smoothed }
}

/**
 * How many may be under way. A node that rests now and then waits for others, as requests for quote do, and may wait for
 * many at once. One that does not rest works, and what it takes on beyond what it can answer soon only makes all wait.
 */
function roomFor({ begun, tookMs, used }: Sample, { underWay, queueMs }: Bounds): number {
  if (used < RARELY_RESTS) return underWay
  const soon = tookMs === 0 ? 0 : (begun / tookMs) * queueMs
  return Math.min(underWay, Math.max(LEAST_ROOM, soon))
}

function smooth(before: number, now: number, weight = WEIGHT): number {
  return before + (now - before) * weight
}

/** The chance to be turned away, from 0 to 1. */
export function chanceOf(kind: Kind, { level, shedding }: Pick<Pressure, 'level' | 'shedding'>): number {
  if (!shedding) return 0
  const start = START[kind] - (1 - CALM)
  return Math.min(1, Math.max(0, (level - start) / SPAN))
}

export type Admission = {
  /** Null when the request is taken on, which counts as work until its answer begins; else why it is not. */
  refuses(response: ServerResponse, kindOf: () => Kind): Reason | null
  pressure(): Pressure
  stop(): void
}

export function createAdmission(input: {
  bounds: Bounds
  waiting(): number
  /** How the loop was used since it was last asked. */
  loop(): { used: number; crowded: boolean }
  /** Told when it begins and ends to turn requests away. */
  onChange?(pressure: Pressure): void
  random?(): number
}): Admission {
  const { bounds, waiting, loop, onChange = () => {}, random = Math.random } = input
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
      waiting: waiting(),
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
