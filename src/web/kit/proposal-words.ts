/** What producers propose and operators decide on, in the same words for both: the parts of it, their values, how it stands. */
import type { ProductImage, Spec } from '../../catalog/catalog.schema.ts'
import type { EnrichmentStatus, ProposableField } from '../../catalog/enrichment.schema.ts'
import type { SubmissionStatus } from '../../db/tables.ts'
import { dollarsToCents, formatPriceRange, formatUsd } from '../../lib/money.ts'
import { humanized } from '../format.ts'
import type { FieldSpec, FormSpec } from './form.tsx'
import type { Word } from './parts.tsx'

export const REVIEW_WORDS: Record<EnrichmentStatus | SubmissionStatus, Word> = {
  pending: { tone: 'mixed', words: 'In review' },
  approved: { tone: 'good', words: 'Approved' },
  rejected: { tone: 'bad', words: 'Rejected' },
  withdrawn: { tone: 'quiet', words: 'Withdrawn' },
}

/** Of a profile, as the forms have them. */
export const FIELD_WORDS: Record<ProposableField, string> = {
  title: 'Title',
  model: 'Model',
  description: 'Description',
  specs: 'Specs',
  best_for: 'Best for',
  not_for: 'Not for',
  where_to_buy: 'Where to buy',
  price: 'Price',
  list_price: 'List price',
  released: 'Released',
  discontinued: 'Availability',
  gtin: 'Bar code number (GTIN)',
  mpn: 'Part number (MPN)',
  sku: 'SKU',
}

/** How a profile is edited, by its organization or the operator; each form adds its hints and what an empty field means. */
export const PROFILE_FIELDS = {
  title: { kind: 'text', label: FIELD_WORDS.title, max: 200 },
  model: { kind: 'text', label: FIELD_WORDS.model, max: 300 },
  description: { kind: 'long', label: FIELD_WORDS.description, max: 5_000 },
  released: { kind: 'text', label: FIELD_WORDS.released, max: 10 },
  specs: {
    ...{ kind: 'rows', label: FIELD_WORDS.specs },
    parts: { name: { label: 'Name', max: 80 }, value: { label: 'Value', max: 300 } },
  },
  best_for: { kind: 'texts', label: FIELD_WORDS.best_for },
  not_for: { kind: 'texts', label: FIELD_WORDS.not_for },
  price_low: { kind: 'money', label: 'Lowest price' },
  price_high: { kind: 'money', label: 'Highest price', hint: 'Leave empty if there is only one price.' },
  list_price: { kind: 'money', label: FIELD_WORDS.list_price },
  where_to_buy: {
    ...{ kind: 'rows', label: FIELD_WORDS.where_to_buy },
    parts: {
      name: { label: 'Shop' },
      url: { label: 'Product page', kind: 'url' },
      price: { label: 'Price', kind: 'money' },
    },
  },
  gtin: { kind: 'text', label: FIELD_WORDS.gtin, max: 30 },
  mpn: { kind: 'text', label: FIELD_WORDS.mpn, max: 300 },
  sku: { kind: 'text', label: FIELD_WORDS.sku, max: 300 },
} as const satisfies FormSpec

export const IMAGE_PARTS = {
  url: { label: 'Address (https)', kind: 'image' },
  alt: { label: 'What it shows', max: 300 },
} as const satisfies FieldSpec['parts']

/** A part of a proposal, or a field that somebody stated: "Images", "Review count". */
export function partWords(part: string): string {
  if (isProposable(part)) return FIELD_WORDS[part]
  return part === 'confirms_profile' ? 'Confirms the whole profile' : humanized(part)
}

function isProposable(part: string): part is ProposableField {
  return Object.hasOwn(FIELD_WORDS, part)
}

export function availabilityWords(discontinued: boolean): string {
  return discontinued ? 'No longer made' : 'Still made'
}

type ProposedShop = { name: string; url: string; price: number | null }

/** A value in the contract's form as people read it, a line for each of its entries; none for what is empty. */
export function linesOf(part: string, value: unknown): string[] {
  if (value === null || value === undefined || value === '') return []
  if (part === 'price') return [priceWords(value as number | { low: number; high: number })]
  if (part === 'list_price') return [dollarWords(value as number)]
  if (part === 'specs') return (value as Spec[]).map((spec) => `${spec.name}: ${spec.value}`)
  if (part === 'where_to_buy') return (value as ProposedShop[]).map(shopWords)
  if (part === 'images')
    return (value as ProductImage[]).map(({ url, alt }) => (alt === null ? url : `${url} ${alt}`))
  if (part === 'discontinued') return [availabilityWords(value === true)]
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

function shopWords({ name, url, price }: ProposedShop): string {
  return [name, url, ...(price === null ? [] : [dollarWords(price)])].join(' | ')
}

function dollarWords(dollars: number): string {
  return formatUsd(dollarsToCents(dollars) ?? 0)
}

function priceWords(value: number | { low: number; high: number }): string {
  const { low, high } = typeof value === 'number' ? { low: value, high: value } : value
  return formatPriceRange(dollarsToCents(low), dollarsToCents(high)) ?? ''
}
