/**
 * Finds brands and models of the catalog in a text. A brand counts however it is written. A model of one plain word ("Solo")
 * counts only with a capital, because such words are also just words; with digits or of several words it always counts.
 */
import { compactName, type Names } from '../search/understand/names.ts'
import type { Vocabulary } from '../search/understand/understand.ts'
import type { NamesOther } from './check-texts.ts'

const MOST_WORDS = 6

/** `vocabulary` is asked each time: the catalog changes. */
export function createNamesOther(vocabulary: () => Pick<Vocabulary, 'brands' | 'models'>): NamesOther {
  return (text) => {
    const { brands, models } = vocabulary()
    const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’&+.-]*(?<![.'’])/gu) ?? []
    for (let from = 0; from < words.length; from++)
      for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) {
        const said = words.slice(from, to).join(' ')
        const name = said.toLowerCase()
        if (!/\p{L}/u.test(name)) continue
        if (isNamed(brands, name)) return said
        const plainWord = to === from + 1 && !/\d/.test(name)
        if (isNamed(models, name) && (!plainWord || /^\p{Lu}/u.test(said))) return said
      }
    return null
  }
}

/** As it is spelled, but for capitals: "sun dial" is no "Sundial". */
function isNamed(names: Names, said: string): boolean {
  return names.get(compactName(said))?.toLowerCase() === said
}
