/**
 * Guards the demo catalog (catalog/*.json) and the search evaluation set (eval/queries.jsonl).
 * Both are content rather than code and edited by hand, so what the service and the search scores rely on is
 * written down here: shape, prices that agree with the shops, addresses on .example hosts only, no copied
 * prose, and queries whose answers exist. A test gathers every offence before it fails, so one run shows all
 * there is to fix.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const catalogDir = new URL('../../catalog/', import.meta.url)
const queriesFile = new URL('../../eval/queries.jsonl', import.meta.url)

/** The month the catalog was written: nothing in it may come out later. */
const NEWEST_RELEASE = '2026-11'

const slug = z.string().regex(/^(?=.{1,80}$)[a-z0-9]+(-[a-z0-9]+)*$/)
const text = z.string().min(1)
const phrases = z.array(text).min(1)
const dollars = z.number().positive().multipleOf(0.01)
const exampleUrl = z.string().refine(isExampleUrl, 'must be an https address on a .example host')

const themeSchema = z.strictObject({
  theme: text,
  sentiment: z.enum(['positive', 'negative', 'mixed']),
  share: z.number().min(0).max(1),
  summary: text,
})

const productSchema = z.strictObject({
  slug,
  title: text.max(120),
  brand: text,
  brand_domain: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*\.example$/),
  model: text,
  mpn: text,
  description: text.min(100),
  verdict: text.min(40),
  price: z.strictObject({ low: dollars, high: dollars }),
  list_price: dollars.optional(),
  rating: z.number().min(1).max(5).multipleOf(0.1),
  review_count: z.int().nonnegative(),
  released: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
  discontinued: z.boolean(),
  specs: z.record(text, text).refine((specs) => Object.keys(specs).length >= 5, 'at least 5 specs'),
  themes: z.array(themeSchema).min(1),
  best_for: phrases,
  not_for: phrases,
  where_to_buy: z.array(z.strictObject({ name: text, url: exampleUrl, price: dollars })).min(1),
})

const categorySchema = z.strictObject({
  slug,
  label: text,
  description: text.min(100),
  path: z.tuple([text]),
  products: z.array(productSchema),
})

const querySchema = z.strictObject({
  category: slug,
  kind: z.enum(['plain', 'paraphrase', 'model', 'typo', 'budget', 'negation', 'attribute']),
  query: text,
  relevant: z.array(slug).min(1),
})

const files = readdirSync(catalogDir)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => {
    const json: unknown = JSON.parse(readFileSync(new URL(name, catalogDir), 'utf8'))
    return { name, json, parsed: categorySchema.safeParse(json) }
  })
const categories = files.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : []))
const products = categories.flatMap((category) => category.products)

const queryLines = readFileSync(queriesFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => querySchema.safeParse(JSON.parse(line)))
const queries = queryLines.flatMap((parsed) => (parsed.success ? [parsed.data] : []))

describe('the demo catalog', () => {
  test('every file has the shape the importer expects and is named after its category', () => {
    expect(files.flatMap(({ name, parsed }) => schemaProblems(name, parsed))).toEqual([])
    expect(categories.map((category) => `${category.slug}.json`)).toEqual(files.map((file) => file.name))
  })

  test('it holds 41 categories and at least 861 products', () => {
    expect(categories).toHaveLength(41)
    expect(products.length).toBeGreaterThanOrEqual(861)
  })

  test('a product slug, a title and a part number each name one product in the whole catalog', () => {
    expect(repeated(products.map((product) => product.slug))).toEqual([])
    expect(repeated(products.map((product) => product.title))).toEqual([])
    expect(repeated(products.map((product) => product.mpn))).toEqual([])
  })

  test('the price span is exactly what the shops charge, and a list price is never below it', () => {
    const offences = products.filter(({ price, list_price, where_to_buy }) => {
      const asked = where_to_buy.map((shop) => shop.price)
      const spanIsReal = price.low === Math.min(...asked) && price.high === Math.max(...asked)
      return !spanIsReal || (list_price !== undefined && list_price < price.high)
    })
    expect(offences.map((product) => product.slug)).toEqual([])
  })

  test('nothing is released in the future', () => {
    const early = products.filter((product) => product.released > NEWEST_RELEASE)
    expect(early.map((product) => `${product.slug} ${product.released}`)).toEqual([])
  })

  test('a title names the brand', () => {
    const nameless = products.filter((product) => !product.title.includes(product.brand))
    expect(nameless.map((product) => `${product.brand}: ${product.title}`)).toEqual([])
  })

  test('one brand has one domain and one shop has one host', () => {
    const brands = products.map((product) => [product.brand, product.brand_domain] as const)
    const shops = products.flatMap((product) =>
      product.where_to_buy.map((shop) => [shop.name, new URL(shop.url).hostname] as const),
    )
    expect(notOneToOne([...brands, ...shops])).toEqual([])
  })

  test("a shop's address leads to the product it is listed under", () => {
    const strays = products.flatMap((product) =>
      product.where_to_buy
        .filter((shop) => shop.name !== product.brand && !shop.url.endsWith(`/${product.slug}`))
        .map((shop) => `${product.slug}: ${shop.url}`),
    )
    expect(strays).toEqual([])
  })

  test('no text hides invisible characters, stray spaces or markup', () => {
    const dirty = files.flatMap(({ name, json }) =>
      strings(json)
        .filter((value) => !isPlainText(value))
        .map((value) => `${name}: ${JSON.stringify(value)}`),
    )
    expect(dirty).toEqual([])
  })

  test('no description or verdict is a near copy of another', () => {
    const prose = products.flatMap(({ slug, description, verdict }) => [
      [`${slug} description`, description] as const,
      [`${slug} verdict`, verdict] as const,
    ])
    expect(nearCopies(Object.fromEntries(prose))).toEqual([])
  })
})

describe('the measures the guard relies on', () => {
  test('a reworded copy and a borrowed opening are both recognised, a fresh text is not', () => {
    const original = 'Quick, quiet and easy to clean, this kettle boils a litre in three minutes on the hob.'
    const reworded = 'Quick, quiet and easy to clean, this kettle boils a litre in four minutes on the hob.'
    const borrowed = 'Quick, quiet and easy to clean, this kettle is a present nobody has ever returned.'
    const fresh = 'A slow pot for patient people who own a wood stove and like tea that tastes of smoke.'
    expect(nearCopies({ original, reworded, fresh })).toEqual(['original ~ reworded'])
    expect(nearCopies({ original, borrowed, fresh })).toEqual(['original ~ borrowed'])
  })

  test('zero-width, bidirectional and no-break characters, tags and entities are not plain text', () => {
    const tainted = ['a\u200bb', 'a\u202eb', 'a\u00a0b', 'a\u0007b', 'a <b>b</b>', 'a &amp; b', ' a', 'a  b']
    expect(tainted.filter(isPlainText)).toEqual([])
    expect(['72 °C', 'a café', 'for < 5 people', 'Cobalt & Clay', '17–21 in'].every(isPlainText)).toBe(true)
  })
})

describe('the evaluation queries', () => {
  test('every line has the shape the evaluation reads', () => {
    expect(queryLines.flatMap((parsed, index) => schemaProblems(`line ${index + 1}`, parsed))).toEqual([])
  })

  test('every answer is a product of the category the query belongs to, named once', () => {
    const slugsOf = new Map(
      categories.map(({ slug, products }) => [slug, new Set(products.map((p) => p.slug))]),
    )
    const offences = queries.flatMap(({ category, query, relevant }) => [
      ...relevant
        .filter((answer) => !slugsOf.get(category)?.has(answer))
        .map((answer) => `${query} -> ${answer}`),
      ...repeated(relevant).map((answer) => `${query} -> ${answer} twice`),
    ])
    expect(offences).toEqual([])
  })

  test('no query is asked twice', () => {
    expect(repeated(queries.map(({ query }) => words(query).join(' ')))).toEqual([])
  })

  test('every kind of query is well represented and every category is asked about, in order', () => {
    const countOf = (kind: string) => queries.filter((query) => query.kind === kind).length
    const counts = querySchema.shape.kind.options.map((kind) => [kind, countOf(kind)] as const)
    const rare = counts.filter(([, count]) => count < 40)
    expect(rare, `queries by kind: ${counts.join('; ')}`).toEqual([])
    expect(queries.length, `queries by kind: ${counts.join('; ')}`).toBeGreaterThanOrEqual(287)
    const asked = queries.map((query) => query.category)
    expect([...new Set(asked)]).toEqual(categories.map((category) => category.slug))
    expect(asked).toEqual(asked.toSorted())
  })

  test('a query with a price limit is never answered by a product above it', () => {
    const cheapest = new Map(products.map((product) => [product.slug, product.price.low]))
    const limited = queries.flatMap((query) => {
      const limit = query.kind === 'budget' ? priceLimit(query.query) : undefined
      return limit === undefined ? [] : [{ ...query, limit }]
    })
    expect(limited.length).toBeGreaterThanOrEqual(50)
    const offences = limited.flatMap(({ query, relevant, limit }) =>
      relevant
        .filter((answer) => (cheapest.get(answer) ?? Infinity) > limit)
        .map((answer) => `${query} -> ${answer}`),
    )
    expect(offences).toEqual([])
  })
})

function isExampleUrl(value: string): boolean {
  const url = URL.parse(value)
  return url?.protocol === 'https:' && url.hostname.endsWith('.example') && url.href === value
}

function schemaProblems(where: string, parsed: z.ZodSafeParseResult<unknown>): string[] {
  return (parsed.error?.issues ?? []).map((issue) => `${where}: ${issue.path.join('.')}: ${issue.message}`)
}

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}

/** Pairs whose left side meets two right sides, or the other way round. */
function notOneToOne(pairs: (readonly [string, string])[]): string[] {
  const distinct = [...new Map(pairs.map((pair) => [pair.join(' = '), pair])).values()]
  const shared = new Set([
    ...repeated(distinct.map(([left]) => left)),
    ...repeated(distinct.map(([, right]) => right)),
  ])
  return distinct.filter((pair) => pair.some((side) => shared.has(side))).map((pair) => pair.join(' = '))
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)])
}

function isPlainText(value: string): boolean {
  const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
  const markup = /<[a-z!/?]|&(#\w+|[a-z]+\d*);/i
  return !invisible.test(value) && !markup.test(value) && !/^ | $| {2}/.test(value)
}

function words(value: string): string[] {
  return value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * Texts that share their first eight words, or at least a third of their five-word runs. Written apart, two
 * texts of this catalog share under a tenth; changing a few words of a copy still leaves well over a third.
 * Runs are indexed first, so only texts with something in common are ever compared.
 */
function nearCopies(texts: Record<string, string>): string[] {
  const prints = Object.entries(texts).map(([from, text]) => {
    const all = words(text)
    const runs = new Set(all.slice(0, -4).map((_, start) => all.slice(start, start + 5).join(' ')))
    return { from, runs, opening: all.slice(0, 8).join(' ') }
  })
  const holders = new Map<string, typeof prints>()
  const found: string[] = []
  for (const print of prints) {
    const shared = new Map<(typeof prints)[number], number>()
    for (const run of print.runs) {
      const earlier = holders.get(run) ?? []
      for (const other of earlier) shared.set(other, (shared.get(other) ?? 0) + 1)
      holders.set(run, [...earlier, print])
    }
    for (const [other, runs] of shared) {
      const alike = runs / (print.runs.size + other.runs.size - runs)
      if (alike >= 1 / 3 || print.opening === other.opening) found.push(`${other.from} ~ ${print.from}`)
    }
  }
  return found
}

function priceLimit(query: string): number | undefined {
  const limit = /\b(?:under|below|less than|max) \$?(\d[\d,]*)|\$?(\d[\d,]*)(?: dollars)? or less/.exec(query)
  const amount = limit?.[1] ?? limit?.[2]
  return amount === undefined ? undefined : Number(amount.replaceAll(',', ''))
}
