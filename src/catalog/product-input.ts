/**
 * One product as the outside states it (the import contract), checked and cleaned. A field that is absent says
 * nothing; a field that is null takes the value away. What is too long is cut and noted. What is wrong is refused with
 * its field, or, where a file of strangers is read forgivingly, left out and noted: only a product without a title is
 * none. Counts and lengths are looked at first: what a row costs is bounded whatever it holds.
 */
import { z } from 'zod'
import { dollarsToCents } from '../lib/money.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine, cleanText, SLUG, shorten } from '../lib/text.ts'
import { describeIssue } from '../lib/validate.ts'
import { atMost, isBeyond, startOf } from './bounded-input.ts'
import {
  EMPTY_FACTS,
  FACT_KEYS,
  FIELD_NAMES,
  type OriginalPrice,
  type ProductFacts,
  SENTIMENTS,
  type Spec,
  VARIANT_AVAILABILITIES,
  type Variant,
} from './catalog.schema.ts'
import { availabilityOf } from './import/availability.ts'
import { optionName } from './variants.ts'

export type ProductInput = {
  slug: string | null
  category: string
  /** The names above the category, outermost first. */
  categoryPath: string[]
  /** What its source calls it. */
  id: string | null
  /** Other keys of its source for the same product, such as "sku:TS-1". */
  aliases: string[]
  /** The product that this is one variant of. */
  group: string | null
  options: Spec[]
  /** Of this variant; absent if its source does not say. */
  availability?: Variant['availability']
  /** What its price was before it became dollars. */
  original: OriginalPrice | null
  brand: string | null | undefined
  brandDomain: string | null
  facts: Partial<ProductFacts> & { title: string }
}

/** `value` is what was found, for a message; the words are the same for every row with the same fault. */
export type InputProblem = { field: string | null; problem: string; fix: string; value?: string }
export type CheckedInput = { input: ProductInput; notes: InputProblem[] } | { problem: InputProblem }

const LIMITS = {
  title: 200,
  brand: 300,
  line: 300,
  specName: 80,
  gtin: 60,
  verdict: 400,
  description: 5_000,
  summary: 500,
  url: 2_000,
  list: 100,
  variants: 500,
  depth: 12,
  value: 60,
} as const

const link = z
  .string()
  .max(LIMITS.url)
  .transform((text) => text.trim())
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[\s<>"]/.test(text),
    'must be a full http or https URL',
  )
  .refine((text) => !URL.canParse(text) || isPublicHost(new URL(text)), NOT_PUBLIC)

const dollars = z.number().transform((amount, issue) => {
  const cents = dollarsToCents(amount)
  if (cents !== null) return cents
  issue.addIssue({ code: 'custom', message: 'must be dollars, 0 or more, with at most two decimals' })
  return z.NEVER
})

const line = (text: string, max: number) => shorten(cleanLine(startOf(text, max)), max)
const list = <T extends z.ZodType>(entry: T) =>
  z.array(entry).max(LIMITS.list, `must have at most ${LIMITS.list} entries`)
const shortWords = z
  .string()
  .transform((text) => line(text, LIMITS.line))
  .refine((text) => text.length > 0, 'must not be empty')

/** A text whose being cut is told. */
type CutText = { text: string; wasCut: boolean }
const noted = (max: number, clean: (text: string) => string, form?: { markup: boolean }) =>
  z.string().transform((raw): CutText => {
    const text = clean(startOf(raw, max, form))
    return { text: shorten(text, max), wasCut: text.length > max || isBeyond(raw, max, form) }
  })

const price = z.union(
  [
    dollars.transform((cents) => ({ low: cents, high: cents })),
    z
      .object({ low: dollars, high: dollars })
      .refine(({ low, high }) => low <= high, { message: 'low must not be above high' }),
  ],
  { error: 'must be US dollars with at most two decimals: one number, or a low and a high' },
)

/** GTIN-8, 12, 13 or 14 with its check digit (GS1 General Specifications 7.9). */
const gtin = z
  .union([z.string().max(LIMITS.gtin), z.number().int()])
  .transform((value) => String(value).replace(/[\s-]/g, ''))
  .refine(isGtin, 'must be 8, 12, 13 or 14 digits with a valid check digit')

const plainValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
const specValue = z.union([plainValue, z.array(plainValue).max(LIMITS.list)])

// More than are kept, because those without a value do not count.
const specs = atMost(4 * LIMITS.list, z.record(z.string(), specValue))
  .transform((record) =>
    Object.entries(record).map(([name, value]) => ({
      name: line(name, LIMITS.specName),
      value: line(specText(value), LIMITS.line),
    })),
  )
  .transform((entries) => entries.filter(({ name, value }) => name !== '' && value !== ''))
  .refine((entries) => entries.length <= LIMITS.list, `must have at most ${LIMITS.list} entries`)

/** Names of options in one spelling, so that the same choice has the same name whatever file it comes from. */
const options = specs.transform((entries) => {
  const named = entries.map(({ name, value }) => ({ name: optionName(name), value }))
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
})

const availability = z.string().transform((text, issue) => {
  const said = availabilityOf(text)
  if (said !== undefined) return said
  issue.addIssue({ code: 'custom', message: `must be one of ${VARIANT_AVAILABILITIES.join(', ')}` })
  return z.NEVER
})

const sourceId = z.union([z.string(), z.number()]).transform((id) => line(String(id), LIMITS.line))

const variant = z
  .object({
    id: sourceId,
    sku: shortWords.nullish(),
    gtin: z.string().nullish(),
    options: options.nullish(),
    price: dollars.nullish(),
    list_price: dollars.nullish(),
    image: link.nullish(),
    availability: availability.nullish(),
  })
  .transform(
    (given): Variant => ({
      id: given.id,
      sku: given.sku ?? null,
      gtin: given.gtin && isGtin(given.gtin) ? given.gtin : null,
      options: given.options ?? [],
      priceCents: given.price ?? null,
      listPriceCents: given.list_price ?? null,
      ...(given.image != null && { image: given.image }),
      ...(given.availability != null && { availability: given.availability }),
    }),
  )

const Row = z.object({
  id: sourceId.nullish(),
  aliases: list(shortWords).nullish(),
  group: sourceId.nullish(),
  options: options.nullish(),
  availability: availability.nullish(),
  variants: z.array(variant).max(LIMITS.variants, `must have at most ${LIMITS.variants} entries`).nullish(),
  slug: z.string().max(80).regex(SLUG, 'must be lower-case letters, digits and single hyphens').nullish(),
  category: z.union([shortWords, z.array(shortWords).min(1).max(LIMITS.depth)]),
  title: noted(LIMITS.title, cleanLine).refine(({ text }) => text.length > 0, 'must not be empty'),
  brand: noted(LIMITS.brand, cleanLine).nullish(),
  brand_domain: z
    .string()
    .max(LIMITS.url)
    .transform((text) =>
      text
        .trim()
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .replace(/\/.*$/, ''),
    )
    .refine((text) => /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/.test(text), 'must be a domain such as acme.example')
    .nullish(),
  model: shortWords.nullish(),
  description: noted(LIMITS.description, cleanText, { markup: true }).nullish(),
  verdict: noted(LIMITS.verdict, cleanLine).nullish(),
  specs: specs.nullish(),
  themes: list(
    z.object({
      theme: shortWords,
      sentiment: z.enum(SENTIMENTS),
      share: z.number().min(0).max(1).nullish().transform(orNull),
      summary: z
        .string()
        .transform((text) => line(text, LIMITS.summary))
        .nullish()
        .transform(orNull),
    }),
  ).nullish(),
  price: price.nullish(),
  list_price: dollars.nullish(),
  // No stars are how exports write that nobody has rated it.
  rating: z
    .number()
    .min(0)
    .max(5)
    .nullish()
    .transform((stars) => (stars === 0 ? null : stars)),
  review_count: z.number().int().min(0).max(2_000_000_000).nullish(),
  images: list(z.object({ url: link, alt: shortWords.nullish().transform(orNull) })).nullish(),
  where_to_buy: list(
    z
      .object({ name: shortWords, url: link, price: dollars.nullish().transform(orNull) })
      .transform(({ name, url, price: priceCents }) => ({ name, url, priceCents })),
  ).nullish(),
  best_for: list(shortWords).nullish(),
  not_for: list(shortWords).nullish(),
  gtin: gtin.nullish(),
  mpn: shortWords.nullish(),
  sku: shortWords.nullish(),
  released: z
    .string()
    .regex(/^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/, 'must be YYYY, YYYY-MM or YYYY-MM-DD')
    .nullish(),
  discontinued: z.boolean().nullish(),
})
type Row = z.output<typeof Row>

/** What a row may say. */
export const INPUT_FIELDS: readonly string[] = Object.keys(Row.shape)

const FIXES: Record<string, string> = {
  category: 'give the slug of a category in the catalog',
  price: 'write {"low": 49, "high": 59} or one number, in US dollars',
  list_price: 'write a number of US dollars such as 79.99',
  rating: 'write a number from 0 to 5',
  review_count: 'write a whole number',
  gtin: 'copy the digits below the barcode, or leave it out',
  specs: 'write {"name": "value", …}',
  themes: 'write [{"theme", "sentiment": "positive"|"negative"|"mixed", "share": 0..1, "summary"}]',
  images: 'write [{"url": "https://…", "alt": "…"}]',
  where_to_buy: 'write [{"name", "url": "https://…", "price"}]',
  released: 'write 2025, 2025-03 or 2025-03-14',
  discontinued: 'write true or false',
  slug: 'leave it out to create one from the title',
}

/** Refuses a row with the first thing that is wrong in it. */
export function checkProductInput(raw: Record<string, unknown>): CheckedInput {
  const result = Row.safeParse(raw, { reportInput: true })
  return result.success ? accept(result.data, []) : { problem: explain(result.error) }
}

/** One round finds what is wrong in every field; another, what was hidden behind it. */
const ROUNDS = 5

/** Leaves out what is wrong, and refuses only what has no title. */
export function forgiveProductInput(raw: Record<string, unknown>): CheckedInput {
  const notes: InputProblem[] = []
  let rest = raw
  for (let round = 1; ; round++) {
    const result = Row.safeParse(rest, { reportInput: true })
    if (result.success) return accept(result.data, notes)
    const { error } = result
    const vital = error.issues.find(({ path: [field] }) => field === undefined || VITAL.has(String(field)))
    if (vital || round > ROUNDS) return { problem: explain(error, vital) }
    rest = leaveOut(rest, error.issues, notes)
  }
}

const VITAL: ReadonlySet<string> = new Set(['title', 'category'])

const MONEY: ReadonlySet<string> = new Set(['price', 'list_price'])
const NO_AMOUNT = { problem: 'it is not an amount of money', fix: 'write a number such as 49.90' }

/** Of a list, or of specs, only what is wrong goes, and what is beyond the length. */
function leaveOut(
  raw: Record<string, unknown>,
  issues: z.core.$ZodIssue[],
  notes: InputProblem[],
): Record<string, unknown> {
  const rest = { ...raw }
  for (const [field, found] of Map.groupBy(issues, ({ path }) => String(path[0]))) {
    const value = raw[field]
    const [issue] = found
    const entries = found.flatMap(({ path }) => (path.length > 1 && path[1] !== undefined ? [path[1]] : []))
    const isNamed = isObject(value) && (field === 'specs' || field === 'options')
    if (field === 'variants' && Array.isArray(value) && found.every(isOfPart)) {
      rest[field] = value.map((one, at) =>
        withoutParts(
          one,
          found.filter(({ path }) => path[1] === at),
        ),
      )
    } else if (Array.isArray(value) && entries.length === found.length) {
      rest[field] = value.filter((_, at) => !entries.includes(at))
    } else if (isNamed && entries.length === found.length) {
      rest[field] = Object.fromEntries(Object.entries(value).filter(([name]) => !entries.includes(name)))
    } else if (Array.isArray(value) && issue?.code === 'too_big') {
      const most = Number(issue.maximum)
      rest[field] = value.slice(0, most)
      notes.push(cutNote(field, most, value.length))
      continue
    } else if (isNamed) {
      const said = Object.entries(value).filter(([, one]) => one !== null && one !== '')
      rest[field] = Object.fromEntries(said.slice(0, LIMITS.list))
      notes.push(cutNote(field, LIMITS.list, said.length))
      continue
    } else {
      delete rest[field]
    }
    const { problem, fix } = MONEY.has(field) && typeof value === 'string' ? NO_AMOUNT : explain(null, issue)
    // What was found wrong in an amount of money is in cents already.
    const given = MONEY.has(field) ? value : (issue?.input ?? value)
    notes.push({ field, problem: `was left out: ${problem}`, fix, value: shown(given) })
  }
  return rest
}

/** A variant stays without what is wrong in it, as long as it can be told by its id. */
function isOfPart({ path }: z.core.$ZodIssue): boolean {
  return path.length > 2 && path[2] !== 'id'
}

function withoutParts(variant: Record<string, unknown>, issues: z.core.$ZodIssue[]): Record<string, unknown> {
  const wrong = new Set(issues.map(({ path }) => path[2]))
  return Object.fromEntries(Object.entries(variant).filter(([name]) => !wrong.has(name)))
}

function cutNote(field: string, most: number, found: number): InputProblem {
  const problem = `was cut to its first ${most} entries`
  return { field, problem, fix: 'put the most important ones first', value: `${found} entries` }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, LIMITS.line) : (JSON.stringify(value) ?? '')
  return shorten(cleanLine(text.slice(0, LIMITS.line)), LIMITS.value)
}

function accept(row: Row, notes: InputProblem[]): CheckedInput {
  const told = (field: 'title' | 'brand' | 'verdict' | 'description') => {
    const said = row[field]
    if (said?.wasCut)
      notes.push({
        field,
        problem: `was cut to ${LIMITS[field]} characters`,
        fix: 'shorten it to choose where it ends',
      })
    return said ? said.text : said
  }
  return {
    notes,
    input: {
      slug: row.slug ?? null,
      ...categoryOf(row.category),
      id: emptyToNull(row.id ?? null),
      aliases: row.aliases ?? [],
      group: emptyToNull(row.group ?? null),
      options: row.options ?? [],
      ...(row.availability != null && { availability: row.availability }),
      original: null,
      brand: emptyToNull(told('brand')),
      brandDomain: row.brand_domain ?? null,
      facts: toFacts(row, {
        title: told('title') ?? row.title.text,
        verdict: emptyToNull(told('verdict')),
        description: emptyToNull(told('description')),
      }),
    },
  }
}

function categoryOf(category: string | string[]): Pick<ProductInput, 'category' | 'categoryPath'> {
  const path = Array.isArray(category) ? category : [category]
  return { category: path.at(-1) ?? '', categoryPath: path.slice(0, -1) }
}

/** A fact that is null takes the value away; one that is absent says nothing. */
function toFacts(row: Row, texts: Partial<ProductFacts>): ProductInput['facts'] {
  const { low, high } = row.price ?? { low: row.price, high: row.price }
  const stated: Record<string, unknown> = {
    ...Object.fromEntries(FACT_KEYS.map((key) => [key, row[FIELD_NAMES[key] as keyof Row]])),
    ...{ priceLowCents: low, priceHighCents: high },
    ...texts,
  }
  const facts = FACT_KEYS.filter((key) => stated[key] !== undefined)
  return Object.fromEntries(
    facts.map((key) => [key, stated[key] ?? EMPTY_FACTS[key]]),
  ) as ProductInput['facts']
}

function explain(error: z.ZodError | null, issue = error?.issues[0]): InputProblem {
  const [top] = issue?.path ?? []
  const field = issue && issue.path.length > 0 ? issue.path.map(pathPart).join('.') : null
  const missing = issue?.code === 'invalid_type' && issue.input === undefined
  return {
    field,
    problem: missing ? 'is missing' : wordsOf(issue),
    fix: FIXES[String(top)] ?? (missing ? 'every product needs one' : 'correct the value'),
  }
}

function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type')
    return `must be ${KINDS[issue.expected] ?? `of type "${issue.expected}"`}`
  const isRange = (issue?.code === 'too_big' || issue?.code === 'too_small') && issue.origin === 'number'
  if (issue && (isRange || issue.code === 'invalid_value')) return describeIssue(issue)
  return issue?.code === 'invalid_union' && issue.message === 'Invalid input'
    ? 'cannot be read'
    : (issue?.message ?? 'is not valid')
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** The name of a spec may be as long as the row. */
function pathPart(part: PropertyKey): string {
  return shorten(String(part), LIMITS.specName)
}

export function isGtin(digits: string): boolean {
  if (!/^(\d{8}|\d{12,14})$/.test(digits)) return false
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 1 ? 3 : 1), 0)
  return sum % 10 === 0
}

function specText(value: z.output<typeof specValue>): string {
  if (Array.isArray(value)) return value.map(specText).join(', ')
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return value === null ? '' : String(value)
}

function emptyToNull<T extends string | null | undefined>(text: T): T | null {
  return text === '' ? null : text
}

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null
}
