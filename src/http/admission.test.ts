import { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  type Bounds,
  chanceOf,
  createAdmission,
  type Kind,
  NO_PRESSURE,
  nextPressure,
  SAMPLE_MS,
} from './admission.ts'

const BOUNDS: Bounds = { delayMs: 80, waiting: 100, underWay: 1_000, queueMs: 1_000 }
const QUIET = {
  delayMs: 0,
  waiting: 0,
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

/**
 * A node as Node runs it: each turn of its loop works off what came during the turn before, and the timer comes between
 * two turns. `load` is what comes, as a share of what can be done; a turn takes as long as what it works off.
 */
function simulate(phases: Array<{ load: number; seconds: number }>) {
  const perMs = 1
  let pressure = NO_PRESSURE
  let turnMs = 1
  let sinceLookMs = 0
  let arrived = 0
  const seconds: Array<{ admitted: number; shed: number; longestMs: number }> = []
  for (const { load, seconds: length } of phases)
    for (let second = 0; second < length; second++) {
      const told = { admitted: 0, shed: 0, longestMs: 0 }
      for (let passed = 0; passed < 1_000; passed += turnMs) {
        const came = load * perMs * turnMs
        const shed = came * chanceOf('stranger', pressure)
        turnMs = Math.max(1, (came - shed + shed * SHED_COST) / perMs)
        told.admitted += came - shed
        told.shed += shed
        told.longestMs = Math.max(told.longestMs, turnMs)
        arrived += came
        sinceLookMs += turnMs
        if (sinceLookMs < SAMPLE_MS) continue
        pressure = nextPressure(pressure, { ...QUIET, delayMs: sinceLookMs - SAMPLE_MS, arrived }, BOUNDS)
        sinceLookMs = 0
        arrived = 0
      }
      seconds.push(told)
    }
  return seconds
}

describe('under simulated load', () => {
  test('below what it can do, a node turns nobody away', () => {
    for (const { shed } of simulate([{ load: 0.95, seconds: 20 }])) expect(shed).toBe(0)
  })

  test.each([1.2, 2, 5])(
    'at %d times what it can do it serves about what it can, and nobody waits long',
    (load) => {
      const seconds = simulate([{ load, seconds: 30 }]).slice(5)
      const sum = (name: 'admitted' | 'shed') => seconds.reduce((total, one) => total + one[name], 0)
      const served = (load * sum('admitted')) / (sum('admitted') + sum('shed'))
      expect(served).toBeGreaterThan(0.8)
      expect(served).toBeLessThan(1.05)
      expect(Math.max(...seconds.map(({ longestMs }) => longestMs))).toBeLessThan(6 * BOUNDS.delayMs)
    },
  )

  test('when the load is gone it takes everybody again within two seconds', () => {
    const seconds = simulate([
      { load: 4, seconds: 10 },
      { load: 0.5, seconds: 5 },
    ])
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
    const slow = { ...QUIET, delayMs: 300, arrived: 50 }
    expect(after(1, slow).shedding).toBe(false)
    expect(after(10, slow)).toMatchObject({ shedding: true, reason: 'event_loop' })
  })

  test('a node that has little to do turns nobody away because its machine is busy', () => {
    expect(after(200, { ...QUIET, delayMs: 300, arrived: 4, underWay: 3 }).shedding).toBe(false)
  })

  test('a queue for the database and too many under way count by themselves', () => {
    expect(after(50, { ...QUIET, waiting: 250 })).toMatchObject({ shedding: true, reason: 'database' })
    expect(after(50, { ...QUIET, underWay: 1_500 })).toMatchObject({ shedding: true, reason: 'under_way' })
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
    expect(KINDS.map((kind) => chanceOf(kind, { level: 1.2, shedding: true }) > 0)).toEqual([
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
    waiting: () => 0,
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
