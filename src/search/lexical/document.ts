/** A document as the keyword index counts it: its fields, and which words of each are counted. */
import { rememberShort } from '../../lib/remember-short.ts'
import { countOne, FIELDS, type Field } from './fields.ts'
import { growTo } from './segments.ts'
import { type Token, tokenize } from './tokenize.ts'

/** A field is one text, or several short ones that have nothing to do with each other. */
export type LexicalDoc = Partial<Record<Field, string | readonly string[]>>

/** Names are often made of stop words ("The One"); in longer texts they would be a sixth of all postings for nothing. */
const STOP_WORDS_COUNT_IN = new Set<Field>(['title', 'brand', 'model'])

/** The words of documents that were counted together, as they are written, each with its term. */
export type SharedWords = { surfaces: string[]; terms: string[] }

export type CountedWords = {
  shared: SharedWords
  /** Numbers of shared words, each once, and how often each stands in each field (fields.ts). */
  written: Uint32Array
  frequencies: Uint32Array
  /** Those that were made of words tied by a hyphen, once for each time. */
  tied: number[]
  /** Words of each field. */
  lengths: number[]
}

/** Texts repeat few words: a page of products gives each of them a number once, and an index numbers them for good once. */
export function createWordCounter(): (doc: LexicalDoc) => CountedWords {
  const shared: SharedWords = { surfaces: [], terms: [] }
  const numbers = new Map<string, number>()
  /** Of the document being counted; all 0 in between. */
  let frequencies = new Uint32Array(4096)

  function numberOf({ surface, term }: Token): number {
    const known = numbers.get(surface)
    if (known !== undefined) return known
    const number = shared.surfaces.push(surface) - 1
    shared.terms.push(term)
    numbers.set(surface, number)
    frequencies = growTo(frequencies, number + 1)
    return number
  }

  return (doc) => {
    const written: number[] = []
    const tied: number[] = []
    const lengths = FIELDS.map(() => 0)
    visitWords(doc, (field, token) => {
      const number = numberOf(token)
      const before = frequencies[number] as number
      if (before === 0) written.push(number)
      frequencies[number] = countOne(before, field)
      if (token.kind === 'word') lengths[field] = (lengths[field] as number) + 1
      else if (token.kind === 'joined' && !/\d/.test(token.term)) tied.push(number)
    })
    const counted = new Uint32Array(written.length)
    for (let at = 0; at < written.length; at++) {
      const number = written[at] as number
      counted[at] = frequencies[number] as number
      frequencies[number] = 0
    }
    return { shared, written: Uint32Array.from(written), frequencies: counted, tied, lengths }
  }
}

const tokenizeOften = rememberShort(tokenize)

/** `field` is a number, by the order of FIELDS. */
function visitWords(doc: LexicalDoc, visit: (field: number, token: Token) => void): void {
  FIELDS.forEach((field, number) => {
    for (const token of tokensOf(doc[field] ?? ''))
      if (!token.stop || STOP_WORDS_COUNT_IN.has(field)) visit(number, token)
  })
}

function tokensOf(text: string | readonly string[]): Token[] {
  return typeof text === 'string' ? tokenize(text) : text.flatMap(tokenizeOften)
}
