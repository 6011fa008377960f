/** Example searches as links. They fit the demo catalog only, so other catalogs show none. */
import type { Site } from '../site.ts'
import { searchPath } from './search-box.tsx'

export const EXAMPLES = [
  'a quiet blender for small smoothies under $80',
  'headphones for long flights, not in-ear',
  'first espresso machine that forgives beginners',
  'home office setup under $1,200',
]

/** The caller provides a heading with the id `examples`. */
export function ExampleChips() {
  return (
    <ul class="chips" aria-labelledby="examples">
      {EXAMPLES.map((example) => (
        <li>
          <a class="chip" href={searchPath(example)}>
            {example}
          </a>
        </li>
      ))}
    </ul>
  )
}

export function hasExamples(site: Site): boolean {
  return site.demo
}
