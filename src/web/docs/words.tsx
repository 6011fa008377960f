/** The little Markdown that descriptions use: paragraphs, code between backticks, links. All else is shown as it is. */
import { webUrl } from '../safe.ts'

const MARKED = /(`[^`]+`|\[[^\]]+\]\([^)\s]+\))/

export function Words({ text }: { text: string }) {
  return (
    <>
      {text.split(MARKED).map((part) => {
        if (part.startsWith('`') && part.length > 2) return <code>{part.slice(1, -1)}</code>
        const [, label, address] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
        const href = address === undefined ? null : webUrl(address)
        return href === null ? part : <a href={href}>{label}</a>
      })}
    </>
  )
}

export function Paragraphs({ text }: { text: string }) {
  return (
    <>
      {text
        .split(/\n{2,}/)
        .filter((paragraph) => paragraph.trim() !== '')
        .map((paragraph) => (
          <p>
            <Words text={paragraph} />
          </p>
        ))}
    </>
  )
}
