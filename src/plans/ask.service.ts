/**
 * Asks the sellers of everything in a plan: one request for quote a line, each as if its buyer had asked for it alone, and
 * each counted against the same limits. A line is not asked for again while its last request is fresh. The best quotes are
 * read beside the plan, for the lines that are still as they were asked for.
 */
import { z } from 'zod'
import type { Visit } from '../accounts/context.ts'
import { findPerson } from '../accounts/people.service.ts'
import type { PlanLine } from '../bundles/bundles.schema.ts'
import { slugOf } from '../catalog/profile.ts'
import type { Tx } from '../db/database.ts'
import { DAY_MS } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { centsToDollars, dollarsToCents } from '../lib/money.ts'
import type { RfqContext } from '../rfq/context.ts'
import { countMessage } from '../rfq/hourly-limit.service.ts'
import { answersOf } from '../rfq/outcome.ts'
import type { Quote } from '../rfq/quote.schema.ts'
import { RfqRequest } from '../rfq/rfq.schema.ts'
import { getRfqTask, type RfqTask, submitRfq } from '../rfq/rfq.service.ts'
import { findPlanRequests, insertPlanRequest, type PlanRequest } from './ask.queries.ts'
import {
  noSuchPlan,
  type PlanOwner,
  type PlansContext,
  recordPlan,
  requirePlan,
  standingOf,
} from './plans.service.ts'
import { lockPlan } from './share.queries.ts'

export type AskContext = PlansContext & RfqContext

export type Asker = { userId: string; visit: Visit }

export const AskInput = RfqRequest.pick({ delivery_region: true, deadline_iso: true })
export type AskInput = z.output<typeof AskInput>

/** A request that did not fail is not made again for so long. */
const FRESH_MS = DAY_MS

const Outcome = z.enum(['asked', 'already_asked', 'not_asked'])
export const AskedLine = z.object({
  line: z.string().describe('Slug of the category'),
  outcome: Outcome,
  request_id: z.string().nullable().describe('Of its request for quote'),
  why: z.string().nullable().describe('Why nobody was asked'),
})
export type AskedLine = z.output<typeof AskedLine>

type Line = PlanLine & { product: NonNullable<PlanLine['product']> }

class AskedMeanwhile extends Error {
  readonly rfqId: string
  constructor(rfqId: string) {
    super('asked meanwhile')
    this.rfqId = rfqId
  }
}

/**
 * Throws `rate_limited` when not even the first line could be asked for; later it stops there, and the lines say which
 * were asked and which were not.
 */
export async function askSellers(
  ctx: AskContext,
  owner: Asker,
  { id, ...wanted }: AskInput & { id: string },
): Promise<AskedLine[]> {
  const { userId, visit } = owner
  const kept = await requirePlan(ctx, owner, id)
  const user = await findPerson(ctx, userId)
  if (!user) throw noSuchPlan()
  const results: AskedLine[] = []
  let limited: string | null = null
  for (const line of standingOf(ctx, kept).plan.lines) {
    if (limited !== null) {
      results.push(notAsked(line.slug, limited))
      continue
    }
    try {
      results.push(await askFor(line))
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'rate_limited') throw error
      if (!results.some(({ request_id }) => request_id !== null)) throw error
      limited = error.message
      results.push(notAsked(line.slug, limited))
    }
  }
  return results

  async function askFor(line: PlanLine): Promise<AskedLine> {
    if (!isFilled(line)) return notAsked(line.slug, 'the line has no product')
    const fresh = (requests: readonly PlanRequest[]) =>
      requests.find((one) => isFor(one, line) && isFresh(one, wanted, ctx.clock.now()))
    const before = fresh(await findPlanRequests(ctx.db, id))
    if (before) return { line: line.slug, outcome: 'already_asked', request_id: before.rfqId, why: null }
    const rfqId = newId()
    try {
      await countMessage(ctx, { user, visit })
      await submitRfq(
        ctx,
        { userId, clientId: null, face: 'web', visit },
        {
          id: rfqId,
          request: { ...wanted, product_slug: slugOf(line.product), quantity: line.quantity, variant: null },
          alongside: (tx) => enter(tx, line, rfqId, fresh),
        },
      )
      return { line: line.slug, outcome: 'asked', request_id: rfqId, why: null }
    } catch (error) {
      if (error instanceof AskedMeanwhile)
        return { line: line.slug, outcome: 'already_asked', request_id: error.rfqId, why: null }
      // Discontinued, or gone since.
      if (error instanceof AppError && (error.kind === 'conflict' || error.field === 'product_slug'))
        return notAsked(line.slug, error.message)
      throw error
    }
  }

  /** Under the lock of the plan: of two who ask at the same time, one asks. */
  async function enter(
    tx: Tx,
    line: Line,
    rfqId: string,
    fresh: (requests: readonly PlanRequest[]) => PlanRequest | undefined,
  ): Promise<void> {
    if (!(await lockPlan(tx, { id, userId }))) throw noSuchPlan()
    const requests = await findPlanRequests(tx, id)
    const meanwhile = fresh(requests)
    if (meanwhile) throw new AskedMeanwhile(meanwhile.rfqId)
    const at = ctx.clock.now()
    const { slug, quantity, product } = line
    await insertPlanRequest(tx, { planId: id, rfqId, line: slug, productId: product.id, quantity, at })
    if (results.every(({ outcome }) => outcome !== 'asked'))
      await recordPlan(tx, owner, { action: 'plan.asked', id, at })
  }
}

function isFilled(line: PlanLine): line is Line {
  return line.product !== null
}

function notAsked(line: string, why: string): AskedLine {
  return { line, outcome: 'not_asked', request_id: null, why }
}

function isFor({ line, productId, quantity }: PlanRequest, now: Line): boolean {
  return line === now.slug && productId === now.product.id && quantity === now.quantity
}

function isFresh({ state, createdAt, deliveryRegion }: PlanRequest, wanted: AskInput, now: Date): boolean {
  if (state === 'submitted') return true
  if (state !== 'completed' || deliveryRegion !== wanted.delivery_region) return false
  return now.getTime() - createdAt.getTime() < FRESH_MS
}

const BestQuote = z.object({
  quote_id: z.string(),
  seller: z.string(),
  total_usd: z.number().describe('For all pieces, with shipping where it is stated'),
  offer_expires_at: z.string(),
})

export const QuotedLine = z.object({
  line: z.string().describe('Slug of the category'),
  state: z
    .enum(['not_asked', 'waiting', 'quoted', 'no_quote', 'no_sellers'])
    .describe('What became of asking its sellers; not_asked too when the line has changed since'),
  request_id: z.string().nullable(),
  asked: z.int().nullable().describe('How many sellers were asked'),
  plan_usd: z.number().nullable().describe('What the plan has for the line'),
  best: BestQuote.nullable(),
})

export const PlanQuotes = z.object({
  lines: z.array(QuotedLine),
  quoted_usd: z.number().describe('Total of the best quotes'),
  plan_usd: z.number().describe('Total of the plan for the same lines'),
  total_usd: z.number().describe('Total of the whole plan'),
  without_quote: z.array(z.string()).describe('Lines that no quote is there for'),
})
export type PlanQuotes = z.output<typeof PlanQuotes>

/** The best quote so far for each line that is as it was asked for, and their total beside the plan's. */
export async function findAsked(
  ctx: AskContext,
  owner: Pick<PlanOwner, 'userId'>,
  id: string,
): Promise<PlanQuotes> {
  const { plan } = standingOf(ctx, await requirePlan(ctx, owner, id))
  const requests = await findPlanRequests(ctx.db, id)
  const lines = await Promise.all(
    plan.lines.map(async (line) => {
      const [last] = requests
        .filter((one) => isFilled(line) && isFor(one, line))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      const task = last ? await getRfqTask(ctx, { id: last.rfqId, userId: owner.userId }) : null
      return quotedLine(line, task, ctx.clock.now())
    }),
  )
  const sum = (cents: Array<number | null>) =>
    centsToDollars(cents.reduce((sum: number, one) => sum + (one ?? 0), 0))
  const quoted = lines.filter(({ best }) => best !== null)
  const centsOf = (line: z.output<typeof QuotedLine>) =>
    line.plan_usd !== null ? dollarsToCents(line.plan_usd) : null
  return {
    lines,
    quoted_usd: sum(quoted.map(({ best }) => Math.round((best?.total_usd ?? 0) * 100))),
    plan_usd: sum(quoted.map(centsOf)),
    total_usd: centsToDollars(plan.totalCents),
    without_quote: lines.filter(({ best }) => best === null).map(({ line }) => line),
  }
}

function quotedLine(line: PlanLine, task: RfqTask | null, now: Date): z.output<typeof QuotedLine> {
  const best = task && bestOf(task.quotes, now)
  const { asked } = task ? answersOf(task) : { asked: null }
  return {
    line: line.slug,
    state: stateOf(task, best, asked),
    request_id: task?.rfqId ?? null,
    asked,
    plan_usd: centsToDollars(line.costCents),
    best: best && {
      ...{ quote_id: best.quote_id, seller: best.org.name, total_usd: best.total_usd },
      offer_expires_at: best.offer_expires_at,
    },
  }
}

function stateOf(
  task: RfqTask | null,
  best: Quote | null,
  asked: number | null,
): z.output<typeof QuotedLine>['state'] {
  if (!task || task.state === 'canceled') return 'not_asked'
  if (task.state === 'submitted') return 'waiting'
  if (best) return 'quoted'
  return asked === 0 ? 'no_sellers' : 'no_quote'
}

/** The first in rank that can still be bought at. */
function bestOf(quotes: readonly Quote[], now: Date): Quote | null {
  return quotes.find(({ in_stock, offer_expires_at }) => in_stock && new Date(offer_expires_at) > now) ?? null
}
