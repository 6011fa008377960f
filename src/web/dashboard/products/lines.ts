/**
 * The lists of a product's forms: specs, phrases, shops, images, addresses. People fill in a row for each entry, or
 * paste lines, which are read forgivingly because they come from somewhere else: empty lines, bullets and other marks
 * between name and value are fine. What cannot be read is named by its row or line.
 */
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import { centsToDollars, readDollars } from '../../../lib/money.ts'
import { shorten } from '../../../lib/text.ts'
import { type FormSpec, fieldProblem, requestOf, typedRows } from '../../kit/form.tsx'

type Form = Record<string, string>
/** `key` is for entries that may be there only once, with this value. */
type Judged<Entry> = { entry: Entry; key?: string; value?: string } | { problem: string }
export type ListKind<Entry> = {
  /** The parts of a pasted line, by the names that a row has for them. */
  split: (line: string) => Form
  judge: (row: Form) => Judged<Entry>
}

const BULLET = /^(?:[-*•–—·]\s+)+/
const SEPARATORS = /^(?:\t|\s*[:=：]\s*)/
const MAX_QUOTED = 40
// Each run of marks is looked at from its start only, or a field of nothing but blanks would be read for minutes.
const BLANKS_AT_END = /(?<![^\S\n])[^\S\n]+$/gm
const COMMAS_AT_END = /(?<![,;])[,;]+$/
const MARKS_AROUND = /^[\s|,;:–—-]+|(?<![\s|,;:–—-])[\s|,;:–—-]+$/g
const BAR = /(?:(?<!\s)\s+)?\|\s*/g

/** As it counts when two texts are compared: browsers send other line ends, and nobody means blanks at a line's end. */
export function plainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(BLANKS_AT_END, '').trim()
}

export const PHRASES: ListKind<string> = {
  split: (value) => ({ value }),
  judge: ({ value = '' }) => ({ entry: value }),
}

/** A pasted line is `Name: value`; a tab or an equals sign will do too. */
export const SPECS: ListKind<Spec> = {
  split(line) {
    const at = line.includes('\t') ? line.indexOf('\t') : line.search(/[:=：]/)
    return at < 1
      ? { name: line, value: '' }
      : { name: line.slice(0, at).trim(), value: line.slice(at).replace(SEPARATORS, '').trim() }
  },
  judge({ name = '', value = '' }) {
    if (name === '' || value === '') return { problem: 'needs a name and a value, such as Weight: 2 kg' }
    return { entry: { name, value }, key: name.toLowerCase(), value }
  },
}

/** A name, an address, and a price where it is known; without a name, the address says whose shop it is. */
export const SHOPS: ListKind<{ name: string; url: string; price: number | null }> = {
  split(line) {
    const { before, url, after } = aroundAddress(line)
    return { name: unmarked(before), url, price: unmarked(after) }
  },
  judge({ name = '', url = '', price = '' }) {
    const address = addressIn(url)
    if (address === null) return { problem: 'needs the full address of the product in that shop' }
    const cents = price === '' ? null : readDollars(price)
    if (price !== '' && cents === null)
      return { problem: `has “${shorten(price, MAX_QUOTED)}” where a price such as 49.99 is expected` }
    const shop = name || address.hostname.replace(/^www\./, '')
    return { entry: { name: shop, url: address.href, price: cents === null ? null : centsToDollars(cents) } }
  },
}

export const IMAGES: ListKind<ProductImage> = {
  split(line) {
    const { before, url, after } = aroundAddress(line)
    return { url, alt: unmarked(`${before} ${after}`) }
  },
  judge({ url = '', alt = '' }) {
    const address = addressIn(url)
    if (address?.protocol !== 'https:') return { problem: 'needs an address that starts with https://' }
    return { entry: { url: address.href, alt: alt || null } }
  },
}

export const ADDRESSES: ListKind<string> = {
  split: (line) => ({ value: aroundAddress(line).url }),
  judge({ value = '' }) {
    const address = addressIn(value)
    return address ? { entry: address.href } : { problem: 'needs a full address that starts with https://' }
  },
}

/**
 * readList reads rows, then the lines pasted below them. A pasted entry replaces the row with its key; twice among the
 * rows, or among the lines, a key is refused unless both say the same. Only the first problem is reported.
 */
export function readList<Entry>(
  { split, judge }: ListKind<Entry>,
  rows: readonly Form[],
  pasted: string,
): { entries: Entry[]; problem: string | null } {
  const given = [
    ...rows.map((row, at) => ({ from: 'row', at, text: Object.values(row).join(' ').trim(), row })),
    ...pasted.split(/\r\n?|\n/).map((line, at) => {
      const text = line.trim().replace(BULLET, '')
      return { from: 'line', at, text, row: split(text) }
    }),
  ]
  const known = new Map<unknown, { entry: Entry; value?: string; from: string }>()
  let problem: string | null = null
  for (const { from, at, text, row } of given) {
    if (text === '') continue
    const judged = judge(row)
    const refuse = (why: string) => {
      problem ??= `${from} ${at + 1} (“${shorten(text, MAX_QUOTED)}”) ${why}`
    }
    if ('problem' in judged) {
      refuse(judged.problem)
      continue
    }
    const { entry, key = Symbol(), value } = judged
    const before = known.get(key)
    if (before?.from === from && before.value !== value) refuse('repeats a name with another value')
    known.set(key, { entry, value, from })
  }
  return { entries: [...known.values()].map(({ entry }) => entry), problem }
}

const LISTS: Record<string, ListKind<unknown>> = {
  specs: SPECS,
  best_for: PHRASES,
  not_for: PHRASES,
  where_to_buy: SHOPS,
  images: IMAGES,
  image_urls: IMAGES,
  evidence: ADDRESSES,
}

/** readProductForm reads a form of a product: what it says, and what is wrong with it, by field. */
export function readProductForm(
  of: FormSpec,
  form: Form,
): { values: Record<string, unknown>; problems: Record<string, string> } {
  const values = requestOf(of, form)
  const problems: Record<string, string> = {}
  for (const [name, field] of Object.entries(of)) {
    const list = LISTS[name]
    if (list) {
      const { entries, problem } = readList(list, typedRows(field, name, form), form[name] ?? '')
      values[name] = entries
      if (problem !== null) problems[name] = fieldProblem(field.label, problem)
    } else if (Number.isNaN(values[name]))
      problems[name] = fieldProblem(field.label, 'enter an amount in dollars, such as 49.99')
  }
  return { values, problems }
}

function addressIn(text: string): URL | null {
  return /^https?:\/\/[^\s|]+$/i.test(text) ? URL.parse(text) : null
}

function aroundAddress(line: string): { before: string; url: string; after: string } {
  const match = /https?:\/\/[^\s|]+/i.exec(line)
  if (!match) return { before: line, url: '', after: '' }
  return {
    before: line.slice(0, match.index),
    url: match[0].replace(COMMAS_AT_END, ''),
    after: line.slice(match.index + match[0].length),
  }
}

/** Without the marks that stood between it and its neighbours. */
function unmarked(text: string): string {
  return text.replace(MARKS_AROUND, '').replace(BAR, ' ')
}
