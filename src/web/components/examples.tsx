/** Example searches as links. They fit the demo catalog only, so other catalogs show none. */

import type { Site } from '../site.ts'
import { Chips } from './chips.tsx'
import { searchPath } from './search-box.tsx'

export const EXAMPLES = [
  'a quiet blender for small smoothies under $80',
  'headphones for long flights, not in-ear',
  'first espresso machine that forgives beginners',
  'home office setup under $1,200',
]

/** The caller provides a heading with the id `examples`. */
export function ExampleChips() {
  const chips = EXAMPLES.map((example) => ({ href: searchPath(example), words: example }))
  return <Chips chips={chips} labelledBy="examples" />
}

export function hasExamples(site: Site): boolean {
  return site.demo
}
