/** A document as the keyword index counts it: its fields, and which words of each are counted. */
import { rememberShort } from '../../lib/remember-short.ts'
import { FIELDS, type Field } from './fields.ts'
import { type Token, tokenize } from './tokenize.ts'

/** A field is one text, or several short ones that have nothing to do with each other. */
export type LexicalDoc = Partial<Record<Field, string | readonly string[]>>

/** Names are often made of stop words ("The One"); in longer texts they would be a sixth of all postings for nothing. */
const STOP_WORDS_COUNT_IN = new Set<Field>(['title', 'brand', 'model'])

const tokenizeOften = rememberShort(tokenize)

/** `field` is a number, by the order of FIELDS. */
export function visitWords(doc: LexicalDoc, visit: (field: number, token: Token) => void): void {
  FIELDS.forEach((field, number) => {
    for (const token of tokensOf(doc[field] ?? ''))
      if (!token.stop || STOP_WORDS_COUNT_IN.has(field)) visit(number, token)
  })
}

function tokensOf(text: string | readonly string[]): Token[] {
  return typeof text === 'string' ? tokenize(text) : text.flatMap(tokenizeOften)
}
