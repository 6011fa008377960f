/**
 * A plan that its owner shows to others. A share has an id of its own, which cannot be guessed and opens what was shared
 * and nothing else, until its owner revokes it or the plan goes. It holds the plan as it was then: later edits and prices
 * do not show. The words of the wish, and texts that were written from them, are in it only if the owner says so.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { BundleCategory, type Wish } from '../bundles/bundles.schema.ts'
import { writePlan } from '../bundles/write-plan.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { toBundle } from './answer.ts'
import type { KeptPlan } from './kept.ts'
import {
  noSuchPlan,
  type PlanOwner,
  type PlansContext,
  recordPlan,
  requirePlan,
  standingOf,
} from './plans.service.ts'
import {
  findPlanShare,
  findPlanShares,
  insertPlanShare,
  lockPlan,
  revokePlanShare,
  type ShareRow,
} from './share.queries.ts'

const MOST_SHARES = 10

export const ShareInput = z.object({
  with_words: z.boolean().default(false).describe('Show the words of your wish too'),
})

export const SharedPlan = z.object({
  query: z.string().nullable().describe('The wish in words; null when the owner left it out'),
  overview: z.string(),
  budget: z.number().nullable(),
  total: z.number(),
  priced_at: z.string().describe('When the prices held'),
  categories: z.array(BundleCategory),
})
export type SharedPlan = z.output<typeof SharedPlan>

export type PlanShare = { id: string; createdAt: Date; withWords: boolean }

export async function sharePlan(
  ctx: PlansContext,
  owner: PlanOwner,
  { id, withWords }: { id: string; withWords: boolean },
): Promise<PlanShare> {
  const kept = await requirePlan(ctx, owner, id)
  const at = ctx.clock.now()
  const share = {
    id: randomUUID(),
    planId: id,
    shared: snapshotOf(ctx, kept, { withWords, at }),
    createdAt: at,
  }
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockPlan(tx, { id, userId: owner.userId }))) throw noSuchPlan()
    if ((await findPlanShares(tx, id)).length >= MOST_SHARES)
      throw conflict(`a plan can have ${MOST_SHARES} links; revoke one first`, { max: MOST_SHARES })
    await insertPlanShare(tx, share)
    await recordPlan(tx, owner, { action: 'plan.shared', id, at })
  })
  return shareOf(share)
}

/** Those that work, newest first. */
export async function listPlanShares(
  ctx: Pick<PlansContext, 'db'>,
  owner: Pick<PlanOwner, 'userId'>,
  id: string,
): Promise<PlanShare[]> {
  await requirePlan(ctx, owner, id)
  return (await findPlanShares(ctx.db, id)).map(shareOf)
}

/** Of a share that is revoked already, nothing changes. */
export async function revokeShare(
  ctx: Pick<PlansContext, 'db' | 'clock'>,
  owner: PlanOwner,
  { id, shareId }: { id: string; shareId: string },
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction().execute(async (tx) => {
    if (!isUuid(id) || !(await lockPlan(tx, { id, userId: owner.userId }))) throw noSuchPlan()
    if (!isUuid(shareId) || !(await revokePlanShare(tx, { id: shareId, planId: id, at }))) throw noSuchShare()
    await recordPlan(tx, owner, { action: 'plan.unshared', id, at })
  })
}

/** For anyone with its id, while it works. */
export async function findShared({ db }: Pick<PlansContext, 'db'>, shareId: string): Promise<SharedPlan> {
  const share = isUuid(shareId) ? await findPlanShare(db, shareId) : null
  if (!share) throw noSuchShare()
  return SharedPlan.parse(share.shared)
}

function noSuchShare() {
  return notFound('there is no such shared plan; its owner may have revoked the link')
}

function shareOf({ id, createdAt, shared }: ShareRow): PlanShare {
  return { id, createdAt, withWords: SharedPlan.parse(shared).query !== null }
}

function snapshotOf(
  ctx: PlansContext,
  kept: KeptPlan,
  { withWords, at }: { withWords: boolean; at: Date },
): SharedPlan {
  const { plan, texts } = standingOf(ctx, kept)
  const told = withWords ? texts : writePlan(plan, wordless(kept.wish))
  const { overview, budget, total, categories } = toBundle(plan, told, { queryId: '', planId: null })
  return {
    ...{ query: withWords ? kept.wish.query : null, overview, budget, total, priced_at: at.toISOString() },
    categories,
  }
}

/** Nothing that the shopper said, for texts that others read. */
function wordless(wish: Wish): Wish {
  const things = wish.things.map((thing) => ({ ...thing, wish: '' }))
  return { ...wish, query: '', goal: null, audience: [], things, foreignCurrency: null }
}
