/**
 * Scores budgeted plans by the products they choose: `npm run eval -- plans`. Each wish of plans.jsonl says which roles a
 * sensible buyer wants filled and by what, at which prices, and what must stay out. A plan satisfies its wish when nothing
 * at all is wrong with it. `tuning` wishes may be looked at; of the `scored` ones the report gives figures alone, so that
 * nobody tunes the planner to them (`--scored-lines` shows them; `--tuning` leaves them out). `--practice`, `--lessons`,
 * `--strangers`, `--fresh`, `--everyday`, `--blind` and `--newcomers` score the wishes of those files instead, which may
 * be looked at freely. `--all` shows also the plans that are right.
 */
import fs from 'node:fs'
import type { Plan, PlanLine } from '../src/bundles/bundles.schema.ts'
import { chooseCategories } from '../src/bundles/choose-categories.ts'
import { planFitting, withCandidates } from '../src/bundles/plan.ts'
import { readWish } from '../src/bundles/read-wish.ts'
import { projectFile } from '../src/lib/paths.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'
import { meets, type Need, readShelf, type Shelf, type Shelved } from './plans.shelf.ts'
import { readWishes, tryWish } from './wishes.ts'

export const CLASSES = [
  ...(['goal', 'list', 'owned', 'brand', 'quantity', 'cap', 'attribute', 'whole', 'emphasis'] as const),
  ...(['tight', 'open'] as const),
]

type Range = { min?: number; max?: number }

export type PlanRole = {
  /** What it is to the buyer: "desk to sit at". */
  name: string
  /** Categories that can fill it. No two roles of a wish share one. */
  in: string[]
  /** A role that may be left empty has false. */
  required?: false
  /** The sentence names it, so it may be marked over budget. */
  named?: true
  /** It may take more than 45 % of the budget. */
  main?: true
  /** Pieces; one of them where there are several. 1 when absent. */
  quantity?: number | number[]
  /** What people would spend on it: dollars for one piece. */
  price?: Range
  /** What people would spend on it: a share of the budget for all pieces. */
  share?: Range
  /** Dollars for one piece, as the sentence limits it. */
  cap?: number
  /** No other line costs more. */
  costliest?: true
  needs?: Need[]
  /** Special kinds that are right here. */
  allow?: string[]
}

export type PlanWish = {
  query: string
  set: 'tuning' | 'scored'
  class: (typeof CLASSES)[number]
  /** Dollars. */
  budget: number | null
  roles: PlanRole[]
  /** Categories that do no harm though no role asks for them. All others are forbidden. */
  welcome?: string[]
  /** Patterns of titles that must not be in it. */
  forbidden?: string[]
  /** Categories that the shopper has already or does not want. */
  must_not_have?: string[]
  /** Brands that the shopper does not want. */
  brands_not?: string[]
  /** Special kinds that are right in every line. */
  allow?: string[]
  /** Nothing under the floor at all: a line that only junk could fill is to be dropped. */
  no_junk?: true
}

export type Fault = {
  kind:
    | 'role missing'
    | 'nothing chosen'
    | 'not the thing'
    | 'special kind'
    | 'requirement'
    | 'price sanity'
    | 'forbidden'
    | 'already owned'
    | 'brand'
    | 'cap'
    | 'quantity'
    | 'rating floor'
    | 'over 45 %'
    | 'over budget'
    | 'budget read'
    | 'discontinued'
    | 'sums'
  text: string
}

/** What the scorer reads of a plan. */
export type JudgedLine = Pick<PlanLine, 'slug' | 'quantity' | 'costCents' | 'overBudget'> & {
  named?: boolean
  product: { slug: string } | null
}
export type JudgedPlan = Pick<Plan, 'budgetCents' | 'totalCents'> & { lines: JudgedLine[] }

/** What a wish says of a line; a plan can be judged without. */
export type LineRules = {
  main: boolean
  named: boolean
  /** Another product of the category would be as right. */
  fits: (product: Shelved) => boolean
}

export const RATING_FLOOR = 3.6
export const LARGEST_SHARE = 0.45
const dollars = (cents: number) => `$${(cents / 100).toLocaleString('en-US')}`

/** Sets that are looked at freely; `scored` of plans.jsonl is not looked at one by one. */
const SETS = ['practice', 'lessons', 'strangers', 'fresh', 'everyday', 'blind', 'newcomers'] as const

export function readPlanWishes(name: 'plans' | `plans.${(typeof SETS)[number]}` = 'plans'): PlanWish[] {
  const lines = fs.readFileSync(projectFile('eval', `${name}.jsonl`), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as PlanWish)
}

/**
 * What is wrong with any plan, whatever was wished: something that is not the thing, a poorly rated choice where a better
 * one fits, a line that eats the budget, a total over it. Without rules the main thing is the one of the category whose
 * products cost most, a better choice is of no special kind, and a line may be over budget when the plan says it was named.
 */
export function faultsOfPlan(
  { lines, totalCents }: JudgedPlan,
  budgetCents: number | null,
  shelf: Shelf,
  rulesOf: (line: JudgedLine) => LineRules = usualRules(lines, shelf),
): Fault[] {
  const excused = (line: JudgedLine) => line.overBudget && rulesOf(line).named
  const sum = (some: JudgedLine[]) => some.reduce((cents, line) => cents + (line.costCents ?? 0), 0)
  const counted = sum(lines.filter((line) => !excused(line)))
  const left = budgetCents === null ? Infinity : budgetCents - counted
  const faults: Fault[] = []
  for (const line of lines) {
    const rules = rulesOf(line)
    const product = line.product && shelf.find(line.product.slug)
    const say = (kind: Fault['kind'], text: string) => faults.push({ kind, text: `${line.slug}: ${text}` })
    if (!product) {
      say('nothing chosen', 'no product')
      continue
    }
    const cost = line.costCents ?? 0
    if (!product.isThing) say('not the thing', product.title)
    if (product.discontinued) say('discontinued', product.title)
    if (cost !== (product.cents ?? 0) * line.quantity) say('sums', `costs ${dollars(cost)}`)
    const others = shelf.of(line.slug).filter((one) => one.isThing && !one.discontinued && rules.fits(one))
    const fitting = others.filter(({ cents, rating }) => {
      const otherCost = (cents ?? Infinity) * line.quantity
      const most = rules.main || budgetCents === null ? Infinity : budgetCents * LARGEST_SHARE
      const spare = excused(line) ? left : left + cost
      return rating >= RATING_FLOOR && otherCost <= spare && otherCost <= Math.max(most, cost)
    })
    const [better] = fitting.toSorted((a, b) => b.rating - a.rating)
    if (better && product.rating < RATING_FLOOR)
      say('rating floor', `${product.title} has ${product.rating.toFixed(2)}, ${better.title} fits`)
    else if (better && line.overBudget) say('over budget', `marked so, ${better.title} fits`)
    if (budgetCents !== null && !rules.main && cost > budgetCents * LARGEST_SHARE)
      say('over 45 %', `${dollars(cost)} of ${dollars(budgetCents)}`)
  }
  if (left < 0 && budgetCents !== null)
    faults.push({ kind: 'over budget', text: `${dollars(counted)} of ${dollars(budgetCents)}` })
  if (totalCents !== sum(lines)) faults.push({ kind: 'sums', text: `total ${dollars(totalCents)}` })
  return faults
}

function usualRules(lines: JudgedLine[], shelf: Shelf): (line: JudgedLine) => LineRules {
  const levels = lines.map(({ slug, quantity }) => middleOf(shelf.of(slug)) * quantity)
  const main = lines[levels.indexOf(Math.max(...levels))]
  // Of two things each is a main one.
  const all = lines.length <= 2
  return (line) => ({
    main: all || line === main,
    named: line.named ?? false,
    fits: ({ special }) => special.length === 0,
  })
}

function middleOf(products: Shelved[]): number {
  const costs = products.flatMap(({ cents }) => cents ?? []).sort((a, b) => a - b)
  return costs[Math.floor(costs.length / 2)] ?? 0
}

export function roleOf({ roles }: PlanWish, category: string): PlanRole | undefined {
  return roles.find((role) => role.in.includes(category))
}

/** Why a product cannot fill its place in a plan for the wish, whatever else is in it. */
export function faultsOfChoice(wish: PlanWish, product: Shelved, quantity: number): Fault[] {
  const role = roleOf(wish, product.category)
  const { title, cents, category, special } = product
  const faults: Fault[] = []
  const say = (kind: Fault['kind'], text: string) => faults.push({ kind, text: `${category}: ${text}` })
  const allowed = [...(role?.allow ?? []), ...(wish.allow ?? [])]
  if (special.length > 0 && !special.some((use) => allowed.includes(use)))
    say('special kind', `${title} (${special.join(', ')})`)
  if (wish.brands_not?.includes(product.brand)) say('brand', title)
  for (const pattern of wish.forbidden ?? [])
    if (new RegExp(pattern, 'i').test(title)) say('forbidden', `${title} (${pattern})`)
  if (!role) return faults
  for (const need of role.needs ?? [])
    if (!meets(product, need)) say('requirement', `${title} is not ${JSON.stringify(need)}`)
  const each = (cents ?? 0) / 100
  const share = wish.budget === null ? null : (each * quantity) / wish.budget
  if (role.cap !== undefined && each > role.cap) say('cap', `${title} at $${each}, not $${role.cap}`)
  if (!within(each, role.price)) say('price sanity', `${title} at $${each}`)
  if (share !== null && !within(share, role.share))
    say('price sanity', `${title} takes ${Math.round(share * 100)} % of the budget`)
  return faults
}

function within(value: number, { min = 0, max = Infinity }: Range = {}): boolean {
  return value >= min && value <= max
}

/** Everything that is wrong with a plan for a wish; nothing when the plan satisfies it. */
export function scorePlan(wish: PlanWish, plan: JudgedPlan, shelf: Shelf): Fault[] {
  const budgetCents = wish.budget === null ? null : wish.budget * 100
  const faults: Fault[] = []
  const say = (kind: Fault['kind'], text: string) => faults.push({ kind, text })
  if (plan.budgetCents !== budgetCents)
    say('budget read', `${plan.budgetCents === null ? 'none' : dollars(plan.budgetCents)}`)
  for (const role of wish.roles) {
    const filled = plan.lines.some(({ slug, product }) => product && role.in.includes(slug))
    if (!filled && role.required !== false) say('role missing', role.name)
  }
  const largest = Math.max(0, ...plan.lines.map(({ costCents }) => costCents ?? 0))
  for (const line of plan.lines) {
    const { slug, quantity } = line
    const role = roleOf(wish, slug)
    if (wish.must_not_have?.includes(slug)) say('already owned', slug)
    else if (!role && !wish.welcome?.includes(slug)) say('forbidden', slug)
    if (role && ![role.quantity ?? 1].flat().includes(quantity)) say('quantity', `${quantity} of ${slug}`)
    if (role?.costliest && (line.costCents ?? 0) < largest)
      say('price sanity', `${slug}: another line costs more`)
    const product = line.product && shelf.find(line.product.slug)
    if (!product) continue
    faults.push(...faultsOfChoice(wish, product, quantity))
    if (wish.no_junk && product.rating < RATING_FLOOR)
      say('rating floor', `${slug}: ${product.title} has ${product.rating.toFixed(2)}`)
  }
  const rulesOf = ({ slug, quantity }: JudgedLine): LineRules => {
    const role = roleOf(wish, slug)
    const fits = (other: Shelved) => faultsOfChoice(wish, other, quantity).length === 0
    return { main: role?.main ?? false, named: role?.named ?? false, fits }
  }
  return [...faults, ...faultsOfPlan(plan, budgetCents, shelf, rulesOf)]
}

/** Reads, chooses and plans as the service does. */
export async function tryPlan(search: Search, { query }: Pick<PlanWish, 'query'>): Promise<Plan> {
  const wish = readWish(query, search.index().vocabulary())
  const categories = await withCandidates(search, await chooseCategories(search, wish))
  return planFitting({ budgetCents: wish.budget?.cents ?? null, categories })
}

type Tried = { query: string; group: string; plan: JudgedPlan; faults: Fault[] }

export async function reportPlans(): Promise<void> {
  const [search, shelf] = [await createDemoSearch(), readShelf()]
  const shown = { all: process.argv.includes('--all'), scored: process.argv.includes('--scored-lines') }
  const others = SETS.filter((name) => process.argv.includes(`--${name}`))
  const report = async (name: string, wishes: PlanWish[]) => {
    const tried: Tried[] = []
    for (const wish of wishes) {
      const plan = await tryPlan(search, wish)
      tried.push({ query: wish.query, group: wish.class, plan, faults: scorePlan(wish, plan, shelf) })
    }
    if (name !== 'scored' || shown.scored) printTried(tried, shelf, shown.all)
    printFigures(name, tried)
  }
  for (const name of others) await report(name, readPlanWishes(`plans.${name}`))
  if (others.length > 0) {
    await search.close()
    return
  }
  const wishes = readPlanWishes()
  for (const set of process.argv.includes('--tuning')
    ? (['tuning'] as const)
    : (['tuning', 'scored'] as const))
    await report(
      set,
      wishes.filter((one) => one.set === set),
    )
  const tried: Tried[] = []
  for (const wish of readWishes().filter(({ bundle }) => bundle)) {
    const { plan } = await tryWish(search, wish)
    tried.push({
      query: wish.query,
      group: wish.set,
      plan,
      faults: faultsOfPlan(plan, plan.budgetCents, shelf),
    })
  }
  printTried(tried, shelf, false)
  printFigures('faultless plans for eval/wishes.jsonl', tried)
  await search.close()
}

function printTried(tried: Tried[], shelf: Shelf, all: boolean): void {
  for (const { query, plan, faults } of tried) {
    if (faults.length === 0 && !all) continue
    const lines = plan.lines.map(({ slug, quantity, product, costCents, overBudget }) => {
      const title = (product && shelf.find(product.slug)?.title) ?? 'nothing'
      return `      ${quantity} × ${slug}: ${title}, ${dollars(costCents ?? 0)}${overBudget ? ', over budget' : ''}`
    })
    const found = faults.map(({ kind, text }) => `    ${kind}: ${text}`)
    process.stdout.write([`${faults.length > 0 ? '! ' : '  '}${query}`, ...found, ...lines, ''].join('\n'))
  }
}

/** How many are right, and what is wrong with the others: wishes by class and kind of fault, then faults by kind. */
function printFigures(name: string, tried: Tried[]): void {
  const right = tried.filter(({ faults }) => faults.length === 0)
  const out = [`${name}: ${right.length} of ${tried.length}`]
  for (const [group, some] of Map.groupBy(tried, (one) => one.group)) {
    const kinds = some.flatMap(({ faults }) => [...new Set(faults.map(({ kind }) => kind))])
    const wrong = some.filter(({ faults }) => faults.length > 0).length
    out.push(`  ${group}: ${wrong} of ${some.length} wrong${kinds.length > 0 ? ` (${countsOf(kinds)})` : ''}`)
  }
  const faults = tried.flatMap((one) => one.faults.map(({ kind }) => kind))
  out.push(`  faults: ${faults.length === 0 ? 'none' : countsOf(faults)}`, '')
  process.stdout.write(out.join('\n'))
}

function countsOf(kinds: string[]): string {
  const counts = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => ({ kind, count: all.length }))
  return counts
    .toSorted((a, b) => b.count - a.count)
    .map(({ kind, count }) => `${kind} ${count}`)
    .join(', ')
}
