/** Around a list of cards with boxes to tick: leads to the comparison of what is ticked. Needs no script. */
import type { Child } from 'hono/jsx'

export const COMPARE_PATH = '/compare'

export function CompareForm({ children }: { children?: Child }) {
  return (
    <form action={COMPARE_PATH}>
      {children}
      <p class="compare-bar">
        <button class="button" type="submit">
          Compare what is ticked
        </button>
        <span class="soft">Up to four side by side</span>
      </p>
    </form>
  )
}
