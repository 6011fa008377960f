/**
 * Who wants to be told when a request for quote has ended, and where. The address comes from anybody, so it is judged
 * before it is stored and again whenever it is called. What proves to the receiver that the caller is us (a token,
 * credentials) is sealed before it is stored, opened only to be sent, and never returned or logged.
 */
import { z } from 'zod'
import type { Tx } from '../db/database.ts'
import type { SealedColumn } from '../db/reseal.ts'
import type { A2aProtocol } from '../db/tables.ts'
import { AppError } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import { checkAddress } from '../orgs/integration-fetch.ts'
import type { RfqContext } from './context.ts'
import { enqueuePush, MAX_SENT } from './end.ts'
import {
  countOtherPushes,
  findPush,
  findPushes,
  lockRfqState,
  type PushRow,
  removePush,
  savePush,
} from './pushes.queries.ts'
import { findEndedTask, type RfqTask, requireReadable } from './rfq.service.ts'

export const PUSH_SECRETS: SealedColumn = {
  table: 'rfq_pushes',
  column: 'secrets_box',
  key: ['rfq_id', 'id'],
  purpose: 'push notifications',
}

/** Where a task that may become a request keeps one until then. */
export const QUESTION_PUSHES: SealedColumn = {
  ...PUSH_SECRETS,
  table: 'a2a_questions',
  column: 'push_box',
  key: ['id'],
}

export type Push = { id: string; url: string; scheme: string | null }

type Whose = { rfqId: string; userId: string | null }

const MAX_PUSHES = 10

const Secret = z
  .string()
  .max(2_048)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces around it')

const PushId = z
  .string()
  .max(200)
  .regex(/^\P{C}+$/u, 'must be printable')

const PushInput = z
  .object({
    id: PushId.optional(),
    url: z
      .string()
      .max(2_048)
      .regex(/^[^\p{C}\p{Z}]+$/u, 'must be a URL'),
    token: Secret.optional(),
    // RFC 9110, 11.1: the name of a scheme is a token.
    scheme: z
      .string()
      .max(64)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP scheme')
      .optional(),
    credentials: Secret.optional(),
  })
  .refine(({ scheme, credentials }) => scheme !== undefined || credentials === undefined, {
    path: ['scheme'],
    message: 'is required with credentials',
  })

export type NewPush = z.input<typeof PushInput>
/** Good to be stored; what proves who we are is still open. */
export type CheckedPush = z.output<typeof PushInput> & { protocol: A2aProtocol }

/** Resolves the name of the address and calls nobody. */
export async function checkPush(
  ctx: Pick<RfqContext, 'outbound'>,
  { push, protocol }: { push: NewPush; protocol: A2aProtocol },
): Promise<CheckedPush> {
  const checked = parseInput(PushInput, withoutEmpty(push))
  await requirePublic(ctx, checked.url)
  return { ...checked, protocol }
}

/** One of the same id is replaced. For a request that has ended it is sent at once: nothing else would ever send it. */
export async function createPush(
  ctx: RfqContext,
  { rfqId, userId, ...input }: Whose & { push: NewPush; protocol: A2aProtocol },
): Promise<Push> {
  const { id } = await requireReadable(ctx, { id: rfqId, userId })
  const push = await checkPush(ctx, input)
  return ctx.db.transaction().execute(async (tx) => shown(await storePush(ctx, tx, { rfqId: id, push })))
}

/** For a message that was sent again: what it asked for is there afterwards, and is not sent twice. */
export async function ensurePush(
  ctx: Pick<RfqContext, 'db' | 'pushSecrets'>,
  { rfqId, push }: { rfqId: string; push: CheckedPush },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockRfqState(tx, rfqId)
    const stored = await findPush(tx, { rfqId, id: push.id ?? rfqId })
    if (stored?.url !== push.url) await storePush(ctx, tx, { rfqId, push })
  })
}

/** Together with whatever else the transaction does. */
export async function storePush(
  ctx: Pick<RfqContext, 'pushSecrets'>,
  tx: Tx,
  { rfqId, push }: { rfqId: string; push: CheckedPush },
): Promise<PushRow> {
  const { id = rfqId, url, protocol, token, scheme, credentials } = push
  const state = await lockRfqState(tx, rfqId)
  if (state === null) throw notFound()
  if ((await countOtherPushes(tx, { rfqId, id })) >= MAX_PUSHES)
    throw tooMany(`a task can have at most ${MAX_PUSHES} push notifications`, MAX_PUSHES)
  const saved = await savePush(tx, {
    rfq_id: rfqId,
    id,
    url,
    protocol,
    auth_scheme: scheme ?? null,
    secrets_box: token === undefined && credentials === undefined ? null : seal(ctx, { token, credentials }),
  })
  if (state !== 'submitted' && !(await enqueuePush(tx, saved)))
    throw tooMany(
      `a task sends at most ${MAX_SENT} push notifications, and this task has sent them all`,
      MAX_SENT,
    )
  return saved
}

/** Kept for a request that is not there yet. */
export function sealPush({ pushSecrets }: Pick<RfqContext, 'pushSecrets'>, push: CheckedPush): string {
  return pushSecrets.seal(JSON.stringify(push))
}

export function openPush({ pushSecrets }: Pick<RfqContext, 'pushSecrets'>, box: string): CheckedPush {
  return JSON.parse(pushSecrets.open(box)) as CheckedPush
}

/** Without an id the one named like the task, or else the only one. */
export async function getPush(
  ctx: RfqContext,
  { rfqId, userId, id }: Whose & { id?: string },
): Promise<Push> {
  const rfq = await requireReadable(ctx, { id: rfqId, userId })
  const pushes = await findPushes(ctx.db, rfq.id)
  const named = pushes.find((push) => push.id === (id || rfq.id))
  const only = !id && pushes.length === 1 ? pushes[0] : undefined
  const found = named ?? only
  if (!found) throw notFound()
  return shown(found)
}

/** The oldest first. */
export async function listPushes(ctx: RfqContext, { rfqId, userId }: Whose): Promise<Push[]> {
  const rfq = await requireReadable(ctx, { id: rfqId, userId })
  return (await findPushes(ctx.db, rfq.id)).map(shown)
}

/** One that is not there is deleted already. */
export async function deletePush(
  ctx: RfqContext,
  { rfqId, userId, id }: Whose & { id: string },
): Promise<void> {
  const rfq = await requireReadable(ctx, { id: rfqId, userId })
  if (PushId.safeParse(id).success) await removePush(ctx.db, { rfqId: rfq.id, id })
}

export type Delivery = {
  url: string
  protocol: A2aProtocol
  token: string | null
  /** Of the header. */
  authorization: string | null
  task: RfqTask
}

/** What is to be sent, secrets opened; null when the task, or this push of it, is gone or was replaced. */
export async function findDelivery(
  ctx: Pick<RfqContext, 'db' | 'pushSecrets'>,
  { rfqId, pushId, made }: { rfqId: string; pushId: string; made: number },
): Promise<Delivery | null> {
  const push = await findPush(ctx.db, { rfqId, id: pushId })
  if (push?.made !== made) return null
  const task = await findEndedTask(ctx, rfqId)
  if (!task) return null
  const { url, protocol, auth_scheme: scheme } = push
  const { token, credentials } = open(ctx, push)
  return {
    url,
    protocol,
    token: token ?? null,
    authorization: credentials === undefined ? null : `${scheme} ${credentials}`,
    task,
  }
}

type Secrets = { token?: string; credentials?: string }

function seal({ pushSecrets }: Pick<RfqContext, 'pushSecrets'>, secrets: Secrets): string {
  return pushSecrets.seal(JSON.stringify(secrets))
}

function open({ pushSecrets }: Pick<RfqContext, 'pushSecrets'>, { secrets_box: box }: PushRow): Secrets {
  return box === null ? {} : (JSON.parse(pushSecrets.open(box)) as Secrets)
}

function shown({ id, url, auth_scheme: scheme }: PushRow): Push {
  return { id, url, scheme }
}

/** A2A 1.0 is protobuf at heart, where a text that was not given is empty. */
function withoutEmpty(push: NewPush): NewPush {
  return { url: push.url, ...Object.fromEntries(Object.entries(push).filter(([, value]) => value !== '')) }
}

async function requirePublic(ctx: Pick<RfqContext, 'outbound'>, url: string): Promise<void> {
  const refused = await checkAddress(ctx.outbound, url)
  if (!refused) return
  const { reason, problem } = refused
  if (reason === 'private_address')
    throw new AppError('unprocessable', `url: ${problem}`, { code: 'private_address', field: 'url' })
  const kind = reason === 'dns' || reason === 'timeout' ? 'unprocessable' : 'invalid'
  throw new AppError(kind, `url: ${problem}`, { field: 'url' })
}

function tooMany(message: string, max: number): AppError {
  return new AppError('conflict', message, { code: 'conflict', max })
}

function notFound(): AppError {
  return new AppError('not_found', 'there is no such push notification', { code: 'not_found' })
}
