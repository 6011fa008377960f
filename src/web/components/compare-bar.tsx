/** A form around product cards with checkboxes. It leads to the comparison; the script keeps the button's count current. */

import type { Child } from 'hono/jsx'
import { Submit } from '../kit/parts.tsx'

export const COMPARE_PATH = '/compare'

export function CompareForm({ children }: { children?: Child }) {
  return (
    <form action={COMPARE_PATH}>
      {children}
      <p class="compare-bar">
        <Submit>Compare selected</Submit>
        <span class="soft">Select up to 4 products</span>
      </p>
    </form>
  )
}
