/**
 * Every field that somebody outside can fill, by a name and two letters that stand in its marks, and how to see whether a
 * text of it came through as text. A mark is `zq`, the letters of the field, the number of the text, `z`.
 */
import { cleanText } from '../../src/lib/text.ts'
import { CANARY, EVIL_HOST, HOSTILE } from '../hostile-texts.ts'
import type { Leaves } from './injection.leaves.ts'

/** `max` is the field's own limit; what is longer is not sent. `prose` is what must stand in a fence before a model. */
type Source = { code: string; max?: number; prose?: true }

export const SOURCES = {
  'product title': { code: 'aa', max: 200 },
  'product model': { code: 'ab', max: 300 },
  'product brand': { code: 'ac', max: 300 },
  'product description': { code: 'ad', prose: true },
  'product verdict': { code: 'ae', max: 400 },
  'spec name': { code: 'af', max: 80 },
  'spec value': { code: 'ag', max: 300 },
  theme: { code: 'ah', max: 300 },
  'theme summary': { code: 'ai', max: 500, prose: true },
  'best for': { code: 'aj', max: 300 },
  'not for': { code: 'ak', max: 300 },
  shop: { code: 'al', max: 300 },
  'image alt': { code: 'am', max: 300 },
  'offer headline': { code: 'ba', max: 60, prose: true },
  'offer detail': { code: 'bb', max: 200, prose: true },
  'promo code': { code: 'bc', max: 60 },
  organization: { code: 'ca', max: 255, prose: true },
  person: { code: 'cb', max: 80 },
  'link token': { code: 'cc', max: 60 },
  'organization rule': { code: 'cd' },
  'proposed description': { code: 'da', prose: true },
  'proposed spec': { code: 'db', max: 300 },
  'proposal note': { code: 'dc', max: 1_000 },
  'submitted title': { code: 'ea', max: 200 },
  'submitted description': { code: 'eb', prose: true },
  'imported title': { code: 'ec', max: 200 },
  'quote terms': { code: 'fa', prose: true },
  'agent fault': { code: 'fb', prose: true },
  'saved note': { code: 'ga', max: 500 },
  'saved list': { code: 'gb', max: 40 },
  'mistake report': { code: 'gc', max: 1_000 },
  client: { code: 'ha', max: 100 },
  query: { code: 'ia' },
  'user agent': { code: 'ka' },
  reflected: { code: 'la' },
} as const satisfies Record<string, Source>

export type SourceName = keyof typeof SOURCES

const NAMES = new Map(Object.entries(SOURCES).map(([name, { code }]) => [code as string, name as SourceName]))
export const MARK = /zq([a-z]{2})(\d\d)z/g
export const MARKED = /zq[a-z]{2}\d\dz/

export const markOf = (source: SourceName, at: number) =>
  `zq${SOURCES[source].code}${String(at).padStart(2, '0')}z`

/** The text of that number for the field; where it has no room for it, the mark alone. */
export function textFor(source: SourceName, at: number): string {
  const mark = markOf(source, at)
  const text = HOSTILE[at]?.text(mark) ?? mark
  const { max = 5_000 }: Source = SOURCES[source]
  return [...text].length <= max && [...cleanText(text)].length <= max ? text : mark
}

/** Nobody writes a word that is longer. */
const LONG = 100
/** Where a form has no way to write them, these stand for others. */
const STAND_INS: Record<string, string> = { '[': '(', ']': ')', '″': '"', ';': ',' }

/** White space and what cannot be seen is nobody's loss, and searches are told apart by their words alone. */
const bare = (text: string) =>
  text
    .normalize('NFC')
    .replace(/[\s\p{C}]+/gu, '')
    .replace(/[[\]″;]/g, (character) => STAND_INS[character] ?? '')
    .toLowerCase()

/**
 * A text as it may come out: as it was written, as it was cleaned, by itself or with what follows it, each with its fences
 * taken out. What was sent may be taken apart as a list of things; paragraphs may come apart; what is long may be cut.
 */
function formsOf(source: SourceName, at: number): string[] {
  const known = FORMS.get(markOf(source, at))
  if (known) return known
  const text = textFor(source, at)
  const parts = source === 'reflected' ? text.split(/[,\r\n]/) : text.split(/(?:\r?\n){2}/)
  const marked = parts.filter((part) => MARKED.test(part))
  const texts = [
    text,
    ...marked,
    cleanText(text),
    cleanText(text.replace(/\s+/g, ' ')),
    cleanText(`${text}>`),
  ]
  if (text.length > LONG) texts.push(text.slice(0, LONG / 2))
  const forms = [...texts, ...texts.map((one) => one.replace(/[`~]{3,}/g, "'''"))].map(bare)
  FORMS.set(markOf(source, at), [...new Set(forms)])
  return forms
}

/** They are asked for at every mark of every page. */
const FORMS = new Map<string, string[]>()

function isWhole({ place, text }: { place: string; text: string }, source: SourceName, at: number): boolean {
  const [read, mark] = [bare(text), markOf(source, at)]
  return formsOf(source, at).some((form) => {
    if (read.includes(form)) return true
    // Apart, where what differs is shown word by word.
    if (/^in (ins|del)$/.test(place)) return form.includes(read.slice(read.indexOf(mark)))
    // Or cut, where it says so.
    const start = read.indexOf(form.slice(0, form.indexOf(mark) + mark.length))
    const end = read.indexOf('…', start)
    return start >= 0 && end > 0 && form.startsWith(read.slice(start, end))
  })
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** As it stands, in an address, in an address within one, in JSON within a text. */
const WAYS: Array<(text: string) => string> = [
  (text) => text,
  decoded,
  (text) => decoded(decoded(text)),
  (text) => text.replaceAll(/\\(["\\])/g, '$1'),
]

export type Findings = { seen: Set<SourceName>; faults: string[] }

export function findFaults({ texts, names, links }: Leaves): Findings {
  const seen = new Set<SourceName>()
  const faults: string[] = []
  for (const { place, text } of texts)
    for (const [mark, code = '', at = ''] of text.matchAll(MARK)) {
      const source = NAMES.get(code)
      if (!source) continue
      seen.add(source)
      const isKept = WAYS.some((way) => isWhole({ place, text: way(text) }, source, Number(at)))
      if (!isKept) faults.push(`${mark} (${source}) ${place}: ${JSON.stringify(text.slice(0, 300))}`)
    }
  for (const name of names)
    if (name.includes(CANARY) || MARKED.test(name) || /^on[a-z]+$/.test(name))
      faults.push(`made of: ${JSON.stringify(name.slice(0, 200))}`)
  for (const link of links)
    if (
      /^[\s\p{Cc}]*(javascript|data(?!:image\/)|vbscript|file|blob):/iu.test(link) ||
      hostOf(link).endsWith(EVIL_HOST)
    )
      faults.push(`leads to: ${link.slice(0, 200)}`)
  return { seen, faults }
}

/** The fields whose words a model must be told are not ours. */
export const isProse = (code: string) => {
  const source: Source | undefined = SOURCES[NAMES.get(code) ?? 'product title']
  return source.prose === true
}

const hostOf = (link: string) => URL.parse(link, 'http://souk.test/')?.hostname ?? ''
