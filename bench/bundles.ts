/**
 * What planning a bundle takes apart from the embedding: every written wish once to have its words embedded and remembered,
 * then again with a clock. Reading, choosing, candidates and the exact plan are all in it; the words are not.
 */
import { createDemoSearch } from '../eval/demo.ts'
import { readWishes, tryWish } from '../eval/wishes.ts'
import type { Figures } from './figures.ts'
import { figureOf, median, printTable } from './measure.ts'

const ROUNDS = 5

export async function benchBundles(): Promise<Figures> {
  const search = await createDemoSearch()
  const wishes = readWishes().filter(({ bundle }) => bundle)
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    for (const wish of wishes) {
      const started = performance.now()
      await tryWish(search, wish)
      if (round > 0) times.push(performance.now() - started)
    }
  }
  await search.close()
  times.sort((a, b) => a - b)
  const slow = times[Math.floor(times.length * 0.95)] ?? 0
  printTable(
    `Planning ${wishes.length} wishes, without the embedding`,
    ['', 'ms'],
    [
      ['median', median(times).toFixed(1)],
      ['95 of 100 within', slow.toFixed(1)],
      ['slowest', (times.at(-1) ?? 0).toFixed(1)],
    ],
  )
  return { 'bundles.plan_ms': figureOf(times), 'bundles.plan_ms_95': figureOf([slow]) }
}
