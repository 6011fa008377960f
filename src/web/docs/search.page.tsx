/** Search over the docs: operations, schemas and the sections of guides. Every word of the query must be in a result. */
import { shorten } from '../../lib/text.ts'
import { countOf } from '../format.ts'
import { resolved } from './description.ts'
import { type Docs, DocsFrame } from './frame.tsx'
import { guidePath, resolveLink } from './guides.ts'
import { writeGuide } from './markdown.ts'

/** `place` is a method and path, or a guide. `more` is searched and not shown. */
export type DocsEntry = { href: string; title: string; place: string; text: string; more?: string }

const MAX_RESULTS = 30
const MAX_WORDS = 8
const EXCERPT_LENGTH = 160

export function listEntries({ description, guides }: Docs): DocsEntry[] {
  const operations = description.topics.flatMap((topic) => topic.operations)
  return [
    ...operations.map(({ id, method, path, summary, description: text, parameters, body, reasons }) => ({
      href: `/docs#${id}`,
      title: summary,
      place: `${method.toUpperCase()} ${path}`,
      text,
      more: [
        ...parameters.map(({ name }) => name),
        ...Object.keys(resolved(body?.schema ?? {}, description.schemas).properties ?? {}),
        ...reasons.map(({ when, code = '' }) => `${when} ${code}`),
      ].join(' '),
    })),
    ...Object.entries(description.schemas).map(([name, schema]) => ({
      href: `/docs#schema-${name}`,
      title: name,
      place: 'Schema',
      text: schema.description ?? '',
      more: Object.keys(schema.properties ?? {}).join(' '),
    })),
    ...[...guides.values()].flatMap((guide) =>
      writeGuide(guide.source, (link) => resolveLink(link, guides)).sections.map((section) => ({
        href: `${guidePath(guide.name)}${section.level === 'h1' ? '' : `#${section.id}`}`,
        title: section.title,
        place: `Guide · ${guide.title}`,
        text: section.text,
      })),
    ),
  ]
}

/** Titles with more of the words come first; otherwise the order of the docs is kept. */
export function searchEntries(entries: DocsEntry[], query: string): DocsEntry[] {
  const words = wordsOf(query)
  const score = ({ title }: DocsEntry) => words.filter((word) => title.toLowerCase().includes(word)).length
  return entries
    .filter(({ title, place, text, more = '' }) => {
      const all = `${title} ${place} ${text} ${more}`.toLowerCase()
      return words.every((word) => all.includes(word))
    })
    .toSorted((one, other) => score(other) - score(one))
    .slice(0, MAX_RESULTS)
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
}

/** The text from a word or two before the first match. */
function excerpt(text: string, query: string): string {
  const plain = text.replaceAll('`', '')
  const at = plain.lastIndexOf(' ', plain.toLowerCase().indexOf(wordsOf(query)[0] ?? '') - 40) + 1
  return (at > 0 ? '… ' : '') + shorten(plain.slice(at).trim(), EXCERPT_LENGTH)
}

export function renderSearchPage(docs: Docs, entries: DocsEntry[], query: string): string {
  const found = searchEntries(entries, query)
  const count = `${found.length === MAX_RESULTS ? 'First ' : ''}${countOf(found.length, 'result')}`
  return String(
    <DocsFrame docs={docs} title={`Search: ${query}`} summary="Search the docs." path={null} query={query}>
      <header class="page-head">
        <h1>Search the docs</h1>
        <p class="soft" role="status">
          {found.length > 0
            ? `${count} for “${query}”`
            : `No results for “${query}”. Try fewer or different words.`}
        </p>
      </header>
      <ol class="docs-results">
        {found.map(({ href, title, place, text }) => (
          <li>
            <a href={href}>{title}</a>
            <span class="soft">{place}</span>
            <p>{excerpt(text, query)}</p>
          </li>
        ))}
      </ol>
    </DocsFrame>,
  )
}
