/** Links side by side. `here` marks the one that is shown. */
import type { Child } from 'hono/jsx'

type ChipsProps = {
  chips: ReadonlyArray<{ href: string; words: Child; here?: boolean }>
  labelledBy?: string
}

export function Chips({ chips, labelledBy }: ChipsProps) {
  return (
    <ul class="chips" aria-labelledby={labelledBy}>
      {chips.map(({ href, words, here }) => (
        <li>
          <a class="chip" href={href} aria-current={here ? 'page' : undefined}>
            {words}
          </a>
        </li>
      ))}
    </ul>
  )
}
