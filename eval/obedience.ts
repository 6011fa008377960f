/**
 * Does the first page obey the query? `npm run eval -- obedience` asks the 150 queries of eval/obedience.jsonl, each with
 * a condition that every result must meet, and lists the results that do not. What a result is comes from the catalog's
 * own facts (obedience-facts.ts), not from what the search understood. The 60 of eval/obedience.blind.jsonl were written
 * before anybody looked at what fails, and are counted apart: they tell whether a change travels.
 */
import fs from 'node:fs'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { projectFile } from '../src/lib/paths.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'
import { readDemoSet } from './judged.ts'
import { allHold, describeBreach, type Fact, holds } from './obedience-facts.ts'

export const OBEDIENCE_SLICES = [
  'excluded brand',
  'excluded kind',
  'required kind',
  'size',
  'price',
  'order',
  'comparison',
  'firm attribute',
] as const

export type ObedienceQuery = {
  slice: (typeof OBEDIENCE_SLICES)[number]
  query: string
  /** What sort of thing a result is. Counted apart from `must`, for a stray accessory is another fault than a wrong size. */
  kind: Fact[]
  must?: Fact[]
  order?: 'cheapest' | 'dearest' | 'newest' | 'rating'
  /** No result may say this. */
  denied?: Fact[]
  /** Results that say this come before those that say neither this nor what is denied. */
  first?: Fact[]
}

export type Breaches = { kind: string[]; condition: string[]; empty: boolean }
export type ObedienceScore = { asked: ObedienceQuery; breaches: Breaches }

const PAGE = 8

export function readObedience(file = 'obedience.jsonl'): ObedienceQuery[] {
  const lines = fs.readFileSync(projectFile('eval', file), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as ObedienceQuery)
}

/** Whether a product could stand on the page. */
export function isWanted({ kind, must = [], denied }: ObedienceQuery, product: ProductProfile): boolean {
  return allHold(kind, product) && allHold(must, product) && !(denied && allHold(denied, product))
}

export function findBreaches(
  asked: ObedienceQuery,
  page: readonly ProductProfile[],
  catalog: readonly ProductProfile[],
): Breaches {
  const { kind, must = [], denied, first, order } = asked
  const against = (facts: readonly Fact[]) =>
    page.flatMap((product) => {
      const breach = facts.find((fact) => !holds(fact, product))
      return breach ? [`${product.slug} (${describeBreach(breach, product)})`] : []
    })
  const condition = against(must)
  for (const product of denied ? page.filter((one) => allHold(denied, one)) : [])
    condition.push(`${product.slug} (${denied?.map((fact) => describeBreach(fact, product))})`)
  if (first) {
    const silent = page.findIndex(
      (product) => !allHold(first, product) && !(denied && allHold(denied, product)),
    )
    const late = silent < 0 ? [] : page.slice(silent).filter((product) => allHold(first, product))
    condition.push(...late.map(({ slug }) => `${slug} comes after one that does not say it`))
  }
  if (order) condition.push(...breachesOfOrder(asked, order, page, catalog))
  return {
    kind: against(kind),
    condition,
    empty: page.length === 0 && catalog.some((product) => isWanted(asked, product)),
  }
}

/** By which keys a list may be in order, the larger first. A price has two ends, and either will do. */
const KEYS: Record<NonNullable<ObedienceQuery['order']>, Array<(product: ProductProfile) => number>> = {
  cheapest: [
    ({ priceLowCents }) => -(priceLowCents ?? Number.POSITIVE_INFINITY),
    ({ priceHighCents }) => -(priceHighCents ?? Number.POSITIVE_INFINITY),
  ],
  dearest: [({ priceLowCents }) => priceLowCents ?? 0, ({ priceHighCents }) => priceHighCents ?? 0],
  newest: [({ released }) => Number(released?.replaceAll('-', '') ?? 0)],
  rating: [({ rating }) => rating ?? 0],
}

/** Discontinued products may stand last, or not at all. */
function breachesOfOrder(
  asked: ObedienceQuery,
  order: NonNullable<ObedienceQuery['order']>,
  page: readonly ProductProfile[],
  catalog: readonly ProductProfile[],
): string[] {
  const made = page.filter(({ discontinued }) => !discontinued)
  const wanted = catalog.filter((product) => !product.discontinued && isWanted(asked, product))
  const problems = KEYS[order].map((key) => {
    const out = made.findIndex((product, place) => {
      const before = made[place - 1]
      return before !== undefined && key(before) < key(product)
    })
    const best = wanted.reduce<ProductProfile | null>(
      (found, product) => (found && key(found) >= key(product) ? found : product),
      null,
    )
    const top = made[0]
    return [
      ...(out < 0 ? [] : [`${made[out]?.slug} is out of order`]),
      ...(top && best && key(top) < key(best) ? [`begins with ${top.slug}, not ${best.slug}`] : []),
    ]
  })
  return problems.some((found) => found.length === 0) ? [] : (problems[0] ?? [])
}

export async function scoreObedience(search: Search, queries = readObedience()): Promise<ObedienceScore[]> {
  const catalog = readDemoSet().products
  const bySlug = new Map(catalog.map((product) => [product.slug, product]))
  const scores: ObedienceScore[] = []
  for (const asked of queries) {
    const { results } = await search.search({ query: asked.query, limit: PAGE, face: 'web' })
    const page = results.slice(0, PAGE).flatMap(({ slug }) => bySlug.get(slug) ?? [])
    scores.push({ asked, breaches: findBreaches(asked, page, catalog) })
  }
  return scores
}

function isObeyed({ kind, condition, empty }: Breaches): boolean {
  return !empty && kind.length + condition.length === 0
}

export async function reportObedience(): Promise<void> {
  const search = await createDemoSearch()
  const scores = await scoreObedience(search)
  const blind = await scoreObedience(search, readObedience('obedience.blind.jsonl'))
  await search.close()
  printRow('slice', 'queries', 'obeyed', 'condition', 'kind', 'empty')
  for (const slice of [...OBEDIENCE_SLICES, null]) {
    const own = scores.filter(({ asked }) => slice === null || asked.slice === slice)
    const count = (isSuch: (breaches: Breaches) => boolean) =>
      own.filter(({ breaches }) => isSuch(breaches)).length
    printRow(
      slice ?? 'all',
      own.length,
      count(isObeyed),
      count(({ condition }) => condition.length > 0),
      count(({ kind }) => kind.length > 0),
      count(({ empty }) => empty),
    )
  }
  process.stdout.write('condition, kind, empty: queries with such a breach\n')
  const obeyed = blind.filter(({ breaches }) => isObeyed(breaches)).length
  process.stdout.write(`blind: ${obeyed} of ${blind.length} obeyed\n\n`)
  for (const { asked, breaches } of scores.filter(({ breaches }) => !isObeyed(breaches))) {
    const { kind, condition, empty } = breaches
    const wrong = [
      ...(empty ? ['nothing found'] : []),
      ...condition,
      ...(kind.length > 0 ? [`not the kind: ${kind.join(', ')}`] : []),
    ]
    process.stdout.write(`${asked.slice} | ${asked.query} | ${wrong.join('; ')}\n`)
  }
}

function printRow(name: string, ...cells: Array<string | number>): void {
  process.stdout.write(`${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(11)).join('')}\n`)
}
