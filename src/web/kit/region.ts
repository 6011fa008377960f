/** Regions as people write and read them in forms. A text of two meanings is answered with a question that names both. */
import { choiceName, readRegion } from '../../lib/regions.ts'

export function readPlace(text: string): { region: string } | { problem: string } {
  const read = readRegion(text)
  if (read.kind === 'region') return { region: read.region.text }
  if (read.kind === 'unknown')
    return { problem: 'Write a state or country, such as California, Ontario or Germany.' }
  const names = read.choices.map(choiceName)
  return { problem: `“${text.trim()}” can mean ${names.join(' or ')}. Choose one.` }
}

/** The options of the question; none where the text needs no question. */
export function placeChoices(text: string): Array<readonly [value: string, words: string]> {
  const read = readRegion(text)
  if (read.kind !== 'ambiguous') return []
  return [['', 'Choose a place'], ...read.choices.map((choice) => [choice.text, choiceName(choice)] as const)]
}
