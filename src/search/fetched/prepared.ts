/**
 * A product as the database keeps it for nodes that hold no catalog: all that ranking, filtering and showing look at, read
 * from its profile once, so that a node which fetches some hundred for a query reads no texts. Words are written out,
 * because every index numbers them anew. From the same come the counts by which the catalog as a whole is known.
 */
import type { ProductProfile } from '../../catalog/profile.ts'
import { sha256 } from '../../lib/crypto.ts'
import { factsOf, lexicalDoc, type PlainFacts } from '../catalog-index.ts'
import { endsRun, FIRST_WORD, readTitle } from '../kinds.ts'
import { packLengths } from '../lexical/bm25f.ts'
import { visitWords } from '../lexical/document.ts'
import { countOne, FIELDS, fieldMask } from '../lexical/fields.ts'
import { type ReadMeasures, readSource } from '../measures/measure-table.ts'
import { compactName, readKind } from '../understand/names.ts'
import { type PackedVariants, packVariants } from '../variant-match.ts'

export type Prepared = {
  facts: PlainFacts
  category: string
  listed: boolean
  updated: number
  /** Terms between spaces, and for each how often it stands in each field (fields.ts). */
  terms: string
  frequencies: number[]
  /** Of those terms, the ones that are mostly tied by a hyphen here. */
  tied: string[]
  lengths: number
  /** Words of the title; what separates their runs is a number (kinds.ts). */
  title: Array<string | number>
  kind: { words: string[]; heads: string[] }
  measures: ReadMeasures
  variants: { terms: string[]; sets: number[]; orderable: number[]; labels: string } | null
}

/** Another one makes every node fill the tables anew. */
export const FORM = 'words 1'

/** What is counted of products, by one letter each. */
export const KINDS = {
  /** Products that have the term. */
  term: 't',
  /** Of those, how many tie it by a hyphen. */
  tied: 'j',
  /** A word as written; `written` is its term. */
  spelling: 'w',
  /** A word in titles, and where it ends a run. */
  seen: 's',
  final: 'f',
  /** What titles say of the thing itself, and what they end in: in all, and behind a space in one category. */
  kind: 'k',
  head: 'h',
  /** Compact names; `written` is the name. */
  brand: 'b',
  model: 'm',
  /** Products of a category. */
  category: 'c',
} as const

/** Nothing that is longer is looked for. */
export const LONGEST_KEY = 200

export function prepareProduct(profile: ProductProfile): Prepared & { spellings: Map<string, string> } {
  const frequencies = new Map<string, number>()
  const tied = new Map<string, number>()
  const spellings = new Map<string, string>()
  const lengths = new Uint32Array(FIELDS.length)
  visitWords(lexicalDoc(profile), (field, { term, surface, kind }) => {
    frequencies.set(term, countOne(frequencies.get(term) ?? 0, field))
    spellings.set(surface, term)
    if (kind === 'joined' && !/\d/.test(term)) tied.set(term, (tied.get(term) ?? 0) + 1)
    if (kind === 'word') lengths[field] = (lengths[field] as number) + 1
  })
  const names: string[] = []
  const numbers = new Map<string, number>()
  const title = readTitle(
    profile.title,
    profile.brand?.name ?? null,
    (word) => names.push(word) - 1 + FIRST_WORD,
  )
  const { words, heads } = readKind(profile.title, [profile.brand?.name ?? '', profile.model ?? ''])
  const variants = packVariants(profile, (term) => {
    numbers.set(term, numbers.get(term) ?? numbers.size)
    return numbers.get(term) as number
  })
  return {
    facts: factsOf(profile),
    category: profile.category.slug,
    listed: profile.whereToBuy.length > 0,
    updated: profile.updatedAt.getTime(),
    terms: [...frequencies.keys()].join(' '),
    frequencies: [...frequencies.values()],
    tied: [...tied.keys()],
    lengths: packLengths(lengths),
    title: title.map((word) => (word < FIRST_WORD ? word : (names[word - FIRST_WORD] as string))),
    kind: { words: [...words], heads: [...heads] },
    measures: readSource(profile),
    variants: variants && writeVariants(variants, [...numbers.keys()]),
    spellings,
  }
}

function writeVariants(packed: PackedVariants, terms: readonly string[]): Prepared['variants'] {
  return {
    terms: Array.from(packed.terms, (number) => terms[number] as string),
    sets: [...packed.sets],
    orderable: [...packed.orderable],
    labels: packed.labels,
  }
}

/** The text that is kept, and a version that is the same for the same text. */
export function writePrepared({ spellings: _, ...prepared }: Prepared & { spellings?: unknown }): {
  text: string
  version: string
} {
  const text = JSON.stringify(prepared, (_key, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )
  return { text, version: sha256(text).toString('base64url').slice(0, 16) }
}

export function readPrepared(text: string): Prepared {
  const prepared = JSON.parse(text) as Prepared
  for (const measure of prepared.measures.measures) {
    measure.low = Number(measure.low)
    measure.high = Number(measure.high)
  }
  return prepared
}

/** What a product adds to the counts, by kind and key. */
export function countsOf({ facts, category, terms, tied, title, kind }: Prepared): Map<string, Set<string>> {
  const { brand, model, mpn } = facts
  const final = new Set<string>()
  const seen = new Set<string>()
  const runs = title.map((word) => (typeof word === 'number' ? word : FIRST_WORD))
  for (const [at, word] of title.entries()) {
    if (typeof word === 'number') continue
    seen.add(word)
    if (endsRun(runs, at)) final.add(word)
  }
  return new Map<string, Set<string>>([
    [KINDS.term, new Set(terms === '' ? [] : terms.split(' '))],
    [KINDS.tied, new Set(tied)],
    [KINDS.seen, seen],
    [KINDS.final, final],
    [KINDS.kind, new Set(kind.words)],
    [KINDS.head, new Set(kind.heads.flatMap((head) => [head, `${head} ${category}`]))],
    [KINDS.brand, new Set(brand ? [compactName(brand)] : [])],
    [KINDS.model, new Set([model, mpn].flatMap((name) => (name ? [compactName(name)] : [])))],
    [KINDS.category, new Set([category])],
  ])
}

/** The names among the counts, as this product writes them. */
export function writtenBy({
  facts: { brand, model, mpn },
}: Prepared): Array<[kind: string, key: string, written: string]> {
  return [
    ...(brand ? [[KINDS.brand, compactName(brand), brand] as [string, string, string]] : []),
    ...[model, mpn].flatMap(
      (name): Array<[string, string, string]> =>
        name ? [[KINDS.model, compactName(name), name.toLowerCase()]] : [],
    ),
  ]
}

const NAME_BITS = fieldMask(['title', 'brand', 'model'])
const CATEGORY_BITS = fieldMask(['category'])
const SPEC_BITS = fieldMask(['specs'])
/** More of a term says hardly more. */
const MOST_POSITIONS = 3

/** The words as a text search vector: names and categories alone, and with everything else. */
export function vectorsOf({ terms, frequencies }: Pick<Prepared, 'terms' | 'frequencies'>): {
  names: string
  words: string
} {
  const names: string[] = []
  const words: string[] = []
  if (terms === '') return { names: '', words: '' }
  for (const [at, term] of terms.split(' ').entries()) {
    const packed = frequencies[at] as number
    const labels = [
      ...places('A', packed & NAME_BITS),
      ...places('B', packed & CATEGORY_BITS),
      ...places('C', packed & SPEC_BITS),
    ]
    const called = labels.filter((label) => label !== 'C')
    const rest = packed & ~(NAME_BITS | CATEGORY_BITS | SPEC_BITS)
    if (called.length > 0) names.push(lexeme(term, called))
    words.push(lexeme(term, [...labels, ...places('D', rest)]))
  }
  return { names: names.join(' '), words: words.join(' ') }
}

/** A label for each occurrence, up to as many as count. */
function places(label: string, bits: number): string[] {
  let sum = 0
  for (let left = bits; left !== 0; left >>>= 4) sum += left & 15
  return Array<string>(Math.min(sum, MOST_POSITIONS)).fill(label)
}

function lexeme(term: string, labels: readonly string[]): string {
  return `${quoted(term)}:${labels.map((label, at) => `${at + 1}${label}`).join(',')}`
}

/** As text search vectors and queries write a word. */
export function quoted(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
