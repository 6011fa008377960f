/** Claiming a product: looking for it, and the claim itself. */
import { z } from 'zod'
import { getProfile, getProfiles } from '../../../catalog/catalog.service.ts'
import { claimProduct, findNumbered } from '../../../catalog/claim.service.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import { canonicalSlug } from '../../../catalog/profile.ts'
import { ClaimRequest } from '../../../catalog/relationships.schema.ts'
import { findNamedProduct, listRelationshipsTo } from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { hasRight } from '../../../orgs/producer.ts'
import { MAX_QUERY } from '../../../search/search.schema.ts'
import { namedIn } from '../../compare/compare.address.ts'
import { labelledIssues } from '../../kit/labelled-issues.ts'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import { sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { renderNotAllowed, type Visitor } from '../page.tsx'
import { CLAIM_PATH, claimPath, ownProductPath } from '../paths.ts'
import { type Chosen, MAX_SOUGHT, NOTHING_SOUGHT, renderClaim, type Sought } from './claim.page.tsx'
import { forForm } from './words.ts'

const MAX_FOUND = 8

const LABELS: Record<string, string> = {
  relationship_type: 'How you are related to it',
  evidence_url: 'Evidence',
  gtin: FIELD_WORDS.gtin,
  mpn: FIELD_WORDS.mpn,
}

/** Fields that are left empty say nothing. */
const ClaimForm = z.record(z.string(), z.string()).transform((form, check): ClaimRequest => {
  const stated = Object.fromEntries(Object.entries(form).filter(([, typed]) => typed.trim() !== ''))
  const parsed = ClaimRequest.safeParse(stated, { reportInput: true })
  if (parsed.success) return parsed.data
  for (const [field, said] of Object.entries(labelledIssues(parsed.error, LABELS))) {
    const known = LABELS[field] !== undefined
    const message = known ? said : 'choose a product first'
    check.issues.push({ code: 'custom', path: known ? [field] : [], message, input: undefined })
  }
  return z.NEVER
})

export function mountClaim(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.get(CLAIM_PATH, 'edit', async (c, visitor) => {
    const named = c.req.query('product')
    const chosen = named === undefined ? null : await findChosen(deps, visitor, named)
    const words = (c.req.query('q') ?? '').trim().slice(0, MAX_SOUGHT)
    const page = { ...NOTHING_SOUGHT, site, visitor, chosen, unknown: named !== undefined && !chosen }
    if (chosen || words === '') return sendPage(c, renderClaim(page))
    const exact = /\//.test(words) ? await findNamedProduct(ctx, namedIn(words)) : null
    if (exact) return c.redirect(claimPath(canonicalSlug(exact)), 303)
    const sought = await findSought(deps, words)
    return sendPage(c, renderClaim({ ...page, sought }))
  })

  dashboard.post(CLAIM_PATH, {
    schema: ClaimForm,
    page: CLAIM_PATH,
    async render({ visitor, state }) {
      if (!hasRight(visitor.role, 'edit')) return renderNotAllowed(site, visitor, 'edit')
      const chosen = await findChosen(deps, visitor, state.values.product_slug ?? '')
      return renderClaim({ ...NOTHING_SOUGHT, site, visitor, chosen, state })
    },
    async act({ act, input }) {
      try {
        const { product, status, created } = await claimProduct(ctx, act, input)
        await deps.shown()
        const done = status === 'verified' ? 'claimed' : created ? 'claim_waits' : 'claim_known'
        return `${ownProductPath(canonicalSlug(product))}?done=${done}`
      } catch (error) {
        throw forForm(error, (field) => {
          const label = LABELS[field]
          return label === undefined ? null : { name: field, label }
        })
      }
    },
  })
}

async function findChosen({ ctx }: DashboardDeps, { caller }: Visitor, name: string): Promise<Chosen | null> {
  const ref = await findNamedProduct(ctx, namedIn(name))
  const profile = ref && (await getProfile(ctx, ref))
  if (!profile) return null
  return { profile, relationships: await listRelationshipsTo(ctx, { caller }, { productId: profile.id }) }
}

/** What the text names exactly comes first: a slug, the number under a bar code, a part number; then what is like it. */
async function findSought({ ctx, search: { search } }: DashboardDeps, words: string): Promise<Sought> {
  const names = [words, ...(await findNumbered(ctx, words))]
  const named = await Promise.all(names.map((name) => findNamedProduct(ctx, name)))
  const exact = named.flatMap((ref) => (ref ? [ref.id] : []))
  const like = await whenReady(() =>
    search.search({
      ...{ query: words.slice(0, MAX_QUERY), limit: MAX_FOUND, face: 'web' },
      // A producer who looks for their product is no buyer whom it was shown to.
      unlogged: true,
    }),
  )
  // Who looks for their own product by half its name wants to see what comes closest, too.
  const near = await Promise.all((like?.nearest ?? []).map(({ slug }) => findNamedProduct(ctx, slug)))
  const found = [...(like?.productIds ?? []), ...near.flatMap((ref) => ref?.id ?? [])]
  const ids = [...new Set([...exact, ...found])].slice(0, MAX_FOUND)
  const byId = new Map<string, ProductProfile>((await getProfiles(ctx, ids)).map((one) => [one.id, one]))
  const profiles = ids.flatMap((id) => byId.get(id) ?? [])
  return { words, found: { profiles, exact: exact.length > 0, ready: like !== null } }
}

/** Null while the index is loading. */
async function whenReady<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return null
    throw error
  }
}
