/**
 * Requests for quote as every face uses them: tools, A2A and pages submit, read and withdraw here, and follow in
 * follow.ts. A request is its own A2A task. A signed-in caller owns it; an anonymous request is readable with its
 * id, which cannot be guessed.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { findPerson } from '../accounts/people.service.ts'
import { countsAlone, countWithinLimit, whoOf } from '../accounts/window-limit.service.ts'
import { chooseVariant } from '../catalog/chosen-variant.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db, Tx } from '../db/database.ts'
import type { RfqState, RfqsTable } from '../db/tables.ts'
import { enqueue } from '../jobs/runner.ts'
import { DAY_MS } from '../lib/clock.ts'
import { toWire } from '../lib/entity.ts'
import { AppError, conflict, invalid, notFound } from '../lib/errors.ts'
import { idsOf, isUuid, newId } from '../lib/ids.ts'
import { rateWords } from '../lib/rate-limit.ts'
import { parseInput } from '../lib/validate.ts'
import type { LinkFinder } from '../offers/links.service.ts'
import { countProgress, findQuoteLinkRow, findRanked, type Progress } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { endRfq } from './end.ts'
import { countMessage } from './hourly-limit.service.ts'
import type { Quote } from './quote.schema.ts'
import {
  countOwnRfqs,
  findOwnRfqs,
  findRfq,
  findRfqByMessage,
  findRfqFacts,
  forgetMessage,
  insertRfq,
  type OwnRfqs,
  type Rfq,
  type RfqFacts,
} from './rfq.queries.ts'
import { deadlineOf, type RfqRequest } from './rfq.schema.ts'
import { countEnd } from './rfq-metrics.ts'
import { RFQ_JOB } from './run.job.ts'
import { findOwnShares } from './share.queries.ts'

export type Asker = {
  /** Null for a stranger. */
  userId: string | null
  clientId: string | null
  face: RfqsTable['face']
  visit: Visit
  /** What a stranger's message tells of its sender beside the address, which many may share. */
  mark?: string
}

const TASK = [
  'sessionId',
  'contextId',
  'state',
  'productSlug',
  'productTitle',
  'quantity',
  'deliveryRegion',
  'deadlineIso',
  'variant',
  'createdAt',
  'finishedAt',
  'failure',
  'outcome',
  'chosenQuoteId',
  'chosenAt',
] as const

export type RfqTask = Pick<Rfq, (typeof TASK)[number]> & {
  /** Of the task itself: it gives the right to read and cancel an anonymous request. */
  rfqId: string
  /** Ranked and signed; empty until the request is complete. */
  quotes: Quote[]
  /** How many sellers were asked and have answered; only while it is under way. */
  progress: Progress | null
}

/** What was asked for, whatever became of it. */
export type AskedFor = Pick<Rfq, 'productSlug' | 'quantity' | 'deliveryRegion' | 'deadlineIso'> & {
  variant: { id: string } | null
}

export type SubmitInput = {
  request: RfqRequest
  contextId?: string
  /** The asker's own id of the message: the same one twice is one request. */
  messageId?: string
  /** Of a task that was there before its request was clear; a new one without. */
  id?: string
  /** Happens or does not happen together with the request. */
  alongside?: (tx: Tx) => Promise<void>
}

/**
 * Whose message ids are told apart from whose. What was said belongs to it: strangers behind one address who number their
 * messages from 1 must not get each other's tasks, and a changed message is another one. Of a stranger's so does its mark:
 * who cannot name where the other wants to be told does not get the task that shows it. Hashed with a secret, so that
 * nobody's address can be read from it.
 */
export function askerKeyOf(
  { secrets }: Pick<RfqContext, 'secrets'>,
  { userId, visit, mark = '' }: Asker,
  said: string,
): string {
  const who = userId === null ? `address ${visit.ip ?? 'unknown'} ${mark}` : `user ${userId}`
  return secrets.throttleKey(`message of ${who}: ${said}`)
}

/** For so long a message that is sent again is the same one; later its id may be used for another. */
export const MESSAGE_MS = DAY_MS

/** The request that this message of this asker made, if any: one for the same things as the given task. */
export async function findTaskOfMessage(
  ctx: RfqContext,
  asker: Asker,
  { task, messageId }: { task: AskedFor; messageId: string },
): Promise<RfqTask | null> {
  const rfq = await findRfqByMessage(ctx.db, askerKeyOf(ctx, asker, wordsOf(task)), messageId)
  return rfq && toTask(ctx, rfq)
}

/** However the product and its variant were named. */
function wordsOf({ productSlug, quantity, deliveryRegion, deadlineIso, variant }: AskedFor): string {
  const asked = [productSlug, quantity, deliveryRegion, deadlineIso]
  return JSON.stringify(variant === null ? asked : [...asked, variant.id])
}

/** Nobody is asked about what is no longer made. A face that answers in words says so in them. */
export class DiscontinuedError extends AppError {
  readonly productSlug: string

  constructor(productSlug: string) {
    super(
      'conflict',
      `${productSlug} is discontinued, so sellers cannot quote it; look for a similar product`,
      { code: 'conflict', field: 'product_slug' },
    )
    this.productSlug = productSlug
  }
}

/** Stores the request and answers at once; a job on any node carries it out. */
export async function submitRfq(ctx: RfqContext, asker: Asker, input: SubmitInput): Promise<RfqTask> {
  const { request, messageId = null } = input
  const slug = parseInput(ProductSlugInput, request.product_slug)
  const product = await findProduct(ctx, slug)
  if (!product) throw notFound(`there is no product ${request.product_slug}`, { field: 'product_slug' })
  const productSlug = `${product.category}/${product.slug}`
  if (product.discontinued) throw new DiscontinuedError(productSlug)
  if (request.deadline_iso !== null && deadlineOf(request.deadline_iso) < ctx.clock.now())
    throw invalid('deadline_iso', 'deadline_iso: is in the past')
  const { quantity, delivery_region: deliveryRegion, deadline_iso: deadlineIso } = request
  const variant = await chooseVariant(ctx, { productId: product.id, named: request.variant })
  const askedFor = { productSlug, quantity, deliveryRegion, deadlineIso, variant }
  const askerKey = messageId === null ? null : askerKeyOf(ctx, asker, wordsOf(askedFor))
  const at = ctx.clock.now()
  const stored = await ctx.db.transaction().execute(async (tx) => {
    if (messageId !== null && askerKey !== null)
      await forgetMessage(tx, { askerKey, messageId, before: new Date(at.getTime() - MESSAGE_MS) })
    const rfq = await insertRfq(tx, {
      id: input.id ?? newId(),
      contextId: input.contextId ?? newId(),
      productId: product.id,
      quantity,
      deliveryRegion,
      deadlineIso,
      variant,
      face: asker.face,
      userId: asker.userId,
      clientId: asker.clientId,
      messageId,
      askerKey,
      createdAt: at,
      anonymous: asker.userId === null,
    })
    if (!rfq) return null
    await enqueue(tx, RFQ_JOB, { rfqId: rfq.id })
    await input.alongside?.(tx)
    await countRequest({ ...ctx, db: tx }, asker)
    if (asker.userId !== null)
      await recordAudit(tx, {
        actor: { kind: 'user', id: asker.userId },
        action: 'rfq.submitted',
        at,
        userId: asker.userId,
        detail: {
          task_id: rfq.id,
          product_slug: productSlug,
          quantity,
          ...(variant && { variant: variant.name }),
        },
        visit: asker.visit,
      })
    return { ...rfq, productSlug, productTitle: product.title }
  })
  const rfq = stored ?? (await findRfqByMessage(ctx.db, askerKey ?? '', messageId ?? ''))
  if (!rfq) throw conflict('this message was already sent')
  return toTask(ctx, rfq)
}

/**
 * In the transaction of the request, so that only what is stored is counted, and once however often it is sent. A2A and
 * pages count the message before they come here. A tool's caller has the day's quota of the account in its place, which is
 * no bound for who makes accounts: until the address is confirmed, strangers' hour holds for them too.
 */
async function countRequest(ctx: RfqContext, { userId, face, visit }: Asker): Promise<void> {
  if (face === 'a2a') return
  const user = userId === null ? null : await findPerson(ctx, userId)
  if (face === 'tools' && !countsAlone(user)) await countMessage(ctx, { user, visit })
  await countWithinLimit(ctx, {
    limit: 'rfq',
    who: whoOf({ user, visit }),
    rate: ctx.config.limits.rfq,
    said: (rate) =>
      `${rateWords(rate, 'request for quote', 'requests for quote')} were sent ${countsAlone(user) ? 'for this account' : 'from this network'}`,
  })
}

/** Somebody else's is not there. */
export async function getRfqTask(
  ctx: RfqContext,
  input: { id: string; userId: string | null },
): Promise<RfqTask> {
  return toTask(ctx, await requireReadable(ctx, input))
}

/** For the service itself, without an owner check; null while it has not ended, and when its owner is gone. */
export async function findEndedTask(ctx: Pick<RfqContext, 'db'>, id: string): Promise<RfqTask | null> {
  const rfq = await findRfq(ctx.db, id)
  if (!rfq || rfq.state === 'submitted' || !isReadable(rfq, rfq.userId)) return null
  return toTask(ctx, rfq)
}

type OwnTasks = {
  userId: string
  state?: RfqState
  contextId?: string
  /** Changed at this time or later. */
  changedSince?: Date
}

/** The last changed first; strangers own none that could be listed. */
export async function listRfqTasks(
  ctx: RfqContext,
  input: OwnTasks & {
    before?: { changedAt: Date; id: string }
    limit: number
    offset?: number
    /** What the product's name holds. */
    search?: string | null
    withQuotes?: boolean
  },
): Promise<RfqTask[]> {
  const { before = null, limit, offset, search, withQuotes = true } = input
  const rows = await findOwnRfqs(ctx.db, { ...ownTasks(input), before, limit, offset, search })
  // One statement for the page: one for each of its tasks would take every connection of the node for one caller.
  const completed = withQuotes ? rows.filter(({ state }) => state === 'completed') : []
  const ids = idsOf(completed)
  const ranked = ids.length > 0 ? await findRanked(ctx.db, ids) : []
  const quotesOf = Map.groupBy(ranked, ({ rfqId }) => rfqId)
  return rows.map((row) => {
    const quotes = quotesOf.get(row.id) ?? []
    return taskOf(
      row,
      quotes.map(({ quote }) => quote),
    )
  })
}

export function countRfqTasks(ctx: RfqContext, input: OwnTasks): Promise<number> {
  return countOwnRfqs(ctx.db, ownTasks(input))
}

function ownTasks({ userId, state, contextId, changedSince }: OwnTasks): OwnRfqs {
  return {
    userId,
    state: state ?? null,
    contextId: contextId ?? null,
    changedSince: changedSince ?? null,
  }
}

/** False when it had ended already. Producers being asked are hung up on. */
export async function cancelRfq(
  ctx: RfqContext,
  input: { id: string; userId: string | null },
): Promise<boolean> {
  const { id } = await requireReadable(ctx, input)
  const end = { id, state: 'canceled', at: ctx.clock.now() } as const
  const canceled = await ctx.db.transaction().execute((tx) => endRfq(tx, end))
  if (canceled) countEnd('canceled')
  return canceled
}

async function toTask({ db }: Pick<RfqContext, 'db'>, rfq: Rfq): Promise<RfqTask> {
  const progress = rfq.state === 'submitted' ? await countProgress(db, rfq.id) : null
  return taskOf(rfq, await rankedOf(db, rfq), progress)
}

/** Empty until the request is complete. */
export async function rankedOf(db: Db, { id, state }: Pick<Rfq, 'id' | 'state'>): Promise<Quote[]> {
  return state === 'completed' ? (await findRanked(db, [id])).map(({ quote }) => quote) : []
}

export function taskOf(rfq: Rfq, quotes: Quote[], progress: Progress | null = null): RfqTask {
  const told = Object.fromEntries(TASK.map((key) => [key, rfq[key]])) as Pick<Rfq, (typeof TASK)[number]>
  return { rfqId: rfq.id, ...told, quotes, progress }
}

/**
 * Who may see a request: its owner, or for an anonymous one any caller with its id, which cannot be guessed.
 */
export function isReadable(rfq: Pick<Rfq, 'anonymous' | 'userId'>, userId: string | null): boolean {
  return rfq.anonymous || (rfq.userId !== null && rfq.userId === userId)
}

/** Somebody else's is not there. */
export async function requireReadable(
  ctx: Pick<RfqContext, 'db'>,
  { id, userId }: { id: string; userId: string | null },
): Promise<Rfq> {
  const rfq = isUuid(id) ? await findRfq(ctx.db, id) : null
  if (rfq && isReadable(rfq, userId)) return rfq
  throw noSuchRfq()
}

export function noSuchRfq(): AppError {
  return notFound('there is no such request for quote')
}

const ALL = 100_000

/** A part of "export my data": what a person asked sellers for, chose and shared. The answers are the sellers' own, and are read by its id. */
export async function exportRfqs(ctx: RfqContext, userId: string): Promise<Record<string, unknown>> {
  const tasks = await listRfqTasks(ctx, { userId, limit: ALL, withQuotes: false })
  const shared = await findOwnShares(ctx.db, userId)
  const quote_requests = tasks.map((task) => {
    const { rfqId: taskId, sessionId: rfqId, state, createdAt, finishedAt } = task
    const { productSlug, quantity, deliveryRegion, deadlineIso, variant } = task
    const asked = {
      productSlug,
      quantity,
      deliveryRegion,
      deadlineIso,
      ...(variant && { variant: variant.name }),
    }
    const { chosenQuoteId, chosenAt } = task
    const shares = shared
      .filter(({ rfqId }) => rfqId === taskId)
      .map(({ rfqId: _, ...share }) => toWire(share))
    return {
      ...toWire({ taskId, rfqId, state, ...asked, createdAt, finishedAt, chosenQuoteId, chosenAt }),
      shares,
    }
  })
  return { quote_requests }
}

export { deleteOwnRfqs } from './rfq.queries.ts'

/** A quote's attributed link. */
export const findQuoteLink: LinkFinder = ({ db, clock }, id) => findQuoteLinkRow(db, id, clock.now())

/** For the operator's health page. */
export function rfqFacts(ctx: { db: Db }): Promise<RfqFacts> {
  return findRfqFacts(ctx.db)
}
