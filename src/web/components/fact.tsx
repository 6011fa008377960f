/** A name and its value in a `<dl class="facts">`. */
import type { Child } from 'hono/jsx'

export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
