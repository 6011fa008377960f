/**
 * What every docs page shares: a search box, and a menu of all operations and guides with the current one marked. On
 * wide screens the menu stays beside the text; on narrow ones it opens from a button. Both work without a script, which
 * adds filtering while you type and marks the section you are reading.
 */
import type { Child } from 'hono/jsx'
import { SearchBox } from '../components/search-box.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import type { Description } from './description.ts'
import { type Guide, groupGuides, guidePath } from './guides.ts'

export const DOCS_PATH = '/docs'
export const GUIDES_ID = 'guides'
const SEARCH = { action: DOCS_PATH, label: 'Search the docs', filters: 'docs-menu' }

/** Everything the docs are written from. */
export type Docs = { site: Site; description: Description; guides: Map<string, Guide> }

type FrameProps = {
  docs: Docs
  title: string
  summary: string
  /** Null for search results, which stay out of indexes. */
  path: string | null
  alternates?: Array<{ type: 'text/markdown'; path: string }>
  query?: string
  children: Child
}

export function DocsFrame({ docs, title, summary, path, alternates = [], query = '', children }: FrameProps) {
  return (
    <Layout
      site={docs.site}
      title={`${title} · Souk`}
      description={summary}
      path={path}
      alternates={alternates}
      search={null}
    >
      <div class="docs">
        <aside class="docs-side" aria-label="Docs navigation">
          <SearchBox value={query} scope={SEARCH} />
          <details class="docs-menu" id="docs-menu">
            <summary>Menu</summary>
            <Menu docs={docs} path={path} />
          </details>
        </aside>
        <div class="docs-main">{children}</div>
      </div>
    </Layout>
  )
}

export function topicId(name: string): string {
  return `topic-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
}

function Menu({ docs: { description, guides }, path }: { docs: Docs; path: string | null }) {
  const base = path === DOCS_PATH ? '' : DOCS_PATH
  const topics = description.topics.map(({ name, operations }) => ({
    title: name,
    open: path === DOCS_PATH,
    links: operations.map(({ id, summary }) => ({ href: `${base}#${id}`, words: summary })),
  }))
  const groups = groupGuides(guides).map((group) => ({
    title: group.title,
    open: group.guides.some(({ name }) => guidePath(name) === path),
    links: group.guides.map(({ name, title }) => ({ href: guidePath(name), words: title })),
  }))
  const overview = [
    { href: DOCS_PATH, words: 'API reference' },
    { href: `${base}#authentication`, words: 'Authentication' },
    { href: `${base}#formats`, words: 'Protocols and feeds' },
    ...(guides.size > 0 ? [{ href: `${base}#${GUIDES_ID}`, words: 'Guides' }] : []),
    { href: `${base}#schemas`, words: 'Schemas' },
  ]
  return (
    <nav aria-label="Docs">
      <MenuLinks links={overview} path={path} />
      {[...topics, ...groups].map(({ title, open, links }) => (
        <details open={open}>
          <summary>{title}</summary>
          <MenuLinks links={links} path={path} />
        </details>
      ))}
    </nav>
  )
}

type LinksProps = { links: Array<{ href: string; words: string }>; path: string | null }

function MenuLinks({ links, path }: LinksProps) {
  return (
    <ul>
      {links.map(({ href, words }) => (
        <li>
          <a href={href} aria-current={href === path ? 'page' : undefined}>
            {words}
          </a>
        </li>
      ))}
    </ul>
  )
}
