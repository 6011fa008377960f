/**
 * Plans that are kept for the people they were made for. Every function acts on the plans of the person it is given and on
 * no others: somebody else's is not there. A write is one transaction with its audit record, which names the plan and
 * never what the person wished for.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import type { Plan, PlanInput, PlanTexts, Wish } from '../bundles/bundles.schema.ts'
import { takeCategories } from '../bundles/choose-categories.ts'
import { explainPlan, type ModelWriter } from '../bundles/model-writer.ts'
import { planFitting, withCandidates } from '../bundles/plan.ts'
import { writePlan } from '../bundles/write-plan.ts'
import type { Db, Tx } from '../db/database.ts'
import type { SweepTools } from '../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { type AppError, conflict, invalid, notFound, unauthenticated } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { centsToDollars } from '../lib/money.ts'
import { nearCategories } from '../search/near-categories.ts'
import type { Search } from '../search/search.service.ts'
import { toPlan } from './answer.ts'
import { deadlineAfter, withDelivery } from './delivery.ts'
import { applyEdits, type Draft, type EditCatalog } from './edits.ts'
import {
  isAsPlanned,
  type KeptPlan,
  type LineWish,
  type ProductOf,
  standingPlan,
  storedPlan,
} from './kept.ts'
import {
  deleteOldPlans,
  deletePlanRow,
  deletePlansBeyond,
  findPlanRow,
  findPlans,
  insertPlan,
  lockOwner,
  updatePlan,
} from './plans.queries.ts'
import type { Edit, PlanResponse } from './plans.schema.ts'
import { giveBack, takeEdit } from './quota.service.ts'
import { deleteRevokedShares } from './share.queries.ts'
import { currencyNote } from './wish-notes.ts'

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
const KEEP_REVOKED_MS = 30 * DAY_MS

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
    if (!(await lockOwner(tx, userId))) throw unauthenticated('this account was deleted')
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

/** The plan with the prices of now, and what else could fill each line. */
export async function findPlan(
  ctx: PlansContext,
  owner: Pick<PlanOwner, 'userId'>,
  id: string,
): Promise<PlanResponse> {
  return viewPlan(ctx, await requirePlan(ctx, owner, id))
}

async function viewPlan(ctx: PlansContext, kept: KeptPlan): Promise<PlanResponse> {
  const { plan, texts } = standingOf(ctx, kept)
  const wishes = kept.plan.lines.map(({ wish, line }) => ({ ...wish, prefer: line.product }))
  const categories = await withCandidates(ctx.search, wishes, kept.asked.filters)
  return toPlan(kept, { plan, input: { budgetCents: plan.budgetCents, categories }, texts })
}

/** The plan with the prices of now, in the words that were written for it while these hold. */
export function standingOf(
  ctx: Pick<PlansContext, 'search'>,
  kept: KeptPlan,
): { plan: Plan; texts: PlanTexts } {
  const plan = standingPlan(kept.plan, productsOf(ctx))
  return { plan, texts: isAsPlanned(kept.plan, plan) ? storedTexts(kept) : writePlan(plan, wishNow(kept)) }
}

function storedTexts({ plan }: KeptPlan): PlanTexts {
  const reasonings = Object.fromEntries(plan.lines.map(({ line, reasoning }) => [line.slug, reasoning]))
  return { overview: plan.overview, reasonings }
}

/** The wish with the budget that the plan has come to; one that was edited is exact and in dollars. */
function wishNow({ wish, plan: { budgetCents } }: Pick<KeptPlan, 'wish' | 'plan'>): Wish {
  if (budgetCents === (wish.budget?.cents ?? null)) return wish
  const budget = budgetCents === null ? null : { cents: budgetCents, approximate: false }
  return { ...wish, budget, foreignCurrency: null }
}

function productsOf({ search }: Pick<PlansContext, 'search'>): ProductOf {
  const index = search.index()
  return (id) => {
    const slot = index.slotOf(id)
    return slot === undefined ? null : index.at(slot)
  }
}

/** An edit of a plan that is being edited is tried again on what the other one made of it, so often. */
const TRIES = 3

/**
 * All of the edits or nothing. With the revision that the caller saw, a newer one is a conflict; without it, the edits
 * apply to what is there. A failed edit is not counted.
 */
export async function editPlan(
  ctx: PlansContext,
  owner: PlanOwner,
  { id, edits, revision }: { id: string; edits: readonly Edit[]; revision?: number | undefined },
): Promise<PlanResponse> {
  await requirePlan(ctx, owner, id)
  const taken = await takeEdit(ctx, owner.userId)
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      const kept = await requirePlan(ctx, owner, id)
      if (revision !== undefined && revision !== kept.revision) break
      const edited = await edit(ctx, owner, kept, edits)
      if (edited) return edited
    }
    throw conflict(
      'this plan was changed meanwhile, so nothing was edited; read it again and repeat the edit',
    )
  } catch (error) {
    await giveBack(ctx, taken).catch((fault) =>
      ctx.log.error({ err: fault }, 'the quota of a failed edit could not be refunded'),
    )
    throw error
  }
}

/** Null when somebody else changed the plan meanwhile. */
async function edit(
  ctx: PlansContext,
  owner: PlanOwner,
  kept: KeptPlan,
  edits: readonly Edit[],
): Promise<PlanResponse | null> {
  const draft = applyEdits(kept.plan, edits, editCatalog(ctx, kept))
  const chosen = draft.lines.map(({ wish, must, has }) => {
    return { ...wish, keep: must, prefer: must === null ? has : null }
  })
  const { budgetCents } = draft
  const deadline = deadlineAfter(kept.wish, kept.createdAt, ctx.clock.now())
  const found = await withCandidates(ctx.search, chosen, kept.asked.filters)
  const { categories } = await withDelivery(ctx, deadline, { budgetCents, categories: found })
  const planned = planFitting({ budgetCents, categories: allowed(categories, draft) }, { fewest: 0 })
  const isKept = (slug: string) => draft.lines.some(({ wish, kept }) => kept && wish.slug === slug)
  const lines = planned.lines.map((line) => ({ ...line, kept: line.product !== null && isKept(line.slug) }))
  const plan = { ...planned, lines }
  requireFilled(draft, plan)
  const wish = wishNow({ wish: kept.wish, plan: { ...kept.plan, budgetCents } })
  const written = await explainPlan({ writer: ctx.writer, plan, wish, log: ctx.log })
  const texts = { ...written, overview: `${written.overview}${currencyNote(wish)}` }
  const stored = storedPlan(plan, texts, {
    wishes: draft.lines.map((line) => line.wish),
    aside: draft.aside,
    marksOf: (slug) => {
      const line = draft.lines.find((one) => one.wish.slug === slug)
      return { kept: line?.kept ?? false, declined: line?.declined ?? [] }
    },
  })
  const at = ctx.clock.now()
  const next = { ...kept, plan: stored, totalCents: plan.totalCents, updatedAt: at }
  const saved = await ctx.db.transaction().execute(async (tx) => {
    if (!(await updatePlan(tx, next))) return false
    await recordPlan(tx, owner, { action: 'plan.edited', id: kept.id, at })
    return true
  })
  if (!saved) return null
  const changed = draft.lines.flatMap(({ wish, named }) => {
    const before = kept.plan.lines.find(({ line }) => line.slug === wish.slug)?.line.product ?? null
    const after = plan.lines.find(({ slug }) => slug === wish.slug)?.product ?? null
    if (named || before === (after?.id ?? null)) return []
    const from = before === null ? null : (productsOf(ctx)(before)?.title ?? null)
    return [{ line: wish.slug, from, to: after?.title ?? null }]
  })
  const input = { budgetCents, categories }
  return toPlan({ ...next, revision: kept.revision + 1 }, { plan, input, texts, changed })
}

/** Without what the owner declined. Where that is everything, all but the last are allowed again. */
function allowed(categories: PlanInput['categories'], { lines }: Draft): PlanInput['categories'] {
  return categories.map((category, at) => {
    const { declined = [], must = null, has = null } = lines[at] ?? {}
    const without = (ids: readonly string[]) =>
      category.candidates.filter(({ product: { id } }) => id === (must ?? has) || !ids.includes(id))
    const left = without(declined)
    return { ...category, candidates: left.length > 0 ? left : without(declined.slice(-1)) }
  })
}

/** A product that is to be replaced makes way for one that fits the money; a line that is added has a product. */
function requireFilled({ lines, budgetCents }: Draft, plan: Plan): void {
  for (const { wish, must, has, named, declined } of lines) {
    if (!named || must !== null || has !== null) continue
    const line = plan.lines.find(({ slug }) => slug === wish.slug)
    const isReplaced = declined.length > 0
    if (line?.product && !(isReplaced && line.overBudget)) continue
    const other = isReplaced ? 'other product' : 'product'
    const why = budgetCents === null ? '' : ' that fits your budget'
    throw invalid('edits', `edits: there is no ${other} for ${wish.label}${why}`)
  }
}

function editCatalog(ctx: PlansContext, { wish, asked }: KeptPlan): EditCatalog {
  const index = ctx.search.index()
  const productOf = productsOf(ctx)
  const categories = index.categories()
  return {
    productOf,
    findProduct(name) {
      const [slug = '', category] = name.toLowerCase().split('/').toReversed()
      const slot = index.findBySlug(slug)
      const product = slot === undefined ? null : index.at(slot)
      return product && (category === undefined || product.category.slug === category) ? product : null
    },
    findCategory(name) {
      const said = name.toLowerCase()
      return categories.find(({ slug, label }) => slug === said || label.toLowerCase() === said) ?? null
    },
    nearCategories: (name) => nearCategories(categories, name),
    wishFor(category): LineWish {
      const [taken] = takeCategories(index, wish, [category])
      if (!taken) throw new Error(`no line can be made for the category ${category}`)
      return { ...taken, query: [taken.query, ...asked.wanted].join(' ') }
    },
  }
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

/** Plans that nobody has changed for a year, and what was shared until lately. */
export async function sweepPlans(
  { db, clock }: Pick<PlansContext, 'db' | 'clock'>,
  { inBatches }: SweepTools,
): Promise<{ plans: number; shares: number }> {
  const before = new Date(clock.now().getTime() - KEEP_PLANS_MS)
  const revokedBefore = new Date(clock.now().getTime() - KEEP_REVOKED_MS)
  return {
    plans: await inBatches((rows) => deleteOldPlans(db, before, rows)),
    shares: await inBatches((rows) => deleteRevokedShares(db, revokedBefore, rows)),
  }
}
