/**
 * Plans that are kept for the people they were made for. Every function acts on the plans of the person it is given and on
 * no others: somebody else's is not there. A write is one transaction with its audit record, which names the plan and
 * never what the person wished for.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { ModelWriter } from '../bundles/model-writer.ts'
import type { Db, Tx } from '../db/database.ts'
import type { SweepTools } from '../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { AppError, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { centsToDollars } from '../lib/money.ts'
import type { Search } from '../search/search.service.ts'
import type { KeptPlan } from './kept.ts'
import {
  deleteOldPlans,
  deletePlanRow,
  deletePlansBeyond,
  findPlanRow,
  findPlans,
  insertPlan,
  lockOwner,
} from './plans.queries.ts'

export type PlansContext = {
  db: Db
  clock: Clock
  log: Log
  search: Search
  /** Null without a configured language model. */
  writer: ModelWriter | null
}

/** Whose plan it is, and where the call came from. */
export type PlanOwner = { userId: string; visit?: Visit | undefined }

export const MOST_PLANS = 200
const KEEP_PLANS_MS = 365 * DAY_MS

/** Beyond the latest 200 of a person, the one that was changed longest ago goes. */
export async function keepPlan(
  ctx: Pick<PlansContext, 'db' | 'clock'>,
  owner: PlanOwner,
  made: Pick<KeptPlan, 'wish' | 'asked' | 'plan' | 'totalCents'>,
): Promise<KeptPlan> {
  const { userId } = owner
  const at = ctx.clock.now()
  const kept = { ...made, id: newId(), userId, revision: 1, createdAt: at, updatedAt: at }
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockOwner(tx, userId)))
      throw new AppError('unauthenticated', 'this account was deleted', { code: 'unauthenticated' })
    await insertPlan(tx, kept)
    await deletePlansBeyond(tx, userId, MOST_PLANS)
    await recordPlan(tx, owner, { action: 'plan.made', id: kept.id, at })
  })
  return kept
}

/** Throws `not_found` for an unknown one and for somebody else's. */
export async function requirePlan(
  { db }: Pick<PlansContext, 'db'>,
  { userId }: Pick<PlanOwner, 'userId'>,
  id: string,
): Promise<KeptPlan> {
  const kept = isUuid(id) ? await findPlanRow(db, { id, userId }) : null
  if (!kept) throw noSuchPlan()
  return kept
}

/** Last changed first; all of them. */
export function listPlans(
  { db }: Pick<PlansContext, 'db'>,
  { userId }: Pick<PlanOwner, 'userId'>,
): Promise<KeptPlan[]> {
  return findPlans(db, userId, MOST_PLANS)
}

/** Its shares go with it; requests for quote that were made for it stay with the person. */
export async function deletePlan(
  { db, clock }: Pick<PlansContext, 'db' | 'clock'>,
  owner: PlanOwner,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!isUuid(id) || !(await deletePlanRow(tx, { id, userId: owner.userId }))) throw noSuchPlan()
    await recordPlan(tx, owner, { action: 'plan.deleted', id, at: clock.now() })
  })
}

export function noSuchPlan(): AppError {
  return notFound('there is no such plan')
}

export function recordPlan(
  tx: Tx,
  { userId, visit }: PlanOwner,
  { action, id, at }: { action: `plan.${string}`; id: string; at: Date },
): Promise<void> {
  return recordAudit(tx, {
    ...{ actor: { kind: 'user', id: userId }, action, at, userId, detail: { plan_id: id } },
    ...(visit && { visit }),
  })
}

/** A part of "export my data". */
export async function exportPlans({ db }: { db: Db }, userId: string): Promise<Record<string, unknown>> {
  const kept = await findPlans(db, userId, MOST_PLANS)
  const plans = kept.map(({ id, wish, plan, totalCents, createdAt, updatedAt }) => ({
    plan_id: id,
    query: wish.query,
    budget_usd: centsToDollars(plan.budgetCents),
    total_usd: centsToDollars(totalCents),
    overview: plan.overview,
    lines: plan.lines.map(({ line, kept, reasoning, productSlug }) => ({
      ...{ category: line.slug, product_slug: productSlug, quantity: line.quantity, kept, reasoning },
      cost_usd: centsToDollars(line.costCents),
    })),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }))
  return { plans }
}

/** Plans that nobody has changed for a year. */
export async function sweepPlans(
  { db, clock }: Pick<PlansContext, 'db' | 'clock'>,
  { inBatches }: SweepTools,
): Promise<{ plans: number }> {
  const before = new Date(clock.now().getTime() - KEEP_PLANS_MS)
  return { plans: await inBatches((rows) => deleteOldPlans(db, before, rows)) }
}
