/**
 * A written document as a page: its words in the middle, its parts on the right, all documents on the left. Where there
 * is no room beside the words, the parts come before them and the other documents after. And the list of all documents,
 * for the page about the interface.
 */
import { raw } from 'hono/html'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { type Heading, writeGuide } from './guides.markdown.ts'
import { type Guide, type GuideGroup, groupGuides, guidePath, resolveLink } from './guides.ts'

/** Where the page about the interface lists them. */
export const GUIDES_ID = 'guides'

export function renderGuidePage(guide: Guide, guides: Map<string, Guide>, site: Site): string {
  const { html, headings } = writeGuide(guide.source, (link) => resolveLink(link, guides))
  const path = guidePath(guide.name)
  return String(
    <Layout
      site={site}
      title={`${guide.title} · Souk`}
      description={guide.summary}
      path={path}
      alternates={[{ type: 'text/markdown', path: `${path}.md` }]}
    >
      <div class="guide">
        <div class="guide-main">
          <Breadcrumbs
            trail={[
              { name: 'For developers', href: '/docs' },
              { name: 'Guides', href: `/docs#${GUIDES_ID}` },
            ]}
          />
          <header class="page-head">
            <h1>{guide.title}</h1>
            <p class="soft">
              <a href={`${path}.md`}>This guide as Markdown</a>
            </p>
          </header>
          {headings.length > 1 && <Parts headings={headings} />}
          <div class="guide-text">{raw(html)}</div>
        </div>
        <AllGuides groups={groupGuides(guides)} shown={guide.name} />
      </div>
    </Layout>,
  )
}

function Parts({ headings }: { headings: Heading[] }) {
  return (
    <nav class="guide-parts" aria-labelledby="guide-parts">
      <p id="guide-parts">On this page</p>
      <ul>
        {headings.map(({ id, text }) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function AllGuides({ groups, shown }: { groups: GuideGroup[]; shown: string }) {
  return (
    <nav class="guide-all" aria-label="Guides">
      {groups.map(({ title, guides }) => (
        <div>
          <p>{title}</p>
          <ul>
            {guides.map((guide) => (
              <li>
                <a href={guidePath(guide.name)} aria-current={guide.name === shown ? 'page' : undefined}>
                  {guide.title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

export function GuideList({ groups }: { groups: GuideGroup[] }) {
  return (
    <section aria-labelledby={GUIDES_ID} class="docs-part">
      <h2 id={GUIDES_ID}>Guides</h2>
      {groups.map(({ id, title, guides }) => (
        <div class="guide-group">
          <h3 id={id}>{title}</h3>
          <ul class="docs-guards" aria-labelledby={id}>
            {guides.map((guide) => (
              <li>
                <a href={guidePath(guide.name)}>{guide.title}</a>
                <span class="soft">{guide.summary}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
