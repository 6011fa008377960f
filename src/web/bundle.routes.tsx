/**
 * The page for bundles. A plan is made by POST alone: a link, or a browser that fetches ahead, must not spend one of the
 * day's. GET shows the form, filled in from `?q=`, which is also where signing in leads back to.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { AccountsContext } from '../accounts/context.ts'
import { BUNDLES_A_DAY, type BundleResponse } from '../bundles/bundles.schema.ts'
import type { Bundles } from '../bundles/bundles.service.ts'
import { getProfile } from '../catalog/catalog.service.ts'
import type { HttpEnv } from '../http/env.ts'
import { readForm } from '../http/form.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { AppError } from '../lib/errors.ts'
import { MAX_QUERY } from '../search/search.schema.ts'
import { countOf } from './format.ts'
import { answerForm } from './forms/answer-form.ts'
import { sendPage } from './page.http.ts'
import { BUNDLE_PATH, type BundlePage, renderBundlePage, type ShownBundle } from './pages/bundle.tsx'
import { findSignedIn } from './signed-in.ts'
import type { Site } from './site.ts'

type Deps = { site: Site; accounts: AccountsContext; bundles: Bundles }

const BundleForm = z.object({
  q: z
    .string()
    .trim()
    .min(1, 'Say what you need.')
    .max(MAX_QUERY, `Say it in at most ${MAX_QUERY} characters.`)
    .default(''),
})

export function mountBundle(app: Hono<HttpEnv>, { site, accounts, bundles }: Deps): void {
  const { baseUrl } = accounts.config

  app.get(BUNDLE_PATH, async (c) => {
    const q = c.req.query('q')?.slice(0, MAX_QUERY) ?? ''
    return sendPage(
      c,
      renderBundlePage({ site, user: await userOf(c), state: { values: { q }, errors: {} } }),
    )
  })

  app.post(BUNDLE_PATH, async (c) => {
    requireSameOrigin(c, baseUrl)
    const form = await readForm(c)
    const user = await userOf(c)
    const page = (more: Pick<BundlePage, 'state' | 'bundle'>) => renderBundlePage({ site, user, ...more })
    if (!user?.emailVerified) {
      const state = { values: form, errors: {} }
      return sendPage(c, page({ state }), { status: user === null ? 401 : 403 })
    }
    return answerForm(c, form, {
      schema: BundleForm,
      render: (state) => page({ state }),
      act: async ({ q }) => {
        const response = await plan(user.id, q)
        const bundle = { response, profiles: await profilesOf(response) }
        return sendPage(c, page({ state: { values: { q }, errors: {} }, bundle }))
      },
    })
  })

  async function userOf(c: Context<HttpEnv>) {
    return (await findSignedIn(c, accounts))?.actor.user ?? null
  }

  async function plan(userId: string, query: string): Promise<BundleResponse> {
    try {
      return await bundles.plan({ query, userId, face: 'web' })
    } catch (error) {
      throw error instanceof AppError ? inWordsOfTheForm(error) : error
    }
  }

  async function profilesOf({ categories }: BundleResponse): Promise<ShownBundle['profiles']> {
    const found = await Promise.all(
      categories.map(({ slug: category, product }) =>
        product ? getProfile(accounts, { category, slug: product.slug }) : null,
      ),
    )
    return new Map(found.flatMap((profile) => (profile ? [[profile.slug, profile]] : [])))
  }
}

function inWordsOfTheForm(error: AppError): AppError {
  const { kind, message, code, max, retryAfterSeconds } = error
  if (error.field === 'query') return new AppError(kind, message, { field: 'q' })
  if (code !== 'quota_exceeded' || retryAfterSeconds === undefined) return error
  const text = `You have had all ${BUNDLES_A_DAY} plans of today. New ones come at 00:00 UTC, in ${roughly(retryAfterSeconds)}.`
  return new AppError(kind, text, { code, max, retryAfterSeconds })
}

function roughly(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? countOf(minutes, 'minute') : `about ${countOf(Math.round(minutes / 60), 'hour')}`
}
