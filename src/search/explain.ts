/** Says how an answer came about, for those who ask: what was understood of the query, and what put each product where it is. */
import { contributions, type Ranked, type RankQuery, type Weights } from './rank/rank.ts'
import type { Explanation, SearchResult } from './search.schema.ts'

export function explainResult(
  ranked: Ranked,
  at: number,
  weights: Weights,
  /** The place that the operator gave it; null where none was given. */
  pin: number | null,
): SearchResult['explain'] {
  const because = contributions(ranked.featuresAt(at), weights)
  const boost = ranked.boostAt(at)
  // Pins come in their order whatever their score.
  const rules = [
    ...(pin === null ? [] : [{ feature: 'operator_pin', value: pin }]),
    ...(boost === 0 ? [] : [{ feature: 'operator_boost', value: boost }]),
  ]
  return {
    score: Number((ranked.scores[at] ?? 0).toFixed(3)),
    because: [...rules, ...because].map(({ feature, value }) => ({
      feature,
      value: Number(value.toFixed(3)),
    })),
  }
}

export function explainQuery(
  { understood, vector }: RankQuery,
  candidates: number,
  matching: number,
  /** How many products there are, and how many of them are found by meaning. */
  catalog: { size: number; embedded: number },
  /** What the operator's rules did. */
  rules: Explanation['understood'],
): Explanation {
  const { budget } = understood
  const dollars = (cents: number | null) => (cents === null ? null : cents / 100)
  return {
    mode: vector ? 'semantic' : 'keyword',
    understood: [...understood.notes, ...rules],
    budget: budget && {
      min: dollars(budget.minCents),
      max: dollars(budget.maxCents),
      firm: !budget.approximate,
    },
    candidates,
    matching,
    ...meaningShare(catalog),
  }
}

function meaningShare({ size, embedded }: { size: number; embedded: number }) {
  const share = size === 0 ? 1 : Math.floor((embedded / size) * 1_000) / 1_000
  if (share === 1) return { embedded: 1 }
  const percent = Math.floor(share * 100)
  return {
    embedded: share,
    note: `Semantic search covers ${percent} % of the catalog so far; the rest is matched by words only.`,
  }
}
