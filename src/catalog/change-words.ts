/**
 * What changed of a product, in half a sentence: as plain words for data, and as Markdown for texts. Names of shops in it
 * are their own words, so each is cleaned, shortened and escaped by itself before it joins the sentence: two names
 * together could otherwise form markup that neither holds alone, and take our words between them out.
 */
import { z } from 'zod'
import { idsOf } from '../lib/ids.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { inlineText } from '../lib/untrusted.ts'
import { usd } from '../lib/words.ts'
import { FIELD_NAMES } from './catalog.schema.ts'
import type { ChangeSummary } from './changes.service.ts'

type Change = Pick<ChangeSummary, 'aspect' | 'before' | 'after'>

type Style = { theirs: (text: string) => string; strong: (words: string) => string }

const MAX_NAME = 60
/** Of shops, and of variants. */
const NAMED = 3
const PLAIN: Style = { theirs: (text) => shorten(cleanLine(text), MAX_NAME), strong: (words) => words }
const MARKDOWN: Style = { theirs: (text) => inlineText(text, MAX_NAME), strong: (words) => `**${words}**` }

export function changeWords(change: Change): string {
  return sentence(change, PLAIN)
}

/** Safe within a line of Markdown. */
export function changeMarkdown(change: Change): string {
  return sentence(change, MARKDOWN)
}

/** The fields of a text change are ours inside; at the edge they have the contract's names. */
export function fieldName(field: string): string {
  if (field === 'verificationStatus') return 'verification_status'
  return Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field as keyof typeof FIELD_NAMES] : field
}

const Fields = z.record(z.string(), z.unknown())
const Price = z.object({
  low: z.number().nullable(),
  high: z.number().nullable(),
  list_price: z.number().nullable(),
  variants: z.array(z.object({ id: z.string(), name: z.string(), price: z.number().nullable() })).default([]),
})
const Offers = z.object({ offers: z.number(), best_price_usd: z.number().nullable() })
const Stocked = z.object({ id: z.string(), name: z.string(), availability: z.string().nullable() })
const Shops = z.object({
  shops: z.array(z.object({ name: z.string() })),
  variants: z.array(Stocked).default([]),
})
const Discontinued = z.object({ discontinued: z.boolean() })

function sentence({ aspect, before, after }: Change, style: Style): string {
  if (aspect === 'created') return `new in the catalog${priceAtFirst(after)}`
  if (aspect === 'removed') return 'removed from the catalog'
  if (aspect === 'price')
    return told(Price, before, after, (was, is) => priceWords(was, is, style)) ?? 'price changed'
  if (aspect === 'offers') return told(Offers, before, after, offersWords) ?? 'promoted offers changed'
  if (aspect === 'availability')
    return told(Shops, before, after, (was, is) => shopsWords(was, is, style)) ?? 'shops changed'
  if (aspect === 'discontinued') {
    const now = Discontinued.safeParse(after).data?.discontinued
    return now ? style.strong('discontinued') : 'no longer discontinued'
  }
  const fields = Object.keys(Fields.safeParse(after).data ?? {}).map(fieldName)
  return fields.length === 0 ? 'profile changed' : `profile changed: ${fields.map(style.theirs).join(', ')}`
}

/** Null when the log holds a shape of another time. */
function told<State>(
  schema: z.ZodType<State>,
  before: unknown,
  after: unknown,
  words: (was: State, is: State) => string,
): string | null {
  const [was, is] = [schema.safeParse(before), schema.safeParse(after)]
  return was.success && is.success ? words(was.data, is.data) : null
}

type Price = z.output<typeof Price>

function priceWords(was: Price, is: Price, style: Style): string {
  const old = new Map(was.variants.map(({ id, price }) => [id, price]))
  const changed = is.variants.filter(({ id, price }) => old.has(id) && old.get(id) !== price)
  const whole = [
    ...(span(was) === span(is) ? [] : [`price ${span(was)} → ${span(is)}`]),
    ...(was.list_price === is.list_price
      ? []
      : [`list price ${money(was.list_price)} → ${money(is.list_price)}`]),
  ].join(', ')
  const variants = changed.map(
    ({ id, name, price }) => `${style.theirs(name)} now ${money(price)}, was ${money(old.get(id) ?? null)}`,
  )
  const parts = [...(whole === '' ? [] : [whole]), ...someOf(variants, '; ')]
  return parts.length > 0 ? parts.join('; ') : 'shop prices changed'
}

function priceAtFirst(after: unknown): string {
  const price = Price.safeParse(after)
  return price.success ? `, price ${span(price.data)}` : ''
}

function span({ low, high }: Price): string {
  if (low === null || high === null || low === high) return money(low ?? high)
  return `${money(low)} – ${money(high)}`
}

function money(dollars: number | null): string {
  return dollars === null ? 'unknown' : usd(dollars)
}

type Offers = z.output<typeof Offers>

function offersWords(was: Offers, is: Offers): string {
  const best = is.best_price_usd === null ? '' : `, best price now ${usd(is.best_price_usd)}`
  if (was.offers === is.offers) return `promoted offers changed (${is.offers} now${best})`
  return `promoted offers ${was.offers} → ${is.offers}${best}`
}

type Shops = z.output<typeof Shops>

function shopsWords(was: Shops, is: Shops, style: Style): string {
  const names = ({ shops }: Shops) => [...new Set(shops.map(({ name }) => name))]
  const [old, now] = [names(was), names(is)]
  const added = now.filter((name) => !old.includes(name))
  const gone = old.filter((name) => !now.includes(name))
  const parts = [
    ...(added.length > 0 ? [`now also sold by ${some(added, style)}`] : []),
    ...(gone.length > 0 ? [`no longer sold by ${some(gone, style)}`] : []),
    ...someOf(stockWords(was.variants, is.variants, style), '; '),
  ]
  return parts.length > 0 ? parts.join('; ') : 'shop links changed'
}

type Stocked = z.output<typeof Stocked>

/** "Blue / XL added", "Green / S no longer available". */
function stockWords(was: Stocked[], is: Stocked[], { theirs }: Style): string[] {
  const old = new Map(was.map((variant) => [variant.id, variant]))
  const now = new Set(idsOf(is))
  const changed = is.flatMap(({ id, name, availability }) => {
    const before = old.get(id)
    if (!before) return [`${theirs(name)} added`]
    if (before.availability === availability) return []
    if (availability === OUT) return [`${theirs(name)} no longer available`]
    if (before.availability === OUT && availability !== null) return [`${theirs(name)} available again`]
    return [`${theirs(name)} now ${availability?.replaceAll('_', ' ') ?? 'without stated availability'}`]
  })
  const gone = was.filter(({ id }) => !now.has(id)).map(({ name }) => `${theirs(name)} no longer available`)
  return [...changed, ...gone]
}

const OUT = 'out_of_stock'

function some(names: string[], { theirs }: Style): string {
  return someOf(names.map(theirs), ', ').join('')
}

/** The first of them in one text, and how many more there are; none of none. */
function someOf(words: string[], between: string): string[] {
  const more = words.length - NAMED
  const listed = words.slice(0, NAMED).join(between)
  return words.length === 0 ? [] : [more > 0 ? `${listed} and ${more} more` : listed]
}
