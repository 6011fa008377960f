/** An organization's products: the list with what each needs, and what it proposed. Each step from there has its own file. */
import { z } from 'zod'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { RELATIONSHIP_TYPES } from '../../../catalog/relationships.schema.ts'
import { listOwnSubmissions, withdrawSubmission } from '../../../catalog/submissions.service.ts'
import { listMyProducts } from '../../../producers/my-products.service.ts'
import { pageNumber } from '../../kit/paging.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { PRODUCTS_PATH } from '../paths.ts'
import { mountClaim } from './claim.routes.tsx'
import { type ListAsked, type ListView, PER_PAGE, PROPOSED_PER_PAGE, renderProducts } from './list.page.tsx'
import { mountNew } from './new.routes.tsx'
import { mountProduct } from './product.routes.tsx'
import { WITHDRAW_PROPOSED } from './proposed.part.tsx'
import { inOurNouns } from './words.ts'

const DONE = {
  proposed: 'Proposed. It waits for the operator below; buyers do not see it before.',
  proposed_again: 'Your waiting proposal says this now.',
  proposed_same: 'Exactly this waits already, so nothing was added.',
  proposal_withdrawn: 'The proposal is withdrawn.',
  claim_withdrawn: 'The claim is withdrawn.',
}

const WithdrawForm = z.object({ submission_id: z.string().min(1).max(100) })

export function mountProducts(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.get(PRODUCTS_PATH, 'read', async (c, visitor) => {
    const view = await findList(deps, visitor, readAsked(c.req.query()))
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, renderProducts({ ...view, site, visitor, done, errors: {} }))
  })

  dashboard.post(WITHDRAW_PROPOSED, {
    schema: WithdrawForm,
    page: PRODUCTS_PATH,
    async render({ visitor, state }) {
      const view = await findList(deps, visitor, readAsked({}))
      return renderProducts({ ...view, site, visitor, done: null, errors: inOurNouns(state) })
    },
    async act({ act, input }) {
      await withdrawSubmission(ctx, act, { submissionId: input.submission_id })
      return `${PRODUCTS_PATH}?done=proposal_withdrawn`
    },
  })

  mountClaim(dashboard, deps)
  mountNew(dashboard, deps)
  mountProduct(dashboard, deps)
}

async function findList({ ctx }: DashboardDeps, { caller }: Visitor, asked: ListAsked): Promise<ListView> {
  const found = await listMyProducts(
    ctx,
    { caller },
    {
      relationshipType: asked.relationship || null,
      verificationStatus: asked.claim || null,
      query: asked.words || null,
      hasIssues: asked.issues === '' ? null : asked.issues === 'yes',
      limit: PER_PAGE,
      offset: (asked.page - 1) * PER_PAGE,
    },
  )
  const profiles = await getProfiles(
    ctx,
    found.products.map(({ facts }) => facts.id),
  )
  const submissions = await listOwnSubmissions(
    ctx,
    { caller },
    { limit: PROPOSED_PER_PAGE, offset: (asked.proposed - 1) * PROPOSED_PER_PAGE },
  )
  return { asked, found, profiles: new Map(profiles.map((profile) => [profile.id, profile])), submissions }
}

/** What means nothing is passed over. */
const Asked = z.object({
  q: z.string().max(200).catch('').default(''),
  relationship: z
    .enum(['', ...RELATIONSHIP_TYPES])
    .catch('')
    .default(''),
  claim: z.enum(['', 'pending', 'verified']).catch('').default(''),
  issues: z.enum(['', 'yes', 'no']).catch('').default(''),
  page: z.string().optional().transform(pageNumber),
  proposed: z.string().optional().transform(pageNumber),
})

function readAsked(query: Record<string, string>): ListAsked {
  const { q, ...rest } = Asked.parse(query)
  return { ...rest, words: q.trim() }
}
