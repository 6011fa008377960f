/**
 * The form that proposes a change of a profile. It is filled in with what the catalog says; only what somebody typed over
 * is proposed. Which fields that are is told by a mark of each text as it was shown, which the form brings along: a
 * profile that changed meanwhile is not proposed to be changed back.
 */
import { z } from 'zod'
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import { sha256 } from '../../../lib/crypto.ts'
import { AppError } from '../../../lib/errors.ts'
import { centsToDollars, readDollars, typedDollars } from '../../../lib/money.ts'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import {
  plainLines,
  type ReadLines,
  readAddresses,
  readImages,
  readPhrases,
  readShops,
  readSpecs,
  shopLine,
  specLine,
} from './lines.ts'

export const CHANGE_LABELS = {
  title: FIELD_WORDS.title,
  model: FIELD_WORDS.model,
  description: FIELD_WORDS.description,
  specs: FIELD_WORDS.specs,
  best_for: FIELD_WORDS.best_for,
  not_for: FIELD_WORDS.not_for,
  where_to_buy: FIELD_WORDS.where_to_buy,
  price_low: 'Price in US dollars, from',
  price_high: 'Price in US dollars, to',
  list_price: 'List price in US dollars',
  released: FIELD_WORDS.released,
  discontinued: FIELD_WORDS.discontinued,
  gtin: FIELD_WORDS.gtin,
  mpn: FIELD_WORDS.mpn,
  sku: FIELD_WORDS.sku,
} as const
export type ChangeField = keyof typeof CHANGE_LABELS
const CHANGE_FIELDS = Object.keys(CHANGE_LABELS) as ChangeField[]

const OTHER_LABELS = { images: 'New images', evidence: 'Evidence', note: 'Note to the operator' } as const
type FormField = ChangeField | keyof typeof OTHER_LABELS

/** The texts that the form is filled in with. */
export function todayOf(profile: ProductProfile): Record<ChangeField, string> {
  const money = (cents: number | null) => (cents === null ? '' : typedDollars(cents))
  return {
    title: profile.title,
    model: profile.model ?? '',
    description: profile.description ?? '',
    specs: profile.specs.map(specLine).join('\n'),
    best_for: profile.bestFor.join('\n'),
    not_for: profile.notFor.join('\n'),
    where_to_buy: profile.whereToBuy.map(shopLine).join('\n'),
    price_low: money(profile.priceLowCents),
    price_high: money(profile.priceHighCents),
    list_price: money(profile.listPriceCents),
    released: profile.released ?? '',
    discontinued: profile.discontinued ? 'yes' : 'no',
    gtin: profile.gtin ?? '',
    mpn: profile.mpn ?? '',
    sku: profile.sku ?? '',
  }
}

export function marksOf(texts: Record<ChangeField, string>): string {
  return CHANGE_FIELDS.map((field) => `${field}:${markOf(texts[field])}`).join(' ')
}

function markOf(text: string): string {
  return sha256(plainLines(text)).toString('hex').slice(0, 12)
}

export type Change = {
  /** As the contract has them; specs are all that were typed. */
  fields: Record<string, unknown>
  specs: Spec[] | null | undefined
  images: ProductImage[]
  evidence: string[]
  note: string | null
  confirms: boolean
}

export const ChangeForm = z.record(z.string(), z.string()).transform((form, check): Change => {
  const refuse = (field: FormField, problem: string) => {
    const message = `${labelOf(field)}: ${problem}`
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  }
  const changed = changedIn(form)
  const fields: Record<string, unknown> = {}
  const text = (field: ChangeField) => plainLines(form[field] ?? '')
  const read = <Entry>(field: FormField, lines: (typed: string) => ReadLines<Entry>): Entry[] => {
    const { entries, problem } = lines(form[field] ?? '')
    if (problem !== null) refuse(field, problem)
    return entries
  }
  const dollars = (field: ChangeField): number | null => {
    const typed = text(field)
    const cents = typed === '' ? null : readDollars(typed)
    if (typed !== '' && cents === null) refuse(field, 'write dollars such as 49.99')
    return cents === null ? null : centsToDollars(cents)
  }
  if (changed.has('title') && text('title') === '') refuse('title', 'every product needs one')
  for (const name of ['title', 'model', 'description', 'released', 'gtin', 'mpn', 'sku'] as const)
    if (changed.has(name)) fields[name] = text(name) || null
  for (const name of ['best_for', 'not_for'] as const)
    if (changed.has(name)) fields[name] = orNull(read(name, readPhrases))
  if (changed.has('where_to_buy'))
    fields.where_to_buy = orNull(
      read('where_to_buy', readShops).map(({ priceCents, ...shop }) => ({
        ...shop,
        price: priceCents === null ? null : centsToDollars(priceCents),
      })),
    )
  if (changed.has('price_low') || changed.has('price_high')) {
    const [low, high] = [dollars('price_low'), dollars('price_high')]
    if (low !== null && high !== null && low > high) refuse('price_low', 'is above the other one')
    fields.price = low === null && high === null ? null : { low: low ?? high, high: high ?? low }
  }
  if (changed.has('list_price')) fields.list_price = dollars('list_price')
  if (changed.has('discontinued')) fields.discontinued = form.discontinued === 'yes'
  return {
    fields,
    specs: changed.has('specs') ? orNull(read('specs', readSpecs)) : undefined,
    images: read('images', readImages),
    evidence: read('evidence', readAddresses),
    note: plainLines(form.note ?? '') || null,
    confirms: form.confirms_profile === 'on',
  }
})

/** A form without marks states what it holds: then an empty field says nothing. */
function changedIn(form: Record<string, string>): Set<ChangeField> {
  const marks = new Map((form.was ?? '').split(' ').map((one) => one.split(':') as [string, string]))
  return new Set(
    CHANGE_FIELDS.filter((field) => {
      const typed = form[field]
      if (typed === undefined) return false
      const mark = marks.get(field)
      return mark === undefined ? plainLines(typed) !== '' : mark !== markOf(typed)
    }),
  )
}

/**
 * Of the specs that were typed, those that are new or say something else. A proposal adds and corrects specs by their
 * names, and cannot take a single one away: that is said, rather than not done.
 */
export function changedSpecs(typed: Spec[] | null, today: readonly Spec[]): Record<string, string> | null {
  if (typed === null) return null
  const key = ({ name }: Spec) => name.toLowerCase()
  const stays = new Set(typed.map(key))
  const gone = today.find((spec) => !stays.has(key(spec)))
  if (gone)
    throw new AppError(
      'invalid',
      `Specs: “${gone.name}” is missing. Specs can be added and corrected here, or all be cleared, but one alone cannot be taken away: put it back, and tell the operator in the note`,
      { field: 'specs' },
    )
  const known = new Map(today.map((spec) => [key(spec), spec.value]))
  const differing = typed.filter((spec) => known.get(key(spec)) !== spec.value)
  return Object.fromEntries(differing.map(({ name, value }) => [name, value]))
}

/** Where the form has what the contract calls `fields.gtin`, `fields.where_to_buy.0.url`, `images.0.url`. */
export function placeOf(field: string): { name: string; label: string } | null {
  const top = field.replace(/^fields\./, '').split('.')[0] ?? ''
  if (top === 'price') return { name: 'price_low', label: FIELD_WORDS.price }
  return isFormField(top) ? { name: top, label: labelOf(top) } : null
}

function isFormField(name: string): name is FormField {
  return Object.hasOwn(CHANGE_LABELS, name) || Object.hasOwn(OTHER_LABELS, name)
}

export function labelOf(field: FormField): string {
  return { ...CHANGE_LABELS, ...OTHER_LABELS }[field]
}

function orNull<Entry>(entries: Entry[]): Entry[] | null {
  return entries.length === 0 ? null : entries
}
