/**
 * The pictures that other sites show beside a link to a page of ours. What is shown is asked of the catalog each time;
 * the picture of it is made when there is none yet. Never compressed on the way: a PNG is already.
 */
import type { Context, Hono } from 'hono'
import { type CategorySummary, getProfile, summarizeCategories } from '../../catalog/catalog.service.ts'
import type { Db } from '../../db/database.ts'
import type { HttpEnv } from '../../http/env.ts'
import { chooseVariant, isNotModified, notModifiedHeaders } from '../../http/prepared.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { SLUG } from '../../lib/text.ts'
import { drawCategoryPreview, drawProductPreview, drawSoukPreview } from './preview.svg.ts'
import { createPreviewMaker, type PreviewMaker } from './preview-maker.ts'
import { SOUK_PREVIEW } from './preview-path.ts'

type Deps = { orgs: { db: Db; clock: Clock } }

/** Counting a category reads the whole catalog: that is done at most so often, for all who ask. */
const COUNT_EVERY_MS = 1_000

export function mountPreviews(
  app: Hono<HttpEnv>,
  { orgs: { db, clock } }: Deps,
  maker = createPreviewMaker(clock),
): void {
  const categories = rememberBriefly(() => summarizeCategories({ db }))

  app.get(SOUK_PREVIEW, (c) => send(c, maker, drawSoukPreview()))
  app.get('/previews/p/:category/:file{.+\\.png}', async (c) => {
    const { category, file } = c.req.param()
    const slug = slugIn(file)
    const profile = slug === null ? null : await getProfile({ db }, { category, slug })
    return send(c, maker, profile && drawProductPreview(profile))
  })
  app.get('/previews/c/:file{.+\\.png}', async (c) => {
    const slug = slugIn(c.req.param('file'))
    const found = slug === null ? undefined : (await categories()).find((one) => one.slug === slug)
    return send(c, maker, found ? drawCategoryPreview(found) : null)
  })
}

function slugIn(file: string): string | null {
  const slug = file.replace(/\.png$/, '')
  return SLUG.test(slug) ? slug : null
}

async function send(c: Context<HttpEnv>, maker: PreviewMaker, svg: string | null): Promise<Response> {
  const made = svg === null ? null : await maker.make(svg).catch(whenBusy)
  // Told here and not by the app, which would log each: a crowd is no fault.
  if (made instanceof AppError)
    return c.text(`${made.message}\n`, 503, { 'Retry-After': String(made.retryAfterSeconds ?? 1) })
  const variant = made ? chooseVariant(made, undefined) : undefined
  if (!variant) return c.text('Not found.\n', 404)
  return isNotModified(variant, null, c.req.header('if-none-match'), undefined)
    ? c.body(null, 304, notModifiedHeaders(variant))
    : c.body(variant.body as Uint8Array<ArrayBuffer>, 200, variant.headers)
}

function whenBusy(error: unknown): AppError {
  if (error instanceof AppError && error.kind === 'unavailable') return error
  throw error
}

function rememberBriefly(count: () => Promise<CategorySummary[]>): () => Promise<CategorySummary[]> {
  let counted: Promise<CategorySummary[]> | null = null
  let countedAt = 0
  return () => {
    const now = performance.now()
    if (counted === null || now - countedAt >= COUNT_EVERY_MS) {
      countedAt = now
      counted = count()
      // A failed count is nobody's answer but theirs who waited for it.
      counted.catch(() => {
        counted = null
      })
    }
    return counted
  }
}
