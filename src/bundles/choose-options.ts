/**
 * The exact choice behind a plan. Each line takes one of its options or none, such that, in this order: the fewest required
 * lines take none; the fewest lines lose the option they prefer; the fewest required lines take a flawed option; the
 * points are the most that the costs allow within the budget; the cost is least; the product slugs, read in the order
 * given, come first.
 * Dynamic programming over points: of all ways to fill the lines from some place to the last one, leaving so many required
 * ones open, only the cheapest for each sum is kept. What ranks before points is a bonus greater than all points
 * together. It is built from the last line to the first and tries options by slug, so the first of equally cheap ways is
 * the one whose slugs come first. Sums are at most some thousands, so this takes milliseconds; a search over sums of
 * cents would not be bounded like that.
 */
import { byText } from '../lib/text.ts'
import type { Option } from './grade.ts'

export type PricedOption = Option & { costCents: number; prefers: boolean }
export type Line = { options: PricedOption[]; required: boolean }

type Valued = PricedOption & { value: number }
type Layer = {
  /** By number of required lines left open, then by value: the least cost, Infinity where there is no way. */
  cost: Float64Array[]
  /** The option taken there, OPEN, or nothing. */
  taken: Int16Array[]
}

const NOTHING = -1
const OPEN = -2

/** One entry a line; null for those left open. */
export function chooseOptions(all: readonly Line[], budgetCents: number): Array<PricedOption | null> {
  const lines = valued(all).map(({ options, required }) => ({
    options: worthKeeping(options, budgetCents),
    required,
  }))
  const cheapest = lines.map(({ options, required }) =>
    required ? options.reduce((least, { costCents }) => Math.min(least, costCents), Infinity) : 0,
  )
  const open = fewestOpen(cheapest, budgetCents)
  const layers: Layer[] = []
  let below = start(open)
  for (let at = lines.length - 1; at >= 0; at--) {
    below = layerAbove(
      below,
      lines[at] ?? { options: [], required: false },
      (left) => budgetCents - leastCost(cheapest.slice(0, at), open - left),
    )
    layers.unshift(below)
  }
  return readChoice(lines, layers, open)
}

/** Points with the bonuses of what ranks before them; a bonus that could not tell ways apart is 0. */
function valued(lines: readonly Line[]): Array<{ options: Valued[]; required: boolean }> {
  const points = lines.reduce((sum, { options }) => sum + most(options.map((option) => option.points)), 0)
  const mixed = lines.some(({ options, required }) => required && options.some(({ flaw }) => flaw !== null))
  const sound = mixed ? points + 1 : 0
  const stay = lines.some(({ options }) => options.some(({ prefers }) => prefers))
    ? points + 4 * sound * lines.length + 1
    : 0
  const soundness = ({ flaw, prefers }: PricedOption) =>
    sound * (flaw === null || prefers ? 4 : flaw === 'share' ? 2 : flaw === 'other_use' ? 1 : 0)
  return lines.map(({ options, required }) => ({
    required,
    options: options.map((option) => ({
      ...option,
      value: option.points + (required ? soundness(option) : 0) + (option.prefers ? stay : 0),
    })),
  }))
}

function most(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), 0)
}

/** Without what another option beats on value at no higher cost; by slug. */
function worthKeeping(options: Valued[], budgetCents: number): Valued[] {
  const byCost = options
    .filter(({ costCents }) => costCents <= budgetCents)
    .sort((a, b) => a.costCents - b.costCents || b.value - a.value || byText(a.product.slug, b.product.slug))
  const kept: Valued[] = []
  for (const option of byCost) if (option.value > (kept.at(-1)?.value ?? -1)) kept.push(option)
  return kept.sort((a, b) => byText(a.product.slug, b.product.slug))
}

function fewestOpen(cheapest: number[], budgetCents: number): number {
  let open = 0
  while (leastCost(cheapest, open) > budgetCents) open++
  return open
}

/** Of filling all of them but so many. */
function leastCost(cheapest: number[], open: number): number {
  if (open < 0) return Infinity
  const kept = cheapest.toSorted((a, b) => a - b).slice(0, Math.max(0, cheapest.length - open))
  return kept.reduce((sum, cost) => sum + cost, 0)
}

function start(open: number): Layer {
  const cost = Array.from({ length: open + 1 }, (_, left) => Float64Array.of(left === 0 ? 0 : Infinity))
  return { cost, taken: cost.map(() => Int16Array.of(NOTHING)) }
}

/** `limit`: what may be spent from here on, given how many are open here, so that the lines before can be filled. */
function layerAbove(
  below: Layer,
  { options, required }: { options: Valued[]; required: boolean },
  limit: (left: number) => number,
): Layer {
  const greatest = most(options.map(({ value }) => value))
  const layer: Layer = { cost: [], taken: [] }
  for (const [left, from] of below.cost.entries()) {
    const cost = new Float64Array(from.length + greatest).fill(Infinity)
    const taken = new Int16Array(cost.length).fill(NOTHING)
    const max = limit(left)
    for (const [at, { value, costCents }] of options.entries()) {
      const room = max - costCents
      if (room < 0) continue
      for (let sum = 0; sum < from.length; sum++) {
        const base = from[sum] as number
        // Strictly cheaper, so that of equally cheap ways the earlier slug stays.
        if (base <= room && base + costCents < (cost[sum + value] as number)) {
          cost[sum + value] = base + costCents
          taken[sum + value] = at
        }
      }
    }
    const without = (required ? below.cost[left - 1] : from) ?? new Float64Array()
    for (let sum = 0; sum < without.length; sum++) {
      const total = without[sum] as number
      if (total <= max && total < (cost[sum] as number)) {
        cost[sum] = total
        taken[sum] = OPEN
      }
    }
    layer.cost.push(cost)
    layer.taken.push(taken)
  }
  return layer
}

function readChoice(
  lines: ReadonlyArray<{ options: Valued[]; required: boolean }>,
  layers: Layer[],
  open: number,
): Array<PricedOption | null> {
  let left = open
  let value = layers[0]?.cost[left]?.findLastIndex((cost) => cost < Infinity) ?? 0
  return lines.map(({ options, required }, at) => {
    const taken = layers[at]?.taken[left]?.[value] ?? NOTHING
    const option = options[taken]
    if (option) value -= option.value
    else if (required) left--
    return option ?? null
  })
}
