/**
 * Takes the endings of number, gender and case off a folded word, so that the dictionary needs one form of each. Both
 * sides go through here: a stem only has to be the same for all forms of a word, it need not be a word.
 */
export type Foreign = 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pt'

const SHORTEST = 3
/** What a form may carry beyond the one in the dictionary, longest first. */
export const ENDINGS: Record<Foreign, readonly string[]> = {
  de: ['ern', 'en', 'em', 'er', 'es', 'e', 'n', 's'],
  nl: ['en', 'e', 's'],
  fr: ['es', 'x', 's', 'e'],
  it: [],
  es: ['es', 's'],
  pt: ['es', 's'],
}
const GERMAN = ['ern', 'en', 'em', 'er', 'es', 'e', 'n']
const DUTCH = ['en', 'e', 's']
const FRENCH_PLURAL = ['x', 's']
const ITALIAN = ['i', 'e', 'a', 'o']
const PLURAL = ['s']
const GENDER = ['e', 'a', 'o']

export function lightStem(word: string, language: Foreign): string {
  if (word.length <= SHORTEST) return word
  switch (language) {
    case 'de':
      return cut(word, GERMAN)
    case 'nl':
      return dutch(cut(word, DUTCH))
    case 'fr':
      return cut(cut(cut(word, FRENCH_PLURAL), ['e']), ['e'])
    case 'it':
      return italian(cut(word, ITALIAN))
    case 'es':
      return cut(cut(word, PLURAL), GENDER)
    case 'pt':
      return portuguese(word)
  }
}

function cut(word: string, endings: readonly string[]): string {
  for (const ending of endings)
    if (word.length - ending.length >= SHORTEST && word.endsWith(ending)) return word.slice(0, -ending.length)
  return word
}

/** "tassen" and "tas", "bomen" and "boom", "huizen" and "huis". */
function dutch(stem: string): string {
  const last = stem.at(-1) ?? ''
  const before = stem.at(-2) ?? ''
  if (last === before) return stem.slice(0, -1)
  const vowel = stem.at(-3) ?? ''
  const shorter = vowel === before && 'aeou'.includes(vowel) ? stem.slice(0, -2) : stem.slice(0, -1)
  return shorter + (last === 'z' ? 's' : last === 'v' ? 'f' : last)
}

/** "giochi" and "gioco", "righe" and "riga", "vecchi" and "vecchio". */
function italian(stem: string): string {
  const bare = cut(stem, ['i'])
  return bare.endsWith('ch') || bare.endsWith('gh') ? bare.slice(0, -1) : bare
}

/** "aviões" and "avião", "papéis" and "papel", "homens" and "homem". */
function portuguese(word: string): string {
  if (word.endsWith('oes') || word.endsWith('aes')) return `${word.slice(0, -3)}ao`
  if (word.endsWith('is')) return `${word.slice(0, -2)}l`
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`
  return word.endsWith('ao') ? word : cut(cut(word, PLURAL), GENDER)
}
