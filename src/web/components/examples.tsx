/**
 * What one could ask for, as links. They speak of things that the demo catalog has: where another one is served they
 * would lead to what is not there, and nothing is shown.
 */
import type { Site } from '../site.ts'
import { searchPath } from './search-box.tsx'

const EXAMPLES = [
  'a quiet blender for small smoothies under $80',
  'headphones for long flights, not in-ear',
  'first espresso machine that forgives beginners',
  'home office setup under $1,200',
]

/** The heading is the caller's, under the id `examples`. */
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
