/**
 * Lists that people type as lines of a text: specs, phrases, shops, images. Read forgivingly (empty lines, bullets and
 * other marks between name and value are fine), because most are pasted from somewhere; what cannot be read is told by
 * the number of its line, so that it is found in a long list.
 */
import type { ProductImage, Shop, Spec } from '../../../catalog/catalog.schema.ts'
import { readDollars, typedDollars } from '../../../lib/money.ts'
import { shorten } from '../../../lib/text.ts'

export type ReadLines<Entry> = { entries: Entry[]; problem: string | null }

type Line = { at: number; text: string }
type Judged<Entry> = { entry: Entry } | { problem: string }

const BULLET = /^(?:[-*•–—·]\s+)+/
const SEPARATORS = /^(?:\t|\s*[:=：]\s*)/
const MAX_QUOTED = 40
// Each run of marks is looked at from its start only, or a field of nothing but blanks would be read for minutes.
const BLANKS_AT_END = /(?<![^\S\n])[^\S\n]+$/gm
const COMMAS_AT_END = /(?<![,;])[,;]+$/
const MARKS_AROUND = /^[\s|,;:–—-]+|(?<![\s|,;:–—-])[\s|,;:–—-]+$/g
const BAR = /(?:(?<!\s)\s+)?\|\s*/g

/** As it counts when two texts are compared: browsers send other line ends, and blanks at a line's end are nobody's wish. */
export function plainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(BLANKS_AT_END, '').trim()
}

export function readPhrases(text: string): ReadLines<string> {
  return readEach(text, (phrase) => ({ entry: phrase }))
}

/** `Name: value`; a tab or an equals sign will do too. The same name twice is refused unless it says the same. */
export function readSpecs(text: string): ReadLines<Spec> {
  const known = new Map<string, Spec>()
  const { problem } = readEach(text, (line): Judged<Spec> => {
    const spec = specOf(line)
    if (!spec) return { problem: 'needs a name, a colon and a value' }
    const key = spec.name.toLowerCase()
    const before = known.get(key)
    if (before && before.value !== spec.value) return { problem: `names “${spec.name}” a second time` }
    known.set(key, spec)
    return { entry: spec }
  })
  return { entries: [...known.values()], problem }
}

/** A name that holds a separator is parted from its value by a tab, which comes first when it is read again. */
export function specLine({ name, value }: Spec): string {
  return /[:=：]/.test(name) ? `${name}\t${value}` : `${name}: ${value}`
}

function specOf(line: string): Spec | null {
  const at = line.includes('\t') ? line.indexOf('\t') : line.search(/[:=：]/)
  if (at < 1) return null
  const name = line.slice(0, at).trim()
  const value = line.slice(at).replace(SEPARATORS, '').trim()
  return name === '' || value === '' ? null : { name, value }
}

/** A name, an address, and a price where it is known; without a name, the address says whose shop it is. */
export function readShops(text: string): ReadLines<Shop> {
  return readEach(text, (line): Judged<Shop> => {
    const { before, url, after } = aroundAddress(line)
    if (url === null) return { problem: 'needs the full address of the product in that shop' }
    const name = unmarked(before) || (URL.parse(url)?.hostname.replace(/^www\./, '') ?? '')
    const typed = unmarked(after)
    const priceCents = typed === '' ? null : readDollars(typed)
    if (typed !== '' && priceCents === null)
      return { problem: `has “${shorten(typed, MAX_QUOTED)}” where a price such as 49.99 is expected` }
    return { entry: { name, url, priceCents } }
  })
}

export function shopLine({ name, url, priceCents }: Shop): string {
  return [name, url, ...(priceCents === null ? [] : [typedDollars(priceCents)])].join(' | ')
}

/** An address, and what the image shows. */
export function readImages(text: string): ReadLines<ProductImage> {
  return readEach(text, (line): Judged<ProductImage> => {
    const { before, url, after } = aroundAddress(line)
    if (url === null || !url.startsWith('https:'))
      return { problem: 'needs an address that begins with https://' }
    return { entry: { url, alt: unmarked(`${before} ${after}`) || null } }
  })
}

export function readAddresses(text: string): ReadLines<string> {
  return readEach(text, (line): Judged<string> => {
    const { url } = aroundAddress(line)
    return url === null ? { problem: 'needs a full address that begins with https://' } : { entry: url }
  })
}

/** The first thing that is wrong is told: whoever mends it sends the list again. */
function readEach<Entry>(text: string, judge: (line: string) => Judged<Entry>): ReadLines<Entry> {
  const judged = linesOf(text).map((line) => ({ ...line, ...judge(line.text) }))
  const wrong = judged.find((one) => 'problem' in one)
  return {
    entries: judged.flatMap((one) => ('entry' in one ? [one.entry] : [])),
    problem:
      wrong && 'problem' in wrong
        ? `line ${wrong.at} (“${shorten(wrong.text, MAX_QUOTED)}”) ${wrong.problem}`
        : null,
  }
}

function linesOf(text: string): Line[] {
  return plainLines(text)
    .split('\n')
    .map((line, index) => ({ at: index + 1, text: line.trim().replace(BULLET, '') }))
    .filter((line) => line.text !== '')
}

function aroundAddress(line: string): { before: string; url: string | null; after: string } {
  const match = /https?:\/\/[^\s|]+/i.exec(line)
  const url = match ? URL.parse(match[0].replace(COMMAS_AT_END, '')) : null
  if (!match || !url) return { before: line, url: null, after: '' }
  return {
    before: line.slice(0, match.index),
    url: url.href,
    after: line.slice(match.index + match[0].length),
  }
}

/** Without the marks that stood between it and its neighbours. */
function unmarked(text: string): string {
  return text.replace(MARKS_AROUND, '').replace(BAR, ' ')
}
