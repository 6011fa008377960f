/**
 * The exact choice behind a plan. Each category takes one of its options or is left out, such that, in this order:
 * the fewest categories are left out; the points of the others are the most that their costs allow within the budget; they
 * cost the least; and the product slugs, read in the order given, come first.
 * Dynamic programming over points: of all ways to fill the categories from some place to the last one, leaving out so
 * many, only the cheapest for each sum of points is kept. It is built from the last category to the first and tries
 * options by slug, so the first of equally cheap ways is the one whose slugs come first. Points are at most some
 * thousands, so this takes milliseconds; a search over sums of cents would not be bounded like that.
 */
import { byText } from '../lib/text.ts'
import type { Option } from './grade.ts'

export type PricedOption = Option & { costCents: number }

type Layer = {
  /** By number left out, then by points: the least cost, Infinity where there is no way. */
  cost: Float64Array[]
  /** The option taken there, LEFT_OUT, or nothing. */
  taken: Int16Array[]
}

const NOTHING = -1
const LEFT_OUT = -2

/** One entry a category; null for those left out. */
export function chooseOptions(all: PricedOption[][], budgetCents: number): Array<PricedOption | null> {
  const categories = all.map((options) => worthKeeping(options, budgetCents))
  const cheapest = categories.map((options) =>
    options.reduce((least, o) => Math.min(least, o.costCents), Infinity),
  )
  const out = fewestLeftOut(cheapest, budgetCents)
  const layers: Layer[] = []
  let below = start(out)
  for (let at = categories.length - 1; at >= 0; at--) {
    below = layerAbove(
      below,
      categories[at] ?? [],
      (left) => budgetCents - leastCost(cheapest.slice(0, at), out - left),
    )
    layers.unshift(below)
  }
  return readChoice(categories, layers, out)
}

/** Without what another option beats on points at no higher cost; by slug. */
function worthKeeping(options: PricedOption[], budgetCents: number): PricedOption[] {
  const byCost = options
    .filter(({ costCents }) => costCents <= budgetCents)
    .sort(
      (a, b) => a.costCents - b.costCents || b.points - a.points || byText(a.product.slug, b.product.slug),
    )
  const kept: PricedOption[] = []
  for (const option of byCost) if (option.points > (kept.at(-1)?.points ?? -1)) kept.push(option)
  return kept.sort((a, b) => byText(a.product.slug, b.product.slug))
}

function fewestLeftOut(cheapest: number[], budgetCents: number): number {
  let out = 0
  while (leastCost(cheapest, out) > budgetCents) out++
  return out
}

/** Of filling all of them but so many. */
function leastCost(cheapest: number[], out: number): number {
  if (out < 0) return Infinity
  const kept = cheapest.toSorted((a, b) => a - b).slice(0, Math.max(0, cheapest.length - out))
  return kept.reduce((sum, cost) => sum + cost, 0)
}

function start(out: number): Layer {
  const cost = Array.from({ length: out + 1 }, (_, left) => Float64Array.of(left === 0 ? 0 : Infinity))
  return { cost, taken: cost.map(() => Int16Array.of(NOTHING)) }
}

/** `limit`: what may be spent from here on, given how many are left out here, so that the categories before can be filled. */
function layerAbove(below: Layer, options: PricedOption[], limit: (left: number) => number): Layer {
  const most = options.reduce((points, option) => Math.max(points, option.points), 0)
  const layer: Layer = { cost: [], taken: [] }
  for (const [left, from] of below.cost.entries()) {
    const cost = new Float64Array(from.length + most).fill(Infinity)
    const taken = new Int16Array(cost.length).fill(NOTHING)
    const max = limit(left)
    for (const [at, { points, costCents }] of options.entries()) {
      const room = max - costCents
      if (room < 0) continue
      for (let sum = 0; sum < from.length; sum++) {
        const base = from[sum] as number
        // Strictly cheaper, so that of equally cheap ways the earlier slug stays.
        if (base <= room && base + costCents < (cost[sum + points] as number)) {
          cost[sum + points] = base + costCents
          taken[sum + points] = at
        }
      }
    }
    const fewer = below.cost[left - 1] ?? new Float64Array()
    for (let sum = 0; sum < fewer.length; sum++) {
      const total = fewer[sum] as number
      if (total <= max && total < (cost[sum] as number)) {
        cost[sum] = total
        taken[sum] = LEFT_OUT
      }
    }
    layer.cost.push(cost)
    layer.taken.push(taken)
  }
  return layer
}

function readChoice(categories: PricedOption[][], layers: Layer[], out: number): Array<PricedOption | null> {
  let left = out
  let points = layers[0]?.cost[left]?.findLastIndex((cost) => cost < Infinity) ?? 0
  return categories.map((options, at) => {
    const taken = layers[at]?.taken[left]?.[points] ?? NOTHING
    const option = options[taken]
    if (!option) left--
    else points -= option.points
    return option ?? null
  })
}
