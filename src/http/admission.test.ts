import { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { chanceOf, createAdmission, type Kind, NO_PRESSURE, nextPressure, SAMPLE_MS } from './admission.ts'
import { boundsFor } from './shed.ts'

const BOUNDS = boundsFor({ poolSize: 10 })
const QUIET = {
  delayMs: 0,
  waiting: 0,
  handedOut: 0,
  underWay: 0,
  arrived: 0,
  begun: 0,
  tookMs: SAMPLE_MS,
  used: 0,
  crowded: 0,
}
const KINDS: Kind[] = ['stranger', 'known', 'midway']

/** Turning somebody away is not free either. */
const SHED_COST = 0.03

type Phase = {
  seconds: number
  /** The work that comes while a turn of the loop takes so long, in milliseconds; each request is one of them. */
  comes(turnMs: number): number
}
/** They come at their own pace, whether answers come or not; `load` is a share of what can be done. */
const open = (load: number, seconds: number): Phase => ({ seconds, comes: (turnMs) => load * turnMs })
/** Each asks anew when it was answered, so that every turn brings all of them. */
const closed = (clients: number, costMs: number): Phase => ({ seconds: 20, comes: () => clients * costMs })

/**
 * A node as Node runs it: each turn of its loop works off what came during the turn before, and looks on the way when it
 * takes long; the timer comes between two turns.
 */
function simulate(...phases: Phase[]) {
  let pressure = NO_PRESSURE
  let turnMs = 1
  let [sinceTimerMs, sinceLookMs, arrived] = [0, 0, 0]
  const look = () => {
    const delayMs = Math.max(0, sinceTimerMs - SAMPLE_MS)
    pressure = nextPressure(pressure, { ...QUIET, delayMs, arrived, tookMs: sinceLookMs }, BOUNDS)
    ;[sinceLookMs, arrived] = [0, 0]
  }
  const seconds: Array<{ admitted: number; shed: number; longestMs: number }> = []
  for (const { comes, seconds: length } of phases)
    for (let second = 0; second < length; second++) {
      const told = { admitted: 0, shed: 0, longestMs: 0 }
      for (let passed = 0; passed < 1_000; passed += turnMs) {
        const came = comes(turnMs)
        turnMs = 0
        for (let left = came; left > 0; left -= 5) {
          const few = Math.min(5, left)
          const shed = few * chanceOf('stranger', pressure)
          const tookMs = few - shed + shed * SHED_COST
          told.admitted += few - shed
          told.shed += shed
          arrived += few
          turnMs += tookMs
          sinceTimerMs += tookMs
          sinceLookMs += tookMs
          if (sinceLookMs > 1.5 * SAMPLE_MS) look()
        }
        const restMs = Math.max(0, 1 - turnMs)
        turnMs += restMs
        sinceTimerMs += restMs
        sinceLookMs += restMs
        told.longestMs = Math.max(told.longestMs, turnMs)
        if (sinceTimerMs < SAMPLE_MS) continue
        look()
        sinceTimerMs = 0
      }
      seconds.push(told)
    }
  return seconds
}

describe('under simulated load', () => {
  test('below what it can do, a node turns nobody away', () => {
    for (const { shed } of simulate(open(0.95, 20))) expect(shed).toBe(0)
  })

  test.each([1.2, 2, 5])(
    'at %d times what it can do it serves about what it can, and nobody waits long',
    (load) => {
      const seconds = simulate(open(load, 30)).slice(5)
      const sum = (name: 'admitted' | 'shed') => seconds.reduce((total, one) => total + one[name], 0)
      const served = (load * sum('admitted')) / (sum('admitted') + sum('shed'))
      expect(served).toBeGreaterThan(0.8)
      expect(served).toBeLessThan(1.05)
      expect(Math.max(...seconds.map(({ longestMs }) => longestMs))).toBeLessThan(3 * BOUNDS.delayMs)
    },
  )

  test.each([
    [300, 2],
    [200, 3],
    [100, 5],
  ])(
    '%d clients that wait for answers of %d ms are served later, and none is turned away',
    (clients, costMs) => {
      for (const { shed } of simulate(closed(clients, costMs))) expect(shed).toBe(0)
    },
  )

  test('so many that each waits for seconds are too many', () => {
    expect(simulate(closed(1_000, 2)).at(-1)?.shed).toBeGreaterThan(0)
  })

  test('when the load is gone it takes everybody again within two seconds', () => {
    const seconds = simulate(open(4, 10), open(0.5, 5))
    expect(seconds[9]?.shed).toBeGreaterThan(0)
    for (const { shed } of seconds.slice(12)) expect(shed).toBe(0)
  })
})

describe('the pressure', () => {
  const after = (samples: number, sample: typeof QUIET, before = NO_PRESSURE) => {
    let pressure = before
    for (let n = 0; n < samples; n++) pressure = nextPressure(pressure, sample, BOUNDS)
    return pressure
  }

  test('one slow moment passes unnoticed, half a second of them does not', () => {
    const slow = { ...QUIET, delayMs: 700, arrived: 50 }
    expect(after(1, slow).shedding).toBe(false)
    expect(after(10, slow)).toMatchObject({ shedding: true, reason: 'event_loop' })
  })

  test('nor is a pause noticed, however long it was and how often it is told', () => {
    const paused = { ...QUIET, delayMs: 3_600_000, tookMs: 3_600_000, arrived: 200 }
    const told = nextPressure(nextPressure(NO_PRESSURE, paused, BOUNDS), { ...paused, tookMs: 4 }, BOUNDS)
    expect(told).toMatchObject({ shedding: false, smoothed: { delayMs: expect.any(Number) } })
    expect(after(100, { ...QUIET, arrived: 20 }, told).level).toBeLessThan(0.01)
  })

  test('a node that has little to do turns nobody away because its machine is busy', () => {
    expect(after(200, { ...QUIET, delayMs: 700, arrived: 4, underWay: 3 }).shedding).toBe(false)
  })

  test('a queue for the database and too many under way count by themselves', () => {
    expect(after(50, { ...QUIET, waiting: 250 })).toMatchObject({ shedding: true, reason: 'database' })
    expect(after(50, { ...QUIET, underWay: 1_500 })).toMatchObject({ shedding: true, reason: 'under_way' })
  })

  test('many may wait for the database where the line moves fast, and few where it stands', () => {
    const line = { ...QUIET, waiting: 220 }
    for (let samples = 1; samples < 100; samples++)
      expect(after(samples, { ...line, handedOut: 20 }).shedding).toBe(false)
    const stands = after(100, { ...line, handedOut: 2 }, after(100, { ...line, handedOut: 20 }))
    expect(stands).toMatchObject({ shedding: true, reason: 'database' })
    const later = after(100, QUIET, stands)
    for (let samples = 1; samples < 100; samples++)
      expect(after(samples, { ...line, handedOut: 20 }, later).shedding).toBe(false)
  })

  test('what a node can do is not judged by the time in which it had little to do', () => {
    const quiet = after(1_000, { ...QUIET, begun: 1, underWay: 1, used: 0.2 })
    const burst = { ...QUIET, underWay: 220, begun: 20, used: 1 }
    for (let samples = 1; samples < 100; samples++) expect(after(samples, burst, quiet).shedding).toBe(false)
    expect(after(100, { ...burst, begun: 5 }, quiet)).toMatchObject({ shedding: true, reason: 'under_way' })
  })

  test('a node that does not rest takes on what it can answer soon; one that waits for others takes more', () => {
    const slow = { ...QUIET, underWay: 200, begun: 2 }
    expect(after(100, { ...slow, used: 1 })).toMatchObject({ shedding: true, reason: 'under_way' })
    expect(after(100, { ...slow, used: 0.5 }).shedding).toBe(false)
    expect(after(100, { ...slow, used: 1, begun: 20 }).shedding).toBe(false)
    expect(after(100, { ...slow, used: 1, underWay: 60 }).shedding).toBe(false)
  })

  test('a crowd of new connections counts when it stays, and leaves those in peace who are in the middle of something', () => {
    expect(after(10, { ...QUIET, crowded: 1 }).shedding).toBe(false)
    const crowded = after(100, { ...QUIET, crowded: 1 })
    expect(crowded).toMatchObject({ shedding: true, reason: 'connections' })
    expect(chanceOf('stranger', crowded)).toBeGreaterThan(0.9)
    expect(chanceOf('midway', crowded)).toBe(0)
  })

  test('it ends below the level at which it began', () => {
    const high = after(100, { ...QUIET, waiting: 120 })
    expect(high.shedding).toBe(true)
    const between = after(100, { ...QUIET, waiting: 85 }, high)
    expect([between.shedding, between.level < 1]).toEqual([true, true])
    expect(after(100, { ...QUIET, waiting: 60 }, between).shedding).toBe(false)
    expect(after(100, { ...QUIET, waiting: 85 }).shedding).toBe(false)
  })

  test('strangers are turned away first, then callers with a token, then those in the middle of something', () => {
    let before: number[] = [0, 0, 0]
    for (let level = 0; level <= 4; level += 0.05) {
      const chances = KINDS.map((kind) => chanceOf(kind, { level, shedding: level > 1 }))
      const [stranger = 0, known = 0, midway = 0] = chances
      expect(stranger).toBeGreaterThanOrEqual(known)
      expect(known).toBeGreaterThanOrEqual(midway)
      chances.forEach((chance, at) => {
        expect(chance).toBeGreaterThanOrEqual(before[at] ?? 0)
      })
      before = chances
    }
    expect(before).toEqual([1, 1, 1])
    expect(KINDS.map((kind) => chanceOf(kind, { level: 1.05, shedding: true }) > 0)).toEqual([
      true,
      false,
      false,
    ])
    expect(KINDS.map((kind) => chanceOf(kind, { level: 1.7, shedding: true }) > 0)).toEqual([
      true,
      true,
      false,
    ])
  })
})

test('a burst between two looks is bounded; answers that have begun, as streams have, leave room', () => {
  const admission = createAdmission({
    bounds: { ...BOUNDS, underWay: 10 },
    line: () => ({ waiting: 0, handedOut: 0 }),
    loop: () => ({ used: 0, crowded: false }),
  })
  const answer = () => new ServerResponse({ method: 'GET' } as never)
  const taken = Array.from({ length: 20 }, answer)
  for (const one of taken) expect(admission.refuses(one, () => 'known')).toBeNull()
  expect(admission.refuses(answer(), () => 'known')).toBe('under_way')
  for (const stream of taken.slice(0, 5)) stream.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (let n = 0; n < 5; n++) expect(admission.refuses(answer(), () => 'known')).toBeNull()
  expect(admission.refuses(answer(), () => 'known')).toBe('under_way')
  admission.stop()
})
