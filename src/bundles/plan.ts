/**
 * Splits a budget over lines and chooses a product in each. The objective, exactly and in this order: the fewest named lines
 * over budget; the fewest changes to what `prefer` names; the fewest named lines filled by a product with a flaw; the
 * greatest sum of points (grade.ts) whose costs fit the budget; the least cost; the first slugs, lines in order of
 * theirs. A line that only we thought of may stay open, and is never filled by a flawed product. choose-options.ts finds
 * the choice. A named line is over budget only when not even its cheapest product fits beside the cheapest others; it
 * gets the cheapest of the good ones. Without a budget every line gets its best.
 */
import { byText } from '../lib/text.ts'
import { type CandidatesInput, candidateOf } from '../search/candidates.ts'
import type { Search } from '../search/search.service.ts'
import {
  type Alternative,
  type ChosenCategory,
  MIN_CATEGORIES,
  type Plan,
  type PlanInput,
  type PlanLine,
} from './bundles.schema.ts'
import { chooseOptions, type Line, type PricedOption } from './choose-options.ts'
import { demandsOn, fits } from './fit.ts'
import { costOf, type Flaw, gradeLine, LEAST_WORTH, type Money, type Option, POINTS } from './grade.ts'

type Category = PlanInput['categories'][number]

/** By a line's slug, the product that it has and does not change. */
type Fixed = ReadonlyMap<string, string | null>
const NONE_FIXED: Fixed = new Map()

type Draft = {
  category: Category
  /** Best first. */
  ranking: Option[]
  /** Those that may fill the line within a budget. */
  priced: PricedOption[]
  /** What people spend on it, in proportion to the others; 0 when nothing can be bought. */
  level: number
  required: boolean
}

/** The most of the budget that a line may take unless it is the main thing, which usually costs as much. */
const MOST_OF_BUDGET = 0.45
const MOST_OF_MAIN = 0.8
const MAIN_STRETCH = 1.15
const OF_TWO = { other: { least: 0.65, stretch: 1.5 }, plain: { least: 0.5, stretch: 1.3 } }
const BESIDE_STRESSED = 0.25
/** From the lowest price up, where a product of a category begins to be decent. */
const DECENT = 0.3
const WEIGHT_STEPS = 1000
const DOLLAR = 100
/** As much needed as the most needed. */
const ESSENTIAL = 0.94
/** Money that is short for this many is short for what the goal is. */
const FEWEST_OF_GOAL = 3
/** What is needed less than this is no use of what is left. */
const WORTH_ADDING = 0.4
const NEARLY_AS_GOOD = 0.8

/**
 * A plan of fewer lines than `fewest` takes those that matter most, over budget if they must. A line that is to hold
 * another's product and does not, or does not say, is chosen again among those that say so, if a sound one fits.
 */
export function planFitting(given: PlanInput, { fewest = MIN_CATEGORIES } = {}): Plan {
  const plan = planOnce(given, fewest)
  const pairs = pairsOf(given, plan)
  const better = pairs.reduce((best, { holder, held }) => {
    const [line, other] = [lineFor(best, holder), lineFor(best, held)]
    const { product } = other ?? {}
    if (!line?.product || !product || line.kept || fits(line.product, product)) return best
    const categories = given.categories.map((one) => {
      if (one.slug === held) return { ...one, prefer: product.id }
      const candidates = one.candidates.filter((candidate) => fits(candidate.product, product))
      return one.slug === holder && !one.prefer ? { ...one, candidates } : one
    })
    const again = planOnce({ ...given, categories }, fewest)
    const chosen = lineFor(again, holder)
    const isSound =
      chosen?.product && !chosen.overBudget && (chosen.because.flaw ?? 'other_use') === 'other_use'
    return isSound && again.lines.length === best.lines.length ? again : best
  }, plan)
  const lines = better.lines.map((line) => {
    const pair = pairs.find(({ holder }) => holder === line.slug)
    const other = pair && lineFor(better, pair.held)
    if (!line.product || !other?.product) return line
    const holds = { label: other.label, fits: fits(line.product, other.product) ?? null }
    return { ...line, because: { ...line.because, holds } }
  })
  return { ...better, lines }
}

/** Lines of which some candidates state what they hold of the other's kind. */
function pairsOf({ categories }: PlanInput, { lines }: Plan): Array<{ holder: string; held: string }> {
  return lines.flatMap((other) => {
    const { product } = other
    return product
      ? categories
          .filter(
            ({ slug, candidates }) =>
              slug !== other.slug && candidates.some((one) => demandsOn(one.product, product).length > 0),
          )
          .map(({ slug }) => ({ holder: slug, held: other.slug }))
      : []
  })
}

function lineFor({ lines }: Plan, slug: string): PlanLine | undefined {
  return lines.find((line) => line.slug === slug)
}

function planOnce(given: PlanInput, fewest: number): Plan {
  const first = affordable(given)
  const plan = withMore(given, first, planOf({ ...given, categories: first }, fewest))
  const kept = new Set(plan.lines.map(({ slug }) => slug))
  const dropped = given.categories.filter(({ slug }) => !kept.has(slug))
  return { ...plan, dropped: dropped.map(({ slug, label }) => ({ slug, label })) }
}

/** What the money that is left buys of the lines that were dropped, most needed first, while the others stay. */
function withMore(given: PlanInput, first: Category[], plan: Plan): Plan {
  const spare = given.categories
    .filter((one) => !first.includes(one) && one.weight >= WORTH_ADDING)
    .toSorted((a, b) => b.weight - a.weight || byText(a.slug, b.slug))
  return spare.reduce((best, one) => {
    if (best.budgetCents === null || best.totalCents >= best.budgetCents) return best
    const chosen = new Map(best.lines.map(({ slug, product }) => [slug, product?.id ?? null]))
    const categories = given.categories.filter((other) => other === one || chosen.has(other.slug))
    const more = planOf({ ...given, categories }, 0, chosen)
    return more.lines.length > best.lines.length && !more.lines.some(({ overBudget }) => overBudget)
      ? more
      : best
  }, plan)
}

/**
 * The lines that the budget is enough for at decent prices. Of those that only we thought of, the one that is needed least
 * for its price goes first: a few good things serve better than many poor ones.
 */
function affordable({ budgetCents, categories }: PlanInput): Category[] {
  const decent = categories.map((one) => ({ one, cents: priceAt(one, DECENT) ?? 0 }))
  const most = Math.max(...categories.map(({ weight }) => weight))
  const spare = decent
    .filter(({ one, cents }) => !one.named && !one.keep && !one.prefer && one.weight < most && cents > 0)
    .sort((a, b) => a.one.weight - b.one.weight || byText(a.one.slug, b.one.slug))
  let sum = decent.reduce((total, { cents }) => total + cents, 0)
  const gone = new Set<Category>()
  for (const { one, cents } of spare) {
    if (budgetCents === null || sum <= budgetCents || categories.length - gone.size <= FEWEST_OF_GOAL) break
    gone.add(one)
    sum -= cents
  }
  return categories.filter((one) => !gone.has(one))
}

function planOf(input: PlanInput, fewest: number, fixed: Fixed = NONE_FIXED): Plan {
  const most = Math.max(...input.categories.flatMap(({ named, weight }) => (named ? [] : weight)))
  // Without its essentials a goal is not met, so they come before any number of other things, if they fit.
  const plan = planWith(input, (one) => isAsked(one) || one.weight >= most * ESSENTIAL, fixed)
  const sound = ({ overBudget, product, because }: PlanLine) =>
    !overBudget && product !== null && (because.flaw === null || because.flaw === 'share')
  if (plan.lines.every((line) => line.named || sound(line))) return plan
  return planOfNamed(input, fewest, fixed)
}

function isAsked({ named, keep }: Category): boolean {
  return named || Boolean(keep)
}

/** It is the thing, if at a price or for a use that was not asked for. */
function isMild(flaw: Flaw): boolean {
  return flaw === 'share' || flaw === 'other_use'
}

function planOfNamed(input: PlanInput, fewest: number, fixed: Fixed): Plan {
  const plan = planWith(input, isAsked, fixed)
  const filled = plan.lines.filter(({ product }) => product).length
  if (filled >= fewest || plan.dropped.length === 0) return plan
  // Two things make a plan: those that matter most stay, over budget if they must.
  const needed = new Set(
    input.categories
      .toSorted((a, b) => Number(b.named) - Number(a.named) || b.weight - a.weight || byText(a.slug, b.slug))
      .slice(0, fewest)
      .map(({ slug }) => slug),
  )
  const forced = planWith(input, (one) => isAsked(one) || needed.has(one.slug), fixed)
  const isPoor = ({ because }: PlanLine) => because.flaw !== null && !isMild(because.flaw)
  if (!forced.lines.some((line) => !line.named && isPoor(line))) return forced
  // Better fewer good things, of which one takes much of the little money, than what is no good.
  const fewer = planWith(input, isAsked, fixed, { largeShares: true })
  return fewer.lines.some(({ product }) => product) ? fewer : forced
}

function planWith(
  { budgetCents: given, categories }: PlanInput,
  isRequired: (one: Category) => boolean,
  fixed: Fixed,
  { largeShares = false } = {},
): Plan {
  const budgetCents =
    given === null ? null : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(given)))
  // Everything is worked out in the order of slugs, so the order of the input cannot matter.
  const inOrder = categories.toSorted((a, b) => byText(a.slug, b.slug))
  const drafts = draftsOf(inOrder, budgetCents, isRequired, fixed, largeShares)
  const lines = budgetCents === null ? drafts.map(bestOf) : withinBudget(drafts, budgetCents)
  const isLeft = (at: number) => lines[at]?.product === null && !drafts[at]?.required
  const lineOf = new Map(inOrder.flatMap((category, at) => (isLeft(at) ? [] : [[category, lines[at]]])))
  return {
    budgetCents,
    totalCents: lines.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0),
    lines: categories.flatMap((category) => lineOf.get(category) ?? []),
    dropped: categories.flatMap((one) => (lineOf.has(one) ? [] : [{ slug: one.slug, label: one.label }])),
  }
}

function draftsOf(
  categories: Category[],
  budgetCents: number | null,
  isRequired: (one: Category) => boolean,
  fixed: Fixed,
  largeShares: boolean,
): Draft[] {
  const weights = categories.reduce((sum, { weight }) => sum + weight, 0)
  const levels = categories.map(levelOf)
  const shares = budgetCents === null ? null : split(budgetCents, levels)
  const main = mainOf(categories, levels)
  return categories.map((category, at) => {
    const worth = (category.weight * categories.length) / weights
    const most = mostOf(categories, levels, at, at === main)
    const money: Money | null =
      budgetCents === null
        ? null
        : { shareCents: shares?.[at] ?? 0, mostCents: Math.floor(budgetCents * most) }
    const required = isRequired(category)
    const ranking = gradeLine(category.candidates, category, { worth, money })
    const kept = category.keep ? ranking.filter(({ product }) => product.id === category.keep) : []
    const allowed = kept.length > 0 ? kept : ranking
    const least = POINTS * worth * LEAST_WORTH
    const priced = allowed.flatMap((option) => {
      const { costCents, flaw, points, product } = option
      const prefers = product.id === category.prefer
      const has = fixed.get(category.slug)
      const junk =
        !required &&
        !prefers &&
        has === undefined &&
        ((flaw !== null && !(largeShares && flaw === 'share')) || points < least)
      return costCents === null || junk || (has !== undefined && has !== product.id)
        ? []
        : [{ ...option, costCents, prefers }]
    })
    return { category, ranking: allowed, priced, level: levels[at] ?? 0, required }
  })
}

/** The usual price of what is worth buying, for all pieces, times how much the line matters. */
function levelOf(category: Category): number {
  const median = priceAt(category, 0.5)
  // At least 1, or a category of free things would count as one of nothing.
  return median === null ? 0 : Math.max(1, Math.round(median * category.weight * WEIGHT_STEPS))
}

/** What all pieces cost of the product at this share of the prices, from the lowest. */
function priceAt({ candidates, quantity }: Category, share: number): number | null {
  const costs = candidates.flatMap(({ product }) => costOf(product, quantity) ?? []).sort((a, b) => a - b)
  return costs[Math.floor(costs.length * share)] ?? null
}

/** The main thing is what the shopper stresses, or what usually takes about half of the money; -1 when nothing does. */
function mainOf(categories: readonly Category[], levels: readonly number[]): number {
  const stressed = categories.findIndex(({ weight }) => weight > 1)
  if (stressed >= 0) return stressed
  const all = levels.reduce((sum, level) => sum + level, 0)
  return levels.findIndex((level) => level > all * MOST_OF_BUDGET)
}

/**
 * Of two things each is a main one, as far as such things usually go; what the shopper describes may take more. Of more, some
 * take more than others. The money is for what the shopper stresses.
 */
function mostOf(
  categories: readonly Category[],
  levels: readonly number[],
  at: number,
  main: boolean,
): number {
  const share =
    (levels[at] ?? 0) /
    Math.max(
      1,
      levels.reduce((sum, level) => sum + level, 0),
    )
  const atLeast = (least: number, stretch: number) => Math.min(MOST_OF_MAIN, Math.max(least, share * stretch))
  const stressed = categories.some(({ weight }) => weight > 1)
  if (categories.length === 1) return 1
  if (stressed && !main) return BESIDE_STRESSED
  if (categories.length > MIN_CATEGORIES) return main ? atLeast(MOST_OF_BUDGET, MAIN_STRETCH) : MOST_OF_BUDGET
  if (stressed) return MOST_OF_MAIN
  const { pointed = false, named = false } = categories[at] ?? {}
  const { least, stretch } = named && !pointed ? OF_TWO.plain : OF_TWO.other
  return atLeast(least, stretch)
}

function bestOf(draft: Draft): PlanLine {
  const { ranking, required, category } = draft
  const preferred = ranking.find(({ product }) => product.id === category.prefer)
  const best = preferred ?? ranking[0] ?? null
  const option = best && (required || preferred || best.flaw === null) ? best : null
  return lineOf(draft, option, { allocatedCents: null, overBudget: false })
}

function withinBudget(drafts: Draft[], budgetCents: number): PlanLine[] {
  const firstShares = split(
    budgetCents,
    drafts.map(({ level }) => level),
  )
  // What must stay is bought first, whatever else then fits; what exceeds the budget by itself is over it.
  let free = budgetCents
  const kept = drafts.map(({ category, priced }) => {
    const option = category.keep ? (priced[0] ?? null) : null
    if (!option || option.costCents > free) return null
    free -= option.costCents
    return option
  })
  const lines: Line[] = drafts.map(({ category, priced, required }) =>
    category.keep && priced.length > 0 ? { options: [], required: false } : { options: priced, required },
  )
  const chosen = chooseOptions(lines, free).map((option, at) => kept[at] ?? option)
  const spent = chosen.reduce((sum, option) => sum + (option?.costCents ?? 0), 0)
  const overBudget = drafts.map(({ priced, required }, at) => required && priced.length > 0 && !chosen[at])
  const left = budgetCents - spent
  const isOpen = (at: number) => !chosen[at] && !overBudget[at]
  const unspent = drafts.map((_, at) =>
    isOpen(at) ? 0 : Math.max(0, (firstShares[at] ?? 0) - (chosen[at]?.costCents ?? 0)),
  )
  const rest = overBudget.includes(true)
    ? split(
        left,
        drafts.map(({ level }, at) => (overBudget[at] ? level : 0)),
      )
    : split(Math.floor(left / DOLLAR), unspent).map((dollars) => dollars * DOLLAR)
  return drafts.map((draft, at) => {
    const option = chosen[at] ?? (overBudget[at] ? cheapestGood(draft) : null)
    const allocatedCents = (chosen[at]?.costCents ?? 0) + (rest[at] ?? 0)
    return lineOf(draft, option, { allocatedCents, overBudget: overBudget[at] ?? false })
  })
}

/** Over budget, the cheapest of several good matches helps most. That it takes too much is said by being over. */
function cheapestGood({ priced }: Draft): PricedOption | null {
  const sound = priced.filter(({ flaw }) => flaw === null || flaw === 'share')
  const among = sound.length > 0 ? sound : priced
  const best = Math.max(...among.map(({ points }) => points))
  const good = among.filter(({ points }) => points >= best * NEARLY_AS_GOOD)
  return good.toSorted((a, b) => a.costCents - b.costCents)[0] ?? null
}

function lineOf(
  { category, ranking }: Draft,
  option: Option | null,
  money: { allocatedCents: number | null; overBudget: boolean },
): PlanLine {
  const { slug, label, role, quantity, named } = category
  const first = ranking[0] ?? null
  const better = option && first && first.flaw === null && first.points > option.points ? first.product : null
  return {
    ...{ slug, label, role, quantity, named },
    kept: option !== null && option.product.id === category.keep,
    ...money,
    product: option?.product ?? null,
    costCents: option?.costCents ?? null,
    because: {
      place: option?.place ?? 0,
      passedOver: money.overBudget ? null : option ? better : (first?.product ?? null),
      flaw: option?.flaw ?? null,
      late: option?.late ?? false,
      ...(option?.open && { open: true }),
      upgrade: option && upgradeOf(ranking, option),
    },
  }
}

/** The next better product, for what more money would buy. */
function upgradeOf(
  ranking: readonly Option[],
  { points, costCents, product }: Option,
): PlanLine['because']['upgrade'] {
  const dearer = ranking.flatMap((one) => {
    const extraCents = (one.costCents ?? 0) - (costCents ?? 0)
    return one.flaw === null && one.product !== product && one.points > points && extraCents > 0
      ? [{ product: one.product, extraCents, gain: (one.points - points) / extraCents }]
      : []
  })
  const [best] = dearer.sort((a, b) => b.gain - a.gain || byText(a.product.slug, b.product.slug))
  return best ? { product: best.product, extraCents: best.extraCents } : null
}

/** Whole cents in proportion to the claims, rounded down: the parts never sum to more than the amount. */
function split(cents: number, claims: number[]): number[] {
  const all = claims.reduce((sum, claim) => sum + BigInt(claim), 0n)
  return claims.map((claim) => (all === 0n ? 0 : Number((BigInt(cents) * BigInt(claim)) / all)))
}

const CANDIDATES = 40

/** What a line keeps or prefers is among its candidates, whatever the search finds. */
export function withCandidates(
  search: Search,
  chosen: readonly ChosenCategory[],
  filters: CandidatesInput['filters'] = {},
): Promise<PlanInput['categories']> {
  return Promise.all(
    chosen.map(async (category) => {
      const { query, slug, keep, prefer, wanted: words, avoid } = category
      const found = await search.candidates({
        ...{ query, category: slug, wanted: words, limit: CANDIDATES },
        filters: { ...filters, excludeBrands: avoid },
      })
      const least = Math.min(...found.map(({ score }) => score), 0)
      const missing = [...new Set([keep, prefer])].flatMap((id) =>
        id && found.every(({ product }) => product.id !== id) ? [id] : [],
      )
      const wanted = await search.reading((index) =>
        missing.flatMap((id) => {
          const product = index.at(index.slotOf(id) ?? -1)
          return product ? [{ ...candidateOf(index, product), score: least }] : []
        }),
      )
      return { ...category, candidates: [...found, ...wanted] }
    }),
  )
}

const ALTERNATIVES = 6

/** What else could fill a line, best first, while every other line stays. */
export function alternativesTo({ categories }: PlanInput, plan: Plan, slug: string): Alternative[] {
  const category = categories.find((one) => one.slug === slug)
  const line = plan.lines.find((one) => one.slug === slug)
  if (!category) return []
  const othersCents = plan.totalCents - (line?.costCents ?? 0)
  const roomCents = plan.budgetCents === null ? null : Math.max(0, plan.budgetCents - othersCents)
  const money = roomCents === null ? null : { shareCents: roomCents, mostCents: null }
  return gradeLine(category.candidates, category, { worth: 1, money })
    .filter(({ product }) => product.id !== line?.product?.id)
    .slice(0, ALTERNATIVES)
    .map(({ product, costCents }) => {
      const totalCents = costCents === null ? null : othersCents + costCents
      const fits = plan.budgetCents === null || (totalCents !== null && totalCents <= plan.budgetCents)
      return { product, costCents, totalCents, fits }
    })
}
