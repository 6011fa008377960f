/** Chance that a seed decides, so that a trial can be had again. */

export type Random = () => number

/** mulberry32: small, quick, and good enough to draw lots. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function pickFrom<T>(random: Random, list: readonly T[]): T {
  const picked = list[Math.floor(random() * list.length)]
  if (picked === undefined) throw new Error('there is nothing to pick from')
  return picked
}

/** A drawer over weights: heavier things come up more often. */
export function createLottery<T>(entries: ReadonlyArray<{ weight: number; what: T }>): (random: Random) => T {
  const sum = entries.reduce((total, { weight }) => total + weight, 0)
  return (random) => {
    let left = random() * sum
    for (const { weight, what } of entries) {
      left -= weight
      if (left < 0) return what
    }
    const last = entries.at(-1)
    if (!last) throw new Error('there is nothing to draw')
    return last.what
  }
}
