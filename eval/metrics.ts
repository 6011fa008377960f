/** How good a ranking is, for one query. Unjudged products count as irrelevant. */
import { ndcg } from '../src/search/ndcg.ts'
import { createChance } from './sets/make.ts'

export type Scores = { ndcg10: number; mrr10: number; recall100: number; hit1: number; hit5: number }

export { ndcg }

export function score(ranked: string[], grades: Map<string, number>): Scores {
  const top = Math.max(...grades.values(), 1)
  const first = ranked.findIndex((id) => (grades.get(id) ?? 0) === top)
  const relevant = [...grades].filter(([, grade]) => grade >= 1).map(([id]) => id)
  const found = new Set(ranked.slice(0, 100))
  return {
    ndcg10: ndcg(ranked, grades, 10),
    mrr10: first >= 0 && first < 10 ? 1 / (first + 1) : 0,
    recall100: relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length,
    hit1: first === 0 ? 1 : 0,
    hit5: first >= 0 && first < 5 ? 1 : 0,
  }
}

export function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Where the mean difference of two systems on the same queries lies in 95 of 100 samples of those queries (seeded). */
export function bootstrapInterval(a: number[], b: number[], rounds = 5_000): [low: number, high: number] {
  const differences = a.map((value, index) => value - (b[index] ?? 0))
  const chance = createChance(12_345)
  const means = Float64Array.from({ length: rounds }, () => {
    let sum = 0
    for (let drawn = 0; drawn < differences.length; drawn++) sum += chance.pick(differences)
    return sum / Math.max(1, differences.length)
  }).sort()
  return [means[Math.floor(rounds * 0.025)] ?? 0, means[Math.ceil(rounds * 0.975) - 1] ?? 0]
}
