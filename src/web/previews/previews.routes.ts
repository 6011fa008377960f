/**
 * The pictures that other sites show beside a link to a page. The catalog is asked each time; a picture is made once for
 * all who ask and kept by what it shows, so a new price is a new picture and none is out of date. One core stays free for
 * pages, and a short line keeps the wait short.
 */
import { availableParallelism } from 'node:os'
import type { Context, Hono } from 'hono'
import { type CategorySummary, getProfile, summarizeCategories } from '../../catalog/catalog.service.ts'
import type { Db } from '../../db/database.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/crypto.ts'
import { AppError } from '../../lib/errors.ts'
import { createLimit } from '../../lib/limit.ts'
import { SLUG } from '../../lib/text.ts'
import { createFormCache } from '../form-cache.ts'
import { type Card, categoryCard, productCard, renderCard, SOUK_CARD } from './preview.ts'
import { SOUK_PREVIEW } from './preview-path.ts'

type Deps = { orgs: { db: Db; clock: Clock } }
type MakePreview = (card: Card) => Promise<Prepared | null>

/** About three hundred pictures. */
const MAX_BYTES = 32 * 1024 * 1024
export const AT_ONCE = availableParallelism() > 2 ? 2 : 1
/** A picture takes a tenth of a second, so the last in line waits about four. */
export const WAITING = 40
/** Counting a category reads the whole catalog. */
const COUNT_EVERY_MS = 1_000

export function createPreviewMaker(clock: Clock, render = renderCard): MakePreview {
  const cache = createFormCache(clock, MAX_BYTES)
  const tooMany = 'Too many previews are being made right now. Please try again.'
  const limited = createLimit({ atOnce: AT_ONCE, waiting: WAITING, tooMany })
  const headers = { 'Cache-Control': 'public, max-age=3600' }
  return (card) =>
    cache.getOrMake(sha256(JSON.stringify(card)).toString('base64url'), async () => {
      const body = await limited(() => render(card))
      const prepared = prepare({ body, contentType: 'image/png', lastModified: null, headers })
      return { prepared, dependsOn: [] }
    })
}

export function mountPreviews(
  app: Hono<HttpEnv>,
  { orgs: { db, clock } }: Deps,
  make = createPreviewMaker(clock),
): void {
  let counted: { categories: Promise<CategorySummary[]>; atMs: number } | null = null
  const countCategories = () => {
    const nowMs = performance.now()
    if (counted === null || nowMs - counted.atMs >= COUNT_EVERY_MS)
      counted = { categories: summarizeCategories({ db }), atMs: nowMs }
    return counted.categories
  }

  app.get(SOUK_PREVIEW, (c) => send(c, make, SOUK_CARD))
  app.get('/previews/p/:category/:file{.+\\.png}', async (c) => {
    const { category, file } = c.req.param()
    const slug = slugIn(file)
    const profile = slug === null ? null : await getProfile({ db }, { category, slug })
    return send(c, make, profile && productCard(profile))
  })
  app.get('/previews/c/:file{.+\\.png}', async (c) => {
    const slug = slugIn(c.req.param('file'))
    const category = slug && (await countCategories()).find((one) => one.slug === slug)
    return send(c, make, category ? categoryCard(category) : null)
  })
}

function slugIn(file: string): string | null {
  const slug = file.replace(/\.png$/, '')
  return SLUG.test(slug) ? slug : null
}

async function send(c: Context<HttpEnv>, make: MakePreview, card: Card | null): Promise<Response> {
  try {
    const made = card && (await make(card))
    return made ? await sendPrepared(c, made) : c.text('Not found.\n', 404)
  } catch (error) {
    // Answered here because the app logs what it answers, and a crowd is no fault.
    if (!(error instanceof AppError && error.kind === 'unavailable')) throw error
    return c.text(`${error.message}\n`, 503, { 'Retry-After': String(error.retryAfterSeconds ?? 1) })
  }
}
