/**
 * `/docs`. The page changes with the program, and with the product whose address its commands show. It is made when first
 * asked for and kept; at most once a second a request looks whether that product is still there (or whether there is
 * one now), for itself and all that come meanwhile. The others are sent what there is.
 */
import type { Hono } from 'hono'
import { OPERATIONS, publishedOpenApi } from '../../agents/discovery/openapi/document.ts'
import { getPlaces, getProfilesInRange, summarizeCategories } from '../../catalog/catalog.service.ts'
import type { Db } from '../../db/database.ts'
import type { HttpEnv } from '../../http/env.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import type { Site } from '../site.ts'
import { readDescription } from './description.ts'
import { DOCS_PATH, renderDocsPage } from './docs.page.tsx'

/** A new or removed product is heard of within this. */
const LOOK_EVERY_MS = 1_000

type Chosen = { id: string; categoryId: string; category: string; slug: string }

export function mountDocs(app: Hono<HttpEnv>, { site, db }: { site: Site; db: Db }): void {
  let made: { page: Prepared; chosen: Chosen | null } | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<Prepared> | null = null

  async function look(): Promise<Prepared> {
    const chosen = made?.chosen && (await isThere(db, made.chosen)) ? made.chosen : await choose(db)
    if (made === null || addressOf(made.chosen) !== addressOf(chosen))
      made = { page: makePage(site, chosen), chosen }
    return made.page
  }

  async function current(): Promise<Prepared> {
    const now = performance.now()
    if (looking === null && made && now - lookedAt < LOOK_EVERY_MS) return made.page
    if (looking === null) {
      lookedAt = now
      looking = look().finally(() => {
        looking = null
      })
    }
    return looking
  }

  app.get(DOCS_PATH, async (c) => sendPrepared(c, await current()))
}

function makePage(site: Site, chosen: Chosen | null): Prepared {
  const product = chosen && { category: chosen.category, slug: chosen.slug }
  return prepare({
    body: renderDocsPage(readDescription(publishedOpenApi(site), OPERATIONS), product, site),
    contentType: 'text/html; charset=utf-8',
    lastModified: null,
    headers: { Vary: 'Accept-Encoding', ...PAGE_HEADERS },
  })
}

function addressOf(chosen: Chosen | null): string | null {
  return chosen && `${chosen.category}/${chosen.slug}`
}

async function isThere(db: Db, { id, categoryId, slug }: Chosen): Promise<boolean> {
  const [place] = await getPlaces({ db }, [id])
  return place?.categoryId === categoryId && place.slug === slug
}

async function choose(db: Db): Promise<Chosen | null> {
  const category = (await summarizeCategories({ db })).find(({ productCount }) => productCount > 0)
  if (!category) return null
  const range = { categoryId: category.id, from: '', to: null }
  const [first] = await getProfilesInRange({ db }, { range, after: null, limit: 1 })
  return first ? { id: first.id, categoryId: category.id, category: category.slug, slug: first.slug } : null
}
