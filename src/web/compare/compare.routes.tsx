/**
 * `/compare`: up to four products side by side. The address holds everything, so each step is a link or a GET form. A
 * product added by slug or link redirects to the new comparison.
 */
import type { Context, Hono } from 'hono'
import { canonicalSlug, type ProductProfile, slugOf } from '../../catalog/profile.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { requireLeft } from '../../http/rate-limit-headers.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import type { PageDeps } from '../deps.ts'
import type { Adding } from './add-product.tsx'
import { type Asked, comparePath, MAX_COMPARED, readAsked } from './compare.address.ts'
import { renderComparePage } from './compare.page.tsx'
import { findCompared, findExample, findNamed, findSimilarTo, findToAdd } from './find-compared.ts'

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts' | 'search' | 'offers' | 'searchLimit'>

/** Not `no-store`, so that going back is instant. */
const HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'private, no-cache' }

export function mountCompare(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, searchLimit, config } = deps
  const ctx = { db: deps.accounts.db, search: deps.search.search, offers: deps.offers }

  app.get(COMPARE_PATH, async (c) => {
    const asked = readAsked(new URL(c.req.url).searchParams)
    const compared = await findCompared(ctx, asked.names)
    const { profiles } = compared
    const named = asked.add ? await findNamed(ctx, asked.add) : null
    if (named && profiles.length < MAX_COMPARED && !profiles.some(({ id }) => id === named.id)) {
      const slugs = [...profiles.map(slugOf), canonicalSlug(named)]
      return c.redirect(comparePath(slugs, asked), 303)
    }
    const [adding, similar, example] = await Promise.all([
      look({ profiles, asked, namedId: named?.id ?? null, search: searchFor(c) }),
      profiles.length < MAX_COMPARED ? findSimilarTo(ctx, profiles) : [],
      profiles.length === 0 ? findExample(ctx) : [],
    ])
    return c.html(renderComparePage({ site, asked, compared, adding, similar, example }), 200, HEADERS)
  })

  /** Counts against the search limit. */
  function searchFor(c: Context<HttpEnv>): FindToAdd {
    const ip = clientIp(c, config.trustProxy)
    return async (wanted) => {
      requireLeft(c, searchLimit.take(ip))
      return findToAdd(ctx, { ...wanted, ip })
    }
  }
}

type FindToAdd = (wanted: {
  words: string
  category: string | null
  compared: string[]
}) => ReturnType<typeof findToAdd>

async function look({
  profiles,
  asked: { add, anywhere },
  namedId,
  search,
}: {
  profiles: ProductProfile[]
  asked: Asked
  namedId: string | null
  search: FindToAdd
}): Promise<Adding> {
  const kinds = new Map(profiles.map(({ category }) => [category.slug, category]))
  const [only = null] = kinds.size === 1 && !anywhere ? kinds.values() : []
  const nothing = { words: add ?? '', within: only, found: null, error: null }
  if (add === null || profiles.length >= MAX_COMPARED) return nothing
  if (add === '') return { ...nothing, error: 'Enter a product name, link or description.' }
  if (namedId !== null) return { ...nothing, error: 'This product is already in the comparison.' }
  const compared = profiles.map(({ slug }) => slug)
  const found = await search({ words: add, category: only?.slug ?? null, compared })
  return found ? { ...nothing, found } : { ...nothing, error: 'Search is starting. Try again in a moment.' }
}
