/**
 * Words of requirements: those that only ask ("works with", "suitable for"), those that say the other of two things, and
 * those that a weaker word does not say. Everyday retail words, nothing made for particular products.
 */
import { tokenize } from '../search/lexical/tokenize.ts'

/** Stand around what is asked for. */
const ASKING =
  /\b(?:works?|working|suitable|suited|made|meant|good|ideal|ready|compatible|compatibility|approved|supports?|supported|has|have|having|with|comes?|includes?|including|included|takes?|taking|accepts?|fits?|offers?|features?|functions?|functionality|mode|modes|options?|capability|technology|systems?|controls?|ports?|sockets?|filters?|must|be|can|should|is|are|does|do|for|on|of|in|to|an?|the|it|its|my|use|using|usable|built-in|integrated|weighs|measures)\b/gi

/** Empty for a text that asks for nothing. */
export function coreWords(text: string): string {
  return text.replace(ASKING, ' ').replace(/\s+/g, ' ').trim()
}

/** Each is what the other is not. */
const PAIRS = `
brushless, brushed
wireless, wired
wireless, cable
cordless, corded
closed, open back
open back, closed
dishwasher, hand wash
hardside, softside
automatic, manual`

const stemsOf = (text: string) => tokenize(text).flatMap(({ term, kind }) => (kind === 'word' ? [term] : []))

function table(pairs: string): Map<string, string[][]> {
  const others = new Map<string, string[][]>()
  for (const line of pairs.trim().split('\n')) {
    const [one = [], other = []] = line.split(', ').map(stemsOf)
    for (const [word, against] of [
      [one, other],
      [other, one],
    ] as const)
      if (word.length === 1)
        others.set(word[0] as string, [...(others.get(word[0] as string) ?? []), [...against]])
  }
  return others
}

/** By the stem of a word: what denies it, as stems that stand together. */
export const OPPOSITES = table(PAIRS)

/** By the stem of a word: synonyms that deny it with it, but do not say it. */
export const NOT_SAID_BY = new Map([['waterproof', ['water resist']]])
