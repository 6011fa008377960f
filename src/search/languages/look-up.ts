/**
 * Finds a word of a query in the dictionary of one language: as it is written, without its ending, or, in German and
 * Dutch, as a compound whose parts are all known ("Wanderrucksack", "regenjas").
 */
import type { Dictionary, Entry, Words } from './dictionary.ts'
import { ENDINGS, lightStem } from './light-stem.ts'

/** `sure`: too long, or too exactly a word of the language, to be another word by chance. */
export type Found = Entry & { sure: boolean }

const SURE = { small: 3, form: 4, withEnding: 6, compound: 8, firstPart: 6 }
const COMPOUND = { shortest: 6, longest: 32 }
const SHORTEST_PART = 3
/** Letters that may join two parts: "Arbeit-s-platz", "Küche-n-messer". */
const LINKS = ['s', 'n', 'en', 'es', 'e', 'er']

export function lookUp(word: string, words: Words, { isEnglish }: Dictionary): Found | null {
  const form = words.forms.get(word)
  if (form) return { ...form, sure: word.length >= (form.sort === 'small' ? SURE.small : SURE.form) }
  const inflected = withoutEnding(word, words)
  if (inflected) return { ...inflected, sure: word.length >= SURE.withEnding }
  if ((words.language !== 'de' && words.language !== 'nl') || isEnglish(word)) return null
  return compound(word, words, isEnglish)
}

function withoutEnding(word: string, { language, forms, stems }: Words): Entry | null {
  for (const ending of ENDINGS[language]) {
    if (word.length - ending.length < SHORTEST_PART || !word.endsWith(ending)) continue
    const entry = forms.get(word.slice(0, -ending.length))
    if (entry) return entry
  }
  // A stem alone is no word: "kart" is not "Karte".
  const stem = lightStem(word, language)
  return (stem !== word && stems.get(stem)) || null
}

/** `own` parts are not English too. */
type Part = Entry & { own: boolean; length: number }

/** Goes on from every place where a part may end; the fewest parts win. */
function compound(word: string, words: Words, isEnglish: (word: string) => boolean): Found | null {
  if (word.length < COMPOUND.shortest || word.length > COMPOUND.longest) return null
  const reached = new Map<number, Part[]>([[0, []]])
  for (let from = 0; from <= word.length - SHORTEST_PART; from++) {
    const before = reached.get(from)
    if (!before) continue
    for (let to = from + SHORTEST_PART; to <= word.length; to++) {
      if (to - from === word.length) continue
      const part = partOf(word.slice(from, to), to === word.length, words, isEnglish)
      if (!part) continue
      const parts = [...before, part]
      reach(reached, to, parts)
      if (to < word.length)
        for (const link of LINKS) if (word.startsWith(link, to)) reach(reached, to + link.length, parts)
    }
  }
  const parts = reached.get(word.length)
  const last = parts?.at(-1)
  if (!parts || !last || !parts.some(({ own }) => own)) return null
  // "printhead" and "filtering" are no compounds of "printen" and "Ring".
  const sure = last.own || (parts[0]?.own === true && parts[0].length >= SURE.firstPart)
  return {
    english: parts.map(({ english }) => english).join(' '),
    sort: last.sort,
    sure: sure && word.length >= SURE.compound,
  }
}

function reach(reached: Map<number, Part[]>, to: number, parts: Part[]): void {
  const known = reached.get(to)
  if (!known || parts.length < known.length) reached.set(to, parts)
}

function partOf(
  text: string,
  isLast: boolean,
  words: Words,
  isEnglish: (word: string) => boolean,
): Part | null {
  // "Lauf-schuh" and "Küch-en-tisch" begin with a stem.
  const entry = words.forms.get(text) ?? (isLast ? withoutEnding(text, words) : words.stems.get(text))
  if (entry && (entry.sort === 'noun' || entry.sort === 'adjective'))
    return { ...entry, own: text.length > SHORTEST_PART && !isEnglish(text), length: text.length }
  // "Gamingstuhl", "Laptoptasche": shops' English is part of their words.
  if (text.length <= SHORTEST_PART || !isEnglish(text)) return null
  return { english: text, sort: 'noun', own: false, length: text.length }
}
