/** Text as it is, in a box that scrolls when there is much of it. */
import { layOutJson } from './readable.ts'

export function Code({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is preformatted, and a region because the keyboard must reach what scrolls
    <pre class="code" role="region" aria-label={label} tabindex={0}>
      {/* A browser drops a line break at the beginning: this one is for it to drop. */}
      {`\n${layOutJson(text)}`}
    </pre>
  )
}
