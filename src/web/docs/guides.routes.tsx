/**
 * The written documents of the docs folder as pages under /docs, and as the Markdown they are written in. They change
 * with the program, so each is made when first asked for and kept.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import type { Site } from '../site.ts'
import { renderGuidePage } from './guides.page.tsx'
import { type Guide, guidePath, ownDocuments } from './guides.ts'

const VARY = { Vary: 'Accept-Encoding' }

/** `documents` is asked with the first request and not before: most nodes never show one. */
export function mountGuides(app: Hono<HttpEnv>, { site }: { site: Site }, documents = ownDocuments): void {
  const made = new Map<string, Prepared>()

  function find(file: string): Prepared | null {
    const ready = made.get(file)
    if (ready) return ready
    const guides = documents()
    const guide = guides.get(file.replace(/\.md$/, ''))
    if (!guide) return null
    const prepared = file.endsWith('.md') ? asMarkdown(guide) : asPage(guide, guides, site)
    made.set(file, prepared)
    return prepared
  }

  app.get(guidePath(':name'), async (c) => {
    const found = find(c.req.param('name') ?? '')
    return found ? sendPrepared(c, found) : c.notFound()
  })
}

function asPage(guide: Guide, guides: Map<string, Guide>, site: Site): Prepared {
  return prepare({
    body: renderGuidePage(guide, guides, site),
    contentType: 'text/html; charset=utf-8',
    lastModified: null,
    headers: {
      ...VARY,
      ...PAGE_HEADERS,
      Link: `<${guidePath(guide.name)}.md>; rel="alternate"; type="text/markdown"`,
    },
  })
}

function asMarkdown(guide: Guide): Prepared {
  return prepare({
    body: guide.source,
    contentType: 'text/markdown; charset=utf-8',
    lastModified: null,
    headers: { ...VARY, 'X-Robots-Tag': 'noindex' },
  })
}
