/**
 * A query as the index works on it: groups of variants, each variant one term or a phrase ("air fryer": all its words in
 * the same field, wherever they stand). A variant never counts more than the word it stands for: its idf is capped by
 * that of the group's head, or a rare synonym would outrank the common word that was asked for.
 */
import { type Field, fieldMask } from './fields.ts'

export type QueryTerm = {
  /** A term, or a phrase of terms with a space between. */
  term: string
  /** 1 for a true word, less for a synonym or a corrected spelling. */
  weight: number
  /** Variants of one query word share a group. */
  group: number
  /** Where it may match; everywhere when absent. */
  fields?: Field[]
}

export type Variant = {
  words: number[]
  weight: number
  /** weight × capped idf */
  factor: number
  mask: number
}

export type Group = {
  /** Those that are in the index. */
  variants: Variant[]
  /** What the word is worth: the idf of its heaviest variant in the index, or that of an unknown word. */
  idf: number
}

export type Lookup = {
  idOf(term: string): number
  documents(id: number): number
  idf(documents: number): number
}

export function makeGroups(terms: readonly QueryTerm[], lookup: Lookup): Group[] {
  const byGroup = new Map<number, QueryTerm[]>()
  for (const term of terms) {
    const group = byGroup.get(term.group)
    if (group) group.push(term)
    else byGroup.set(term.group, [term])
  }
  return [...byGroup.values()].map((variants) => makeGroup(variants, lookup))
}

function makeGroup(terms: QueryTerm[], lookup: Lookup): Group {
  const present = terms.flatMap((term) => {
    const words = term.term.split(' ').map((word) => lookup.idOf(word))
    if (term.weight <= 0 || words.some((id) => id < 0 || lookup.documents(id) === 0)) return []
    return [{ term, words, idf: phraseIdf(words, lookup) }]
  })
  let head = present[0]
  for (const variant of present) if (head && variant.term.weight > head.term.weight) head = variant
  if (!head) return { variants: [], idf: lookup.idf(0) }
  const { idf } = head
  return {
    variants: present.map((variant) => ({
      words: variant.words,
      weight: variant.term.weight,
      factor: variant.term.weight * Math.min(variant.idf, idf),
      mask: fieldMask(variant.term.fields),
    })),
    idf,
  }
}

/** A phrase is at least as rare as its rarest word. */
export function phraseIdf(words: number[], lookup: Lookup): number {
  return Math.max(...words.map((id) => lookup.idf(id < 0 ? 0 : lookup.documents(id))))
}
