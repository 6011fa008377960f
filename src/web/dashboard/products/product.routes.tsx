/** One product of the organization: how it stands, proposing a change of its profile, and taking back what was said. */
import type { Context } from 'hono'
import { z } from 'zod'
import { getProfile } from '../../../catalog/catalog.service.ts'
import { SubmitEnrichment } from '../../../catalog/enrichment.schema.ts'
import {
  getEnrichmentStatus,
  submitEnrichment,
  withdrawEnrichment,
} from '../../../catalog/enrichment.service.ts'
import { type ProductProfile, slugOf } from '../../../catalog/profile.ts'
import {
  listRelationshipsTo,
  type Relationship,
  withdrawRelationship,
} from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { parseInput } from '../../../lib/validate.ts'
import { hasRight } from '../../../orgs/producer.ts'
import { getCatalogIssues } from '../../../producers/issues.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { pageNumber } from '../../kit/paging.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { renderNotAllowed, type Visitor } from '../page.tsx'
import { ownProductPath, PRODUCTS_PATH } from '../paths.ts'
import { type Change, ChangeForm, changedSpecs, placeOf } from './change.form.ts'
import { renderChange } from './change.page.tsx'
import { type OwnProduct, PROPOSALS_PER_PAGE, renderProduct } from './product.page.tsx'
import { forForm, inOurNouns } from './words.ts'

const PATH = `${PRODUCTS_PATH}/:category/:slug`
const MOST_ISSUES = 200

const DONE = {
  claimed: 'Claimed and proved. You can make offers, set prices and propose changes now.',
  claim_waits: 'Claimed. It waits for proof; below is what proves it.',
  claim_known: 'You had claimed it already. It still waits for proof; below is what proves it.',
  claim_withdrawn: 'The claim is withdrawn.',
  proposed: 'Proposed. Nothing changes until the operator has looked at it.',
  proposed_same: 'Exactly this waits for review already, so nothing was added.',
  proposal_withdrawn: 'The proposal is withdrawn.',
}

const WithdrawClaim = z.object({ relationship_id: z.string().min(1).max(100) })
const WithdrawProposal = z.object({ enrichment_id: z.string().min(1).max(100) })

export function mountProduct(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.get(PATH, 'read', async (c, visitor) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, await show(c, visitor, { done, errors: {} }))
  })

  dashboard.get(`${PATH}/change`, 'edit', async (c, visitor) => {
    const own = await requireOwn(c, visitor)
    return sendPage(c, renderChange({ ...own, site, visitor, state: UNTOUCHED }))
  })

  dashboard.post(`${PATH}/change`, {
    schema: ChangeForm,
    page: (c) => `${pathOf(c)}/change`,
    async render({ c, visitor, state }) {
      if (!hasRight(visitor.role, 'edit')) return renderNotAllowed(site, visitor, 'edit')
      return renderChange({ ...(await requireOwn(c, visitor)), site, visitor, state })
    },
    async act({ c, act, visitor, input }) {
      const { profile } = await requireOwn(c, visitor)
      try {
        const { created } = await submitEnrichment(ctx, act, requestOf(profile, input))
        return `${pathOf(c)}?done=${created ? 'proposed' : 'proposed_same'}`
      } catch (error) {
        throw inFormWords(error)
      }
    },
  })

  dashboard.post(`${PATH}/claims/withdraw`, {
    schema: WithdrawClaim,
    page: pathOf,
    render: ({ c, visitor, state }) => show(c, visitor, { done: null, errors: inOurNouns(state) }),
    async act({ c, act, visitor, input }) {
      const { profile } = await requireOwn(c, visitor)
      await withdrawRelationship(ctx, act, input)
      await deps.shown()
      const left = await listRelationshipsTo(ctx, act, { productId: profile.id })
      return `${left.length > 0 ? pathOf(c) : PRODUCTS_PATH}?done=claim_withdrawn`
    },
  })

  dashboard.post(`${PATH}/proposals/withdraw`, {
    schema: WithdrawProposal,
    page: pathOf,
    render: ({ c, visitor, state }) => show(c, visitor, { done: null, errors: inOurNouns(state) }),
    async act({ c, act, input }) {
      await withdrawEnrichment(ctx, act, { enrichmentId: input.enrichment_id })
      return `${pathOf(c)}?done=proposal_withdrawn`
    },
  })

  async function show(
    c: Context,
    visitor: Visitor,
    told: { done: string | null; errors: FormState['errors'] },
  ): Promise<string> {
    return renderProduct({ ...(await findOwn(c, visitor)), ...told, site, visitor })
  }

  async function findOwn(c: Context, visitor: Visitor): Promise<OwnProduct> {
    const own = await requireOwn(c, visitor)
    const productSlug = namedIn(c)
    const page = pageNumber(c.req.query('proposals'))
    const every = { severity: null, limit: MOST_ISSUES, offset: 0 }
    const issues = await getCatalogIssues(ctx, visitor, { productSlug, ...every })
    const part = { limit: PROPOSALS_PER_PAGE, offset: (page - 1) * PROPOSALS_PER_PAGE }
    const standing = await getEnrichmentStatus(ctx, visitor, { productSlug, ...part })
    return { ...own, issues, standing, page }
  }

  /** A product that the organization has not claimed is none here, whether the catalog has it or not. */
  async function requireOwn(
    c: Context,
    visitor: Visitor,
  ): Promise<{ profile: ProductProfile; relationships: Relationship[] }> {
    const profile = await getProfile(ctx, namedIn(c))
    const relationships = profile ? await listRelationshipsTo(ctx, visitor, { productId: profile.id }) : []
    if (!profile || relationships.length === 0)
      throw new AppError('not_found', `${visitor.org.name} has claimed no such product`, {
        code: 'not_found',
      })
    return { profile, relationships }
  }
}

function namedIn(c: Context): { category: string; slug: string } {
  return { category: c.req.param('category') ?? '', slug: c.req.param('slug') ?? '' }
}

function pathOf(c: Context): string {
  const { category, slug } = namedIn(c)
  return ownProductPath(`${encodeURIComponent(category)}/${encodeURIComponent(slug)}`)
}

function requestOf(profile: ProductProfile, change: Change): SubmitEnrichment {
  const specs = change.specs === undefined ? {} : changedSpecs(change.specs, profile.specs)
  const fields = {
    ...change.fields,
    ...((specs === null || Object.keys(specs).length > 0) && { specs }),
  }
  return parseInput(SubmitEnrichment, {
    product_slug: slugOf(profile),
    fields,
    images: change.images,
    evidence: change.evidence,
    note: change.note,
    confirms_profile: change.confirms,
  })
}

function inFormWords(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  if (error.field === 'fields')
    return new AppError('invalid', 'nothing is changed yet: type over what is wrong, or add an image', {
      cause: error,
    })
  if (error.code === 'no_verified_relationship')
    return new AppError(error.kind, 'your claim to this product does not allow that: see what proves it', {
      code: error.code,
      cause: error,
    })
  return error.message.startsWith('Specs: ') ? error : forForm(error, placeOf)
}
