/** The choice against every other choice there is, on inputs small enough to try them all. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { productOf } from '../../test/bundles.ts'
import { byText } from '../lib/text.ts'
import { chooseOptions, type Line, type PricedOption } from './choose-options.ts'
import type { Flaw } from './grade.ts'

type Choice = Array<PricedOption | null>

const products = Array.from({ length: 25 }, (_, at) =>
  productOf(`p${String((at * 7) % 25).padStart(2, '0')}`),
)

// Few different values, so that ties are common.
const anyOption = fc.record({
  points: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 400 })),
  costCents: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 60_000 })),
  flaw: fc.option(fc.constantFrom<Flaw[]>('share', 'other_use', 'rating', 'not_the_thing'), { freq: 2 }),
})
const anyLines = (mostLines: number, mostOptions: number): fc.Arbitrary<Line[]> =>
  fc
    .array(
      fc.record({
        options: fc.array(anyOption, { maxLength: mostOptions }),
        required: fc.boolean(),
        prefers: fc.option(fc.nat({ max: mostOptions }), { freq: 2 }),
      }),
      { maxLength: mostLines },
    )
    .map((lines) =>
      lines.map(({ options, required, prefers }, line) => ({
        required,
        options: options.map((option, at) => ({
          ...option,
          product: products[line * mostOptions + at] ?? productOf(`q${line}-${at}`),
          place: at + 1,
          late: false,
          open: false,
          prefers: at === prefers,
        })),
      })),
    )
const anyBudget = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: 200_000 }),
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
)

/** What one choice is worth, most important first; less is better. */
function priceOf(choice: Choice, lines: readonly Line[]): number[] {
  const sum = (value: (line: Line, option: PricedOption | null) => number) =>
    lines.reduce((all, line, at) => all + value(line, choice[at] ?? null), 0)
  return [
    sum(({ required }, option) => Number(required && option === null)),
    sum(({ options }, option) => Number(options.some(({ prefers }) => prefers) && !option?.prefers)),
    sum(({ required }, option) => {
      if (!required || !option || option.flaw === null || option.prefers) return 0
      return option.flaw === 'share' ? 0.5 : option.flaw === 'other_use' ? 0.75 : 1
    }),
    -sum((_, option) => option?.points ?? 0),
    sum((_, option) => option?.costCents ?? 0),
  ]
}

const slugsOf = (choice: Choice) => choice.map((option) => option?.product.slug ?? '~').join(' ')

function compare(a: Choice, b: Choice, lines: readonly Line[]): number {
  const [left, right] = [priceOf(a, lines), priceOf(b, lines)]
  const at = left.findIndex((value, place) => value !== right[place])
  return at < 0 ? byText(slugsOf(a), slugsOf(b)) : (left[at] ?? 0) - (right[at] ?? 0)
}

function allWithin(lines: readonly Line[], budgetCents: number): Choice[] {
  const all = lines.reduce<Choice[]>(
    (ways, { options }) => ways.flatMap((way) => [null, ...options].map((option) => [...way, option])),
    [[]],
  )
  return all.filter(
    (choice) => choice.reduce((sum, option) => sum + (option?.costCents ?? 0), 0) <= budgetCents,
  )
}

test('is the best of all choices, by brute force', () => {
  fc.assert(
    fc.property(anyLines(4, 5), anyBudget, (lines, budgetCents) => {
      const [best = []] = allWithin(lines, budgetCents).sort((a, b) => compare(a, b, lines))
      const chosen = chooseOptions(lines, budgetCents)
      expect(priceOf(chosen, lines)).toEqual(priceOf(best, lines))
      expect(slugsOf(chosen)).toBe(slugsOf(best))
    }),
    { numRuns: 1_500 },
  )
})

test('is made for eight lines of forty options in bounded time, whatever they cost', () => {
  fc.assert(
    fc.property(anyLines(8, 40), anyBudget, (lines, budgetCents) => {
      const chosen = chooseOptions(lines, budgetCents)
      expect(chosen).toHaveLength(lines.length)
      expect(chosen.reduce((sum, option) => sum + (option?.costCents ?? 0), 0)).toBeLessThanOrEqual(
        budgetCents,
      )
    }),
    { numRuns: 20 },
  )
})
