/**
 * Decides whether a search gets a bundle plan, and what to show otherwise. The rule is the one of the REST API
 * (bundles.http.ts). A plan uses one of the day's, so only the shopper's own search makes one: not a link on another
 * site, a prefetch or a changed filter. One who has to sign in first finds the plan when the link in the mail leads back.
 */

import type { Context } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import { BUNDLES_A_DAY, type BundleResponse } from '../../bundles/bundles.schema.ts'
import { isBundle } from '../../bundles/read-wish.ts'
import { getProfile } from '../../catalog/catalog.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault } from '../../http/error-response.ts'
import { isFromAnotherSite } from '../../http/same-origin.ts'
import { rememberWish, takeWish } from '../../http/wish-cookie.ts'
import type { Bundles } from '../../plans/bundles.service.ts'
import type { Search } from '../../search/search.service.ts'
import { plansLeftWords } from '../plans/plans-left.ts'
import { findSignedIn } from '../signed-in.ts'
import { hasFilters, type SearchAddress } from './address.ts'
import type { ShownPlan } from './plan.section.tsx'
import type { PlanMemory } from './plan-memory.ts'

export type PlanStanding =
  /** The query asks for no bundle. */
  | { kind: 'none' }
  | { kind: 'sign_in' }
  | { kind: 'unconfirmed'; email: string }
  /** It is made when the shopper asks for it here. */
  | { kind: 'offered' }
  | { kind: 'refused'; text: string }
  | { kind: 'planned'; plan: ShownPlan }

type PlanDeps = {
  accounts: AccountsContext
  bundles: Bundles
  search: Pick<Search, 'reading'>
  memory: PlanMemory
}

const FAILED =
  'We couldn’t plan this bundle right now. Try again in a moment. It didn’t count toward your daily plans.'

/** `later` is a plan still to be made; it may wait for a language model. */
export async function findPlan(
  c: Context<HttpEnv>,
  deps: PlanDeps,
  address: SearchAddress,
): Promise<{ now: PlanStanding } | { later: Promise<PlanStanding> }> {
  const { accounts, bundles, search, memory } = deps
  const { q: query, category, page, bundle: asked } = address
  if (category !== null || page > 1) return { now: { kind: 'none' } }
  if (!asked && !(await isBundle(search, query))) return { now: { kind: 'none' } }
  const user = (await findSignedIn(c, accounts))?.actor.user
  const { baseUrl } = accounts.config
  const isOwn = isOwnAsking(c, baseUrl)
  if (!user?.emailVerified) {
    if (isOwn) rememberWish(c, baseUrl, query)
    return { now: user ? { kind: 'unconfirmed', email: user.email } : { kind: 'sign_in' } }
  }
  const own = { userId: user.id, query }
  const mayPlan = !hasFilters(address) && (isOwn || (isVisit(c) && takeWish(c, baseUrl, query)))
  if (memory.find(own) === null && !mayPlan) return { now: { kind: 'offered' } }
  const made = memory.findOrMake(own, () => bundles.serve({ ...own, asked, face: 'web' }))
  const later = made.then((plan) => shown(accounts, plan)).catch((error) => refusal(c, error))
  return { later }
}

async function shown(accounts: AccountsContext, response: BundleResponse | null): Promise<PlanStanding> {
  if (response === null) return { kind: 'none' }
  const profiles = await Promise.all(
    response.categories.map(({ slug: category, product }) =>
      product ? getProfile(accounts, { category, slug: product.slug }) : null,
    ),
  )
  const bySlug = new Map(profiles.flatMap((profile) => (profile ? [[profile.slug, profile] as const] : [])))
  return { kind: 'planned', plan: { response, profiles: bySlug } }
}

function isOwnAsking(c: Context, baseUrl: string): boolean {
  return isVisit(c) && !isFromAnotherSite(c, baseUrl)
}

/** Browsers mark prefetches with one of these headers. */
function isVisit(c: Context): boolean {
  const purpose = `${c.req.header('sec-purpose') ?? ''} ${c.req.header('purpose') ?? ''} ${c.req.header('x-moz') ?? ''}`
  return c.req.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)
}

/** The results are shown anyway. An internal error is logged. */
function refusal(c: Context<HttpEnv>, raised: unknown): PlanStanding {
  const error = asAppError(raised)
  logFault(c, error)
  const { kind, code, retryAfterSeconds, message } = error
  if (code === 'quota_exceeded' && retryAfterSeconds !== undefined) {
    const left = { left: 0, of: BUNDLES_A_DAY, resetsInSeconds: retryAfterSeconds }
    return { kind: 'refused', text: plansLeftWords(left) }
  }
  return { kind: 'refused', text: kind === 'invalid' ? message : FAILED }
}
