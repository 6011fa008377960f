/** One line of a list of facts (`<dl class="facts">`): its name, and what it is. */
import type { Child } from 'hono/jsx'

export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
