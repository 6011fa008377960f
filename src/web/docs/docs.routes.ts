/**
 * `/docs`, its search (`/docs?q=`), and the guides under it as pages and as Markdown. Everything is made when first asked
 * for and kept, because it changes with the program only. The one exception is the product whose address the commands on
 * `/docs` show: at most once a second a request checks that it still exists.
 */
import type { Hono } from 'hono'
import { OPERATIONS, publishedOpenApi } from '../../agents/discovery/openapi/document.ts'
import { getProfile, getProfilesInRange, summarizeCategories } from '../../catalog/catalog.service.ts'
import type { Db } from '../../db/database.ts'
import type { HttpEnv } from '../../http/env.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import type { Site } from '../site.ts'
import { readDescription } from './description.ts'
import { renderDocsPage } from './docs.page.tsx'
import type { ShownProduct } from './examples.ts'
import { DOCS_PATH, type Docs } from './frame.tsx'
import { renderGuidePage } from './guides.page.tsx'
import { guidePath, ownDocuments } from './guides.ts'
import { type DocsEntry, listEntries, renderSearchPage } from './search.page.tsx'

const CHECK_EVERY_MS = 1_000

/** `documents` is read with the first request: most nodes never show the docs. */
export function mountDocs(
  app: Hono<HttpEnv>,
  { site, db }: { site: Site; db: Db },
  documents = ownDocuments,
): void {
  const made = new Map<string, Prepared>()
  let read: Docs | null = null
  let latest: { atMs: number; page: Promise<{ prepared: Prepared; product: ShownProduct }> } | null = null
  let entries: DocsEntry[] | null = null

  function docs(): Docs {
    read ??= {
      site,
      description: readDescription(publishedOpenApi(site), OPERATIONS),
      guides: documents(),
    }
    return read
  }

  async function renew(before: typeof latest) {
    const last = (await before?.page.catch(() => null)) ?? null
    try {
      if (last?.product && (await getProfile({ db }, last.product))) return last
      const product = await choose(db)
      return last && product === last.product
        ? last
        : { prepared: asPage(renderDocsPage(docs(), product)), product }
    } catch (error) {
      // The page stays readable while the database is not.
      if (last) return last
      throw error
    }
  }

  async function current(): Promise<Prepared> {
    const atMs = performance.now()
    if (latest === null || atMs - latest.atMs >= CHECK_EVERY_MS) latest = { atMs, page: renew(latest) }
    return (await latest.page).prepared
  }

  app.get(DOCS_PATH, async (c) => {
    const query = (c.req.query('q') ?? '').trim().slice(0, MAX_QUERY).toWellFormed()
    if (query === '') return sendPrepared(c, await current())
    entries ??= listEntries(docs())
    return sendPrepared(c, asPage(renderSearchPage(docs(), entries, query)))
  })
  app.get(guidePath(':name'), async (c) => {
    const file = c.req.param('name') ?? ''
    const found = made.get(file) ?? prepareGuide(docs(), file)
    if (!found) return c.notFound()
    made.set(file, found)
    return sendPrepared(c, found)
  })
}

function prepareGuide(docs: Docs, file: string): Prepared | null {
  const name = file.replace(/\.md$/, '')
  const guide = docs.guides.get(name)
  if (!guide) return null
  if (file === name) {
    const Link = `<${guidePath(name)}.md>; rel="alternate"; type="text/markdown"`
    return asPage(renderGuidePage(guide, docs), { Link })
  }
  return prepare({
    body: guide.source,
    contentType: 'text/markdown; charset=utf-8',
    lastModified: null,
    headers: { Vary: 'Accept-Encoding', 'X-Robots-Tag': 'noindex' },
  })
}

function asPage(body: string, headers: Record<string, string> = {}): Prepared {
  return prepare({
    body,
    contentType: 'text/html; charset=utf-8',
    lastModified: null,
    headers: { Vary: 'Accept-Encoding', ...PAGE_HEADERS, ...headers },
  })
}

async function choose(db: Db): Promise<ShownProduct> {
  const category = (await summarizeCategories({ db })).find(({ productCount }) => productCount > 0)
  if (!category) return null
  const range = { categoryId: category.id, from: '', to: null }
  const [first] = await getProfilesInRange({ db }, { range, after: null, limit: 1 })
  return first ? { category: category.slug, slug: first.slug } : null
}
