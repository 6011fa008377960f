/**
 * A product as the database keeps it for nodes that hold no catalog: all that ranking, filtering and showing look at, read
 * from its profile once, so that a node which fetches some hundred for a query reads no texts. Words are written out,
 * because every index numbers them anew. From the same come the counts by which the catalog as a whole is known.
 */
import type { IndexedTexts } from '../../catalog/profile.ts'
import { sha256 } from '../../lib/crypto.ts'
import { endsRun, FIRST_WORD } from '../kinds.ts'
import { packLengths } from '../lexical/bm25f.ts'
import { fieldMask, sumOf } from '../lexical/fields.ts'
import { createProductReader, type ReadProduct } from '../read-product.ts'
import { compactName } from '../understand/names.ts'

export type Prepared = Omit<ReadProduct, 'category' | 'words'> & {
  category: string
  /** Terms between spaces, and for each how often it stands in each field (fields.ts). */
  terms: string
  frequencies: number[]
  /** Of those terms, the ones that are tied by a hyphen here. */
  tied: string[]
  lengths: number
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

/** `spellings`: words as they are written, each with its term. */
export function prepareProduct(product: IndexedTexts): Prepared & { spellings: Map<string, string> } {
  const { facts, category, listed, updated, words, ...rest } = createProductReader()(product)
  const { shared, written, tied, lengths } = words
  const frequencies = new Map<string, number>()
  for (const [at, number] of written.entries()) {
    const term = shared.terms[number] as string
    const more = words.frequencies[at] as number
    frequencies.set(term, sumOf(frequencies.get(term) ?? 0, more))
  }
  return {
    ...{ facts, category: category.slug, listed, updated },
    terms: [...frequencies.keys()].join(' '),
    frequencies: [...frequencies.values()],
    tied: [...new Set(tied.map((number) => shared.terms[number] as string))],
    lengths: packLengths(lengths),
    ...rest,
    spellings: new Map(shared.surfaces.map((surface, at) => [surface, shared.terms[at] as string])),
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
