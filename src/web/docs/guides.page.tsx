/** A guide as a page: its text, and beside or above it the list of its sections. */
import { raw } from 'hono/html'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { DOCS_PATH, type Docs, DocsFrame, GUIDES_ID } from './frame.tsx'
import { type Guide, guidePath, resolveLink } from './guides.ts'
import { writeGuide } from './markdown.ts'

export function renderGuidePage(guide: Guide, docs: Docs): string {
  const { html, sections } = writeGuide(guide.source, (link) => resolveLink(link, docs.guides))
  const parts = sections.filter(({ level }) => level === 'h2')
  const path = guidePath(guide.name)
  return String(
    <DocsFrame
      docs={docs}
      title={guide.title}
      summary={guide.summary}
      path={path}
      alternates={[{ type: 'text/markdown', path: `${path}.md` }]}
    >
      <div class="guide">
        <Breadcrumbs
          trail={[
            { name: 'Docs', href: DOCS_PATH },
            { name: 'Guides', href: `${DOCS_PATH}#${GUIDES_ID}` },
          ]}
        />
        <header class="page-head">
          <h1>{guide.title}</h1>
          <p class="soft">
            <a href={`${path}.md`}>View as Markdown</a>
          </p>
        </header>
        {parts.length > 1 && (
          <nav class="guide-parts" aria-labelledby="guide-parts">
            <p id="guide-parts">On this page</p>
            <ul>
              {parts.map(({ id, title }) => (
                <li>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="guide-text">{raw(html)}</div>
      </div>
    </DocsFrame>,
  )
}
