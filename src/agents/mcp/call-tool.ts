/**
 * One call of one tool: arguments mended and checked, the tool run, its answer or its refusal written as the protocol
 * wants it. A refusal is a result that a model reads, with what to do next; only a tool that does not exist is an
 * error of the protocol. What breaks inside stays in the log.
 */
import type { Db } from '../../db/database.ts'
import { asAppError, envelope, STATUS } from '../../http/error-response.ts'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { TEXT_ROOM } from '../../lib/fit-text.ts'
import { shorten } from '../../lib/text.ts'
import { inlineText } from '../../lib/untrusted.ts'
import { invalidInput } from '../../lib/validate.ts'
import { actingFor } from '../../orgs/acting-for.ts'
import { nearProducts } from '../../search/near-products.ts'
import type { Search } from '../../search/search.service.ts'
import type { ToolAnswer, ToolCall } from '../../tools/define-tool.ts'
import type { Exchange, Method } from './exchange.ts'
import { mirroredParams, requireMirrored } from './headers.ts'
import { type Family, MODERN_META, type Offer, type Offered } from './offered.ts'
import { CODES, isRecord, progressTokenOf, RpcError } from './protocol.ts'
import { type Outcome, observeTool } from './tool-metrics.ts'

/** Where a refusal finds the envelope of REST, for programs that call tools without a model. */
const ERROR_META = 'souk/error'
const MAX_NAME = 60
/** A message may repeat what the caller sent. */
const MAX_MESSAGE = 1_000
const PRODUCT_FIELDS = new Set(['product_slug', 'slug'])

type CallContext = { db: Db; config: { baseUrl: string }; search: Pick<Search, 'index'> }

export function createCallTool<Context extends CallContext>(ctx: Context, offer: Offer<Context>): Method {
  const mirrored = new Map(
    [...offer.byName].map(([name, { description }]) => [name, mirroredParams(description.inputSchema)]),
  )

  async function call(
    params: Record<string, unknown>,
    exchange: Exchange,
    ended: (outcome: Outcome) => void,
  ): Promise<string> {
    const { name } = params
    const given = params.arguments ?? {}
    if (typeof name !== 'string') throw new RpcError(CODES.invalidParams, 'params.name: a text is required')
    const offered = offer.byName.get(name)
    if (!offered) throw unknownTool(name, offer, exchange.actor.user.accountType === 'producer')
    if (!isRecord(given)) throw new RpcError(CODES.invalidParams, 'params.arguments: must be an object')
    if (exchange.family === 'modern') requireMirrored(mirrored.get(name) ?? [], given, exchange.header)
    if (offered.tool.audience === 'producers' && exchange.actor.user.accountType !== 'producer') {
      ended('refused')
      return refusalText(exchange.family, notAProducer(ctx.config.baseUrl))
    }
    try {
      requireCallable(offered, given, exchange)
      const checked = offered.input.safeParse(offered.forgive(given), { reportInput: true })
      if (!checked.success) throw invalidInput(checked.error)
      const answer = await offered.run(ctx, toCall(params, exchange), checked.data)
      const acting = offered.tool.audience === 'producers' ? await actingName(ctx, exchange) : null
      return answerText(exchange.family, answer, notesOf(acting, offered, given))
    } catch (raised) {
      const error = asAppError(raised)
      ended(STATUS[error.kind] < 500 ? 'refused' : 'fault')
      if (error.kind === 'internal') exchange.logFault(error.cause ?? error)
      return refusalText(exchange.family, await refusalOf(ctx, error, given, exchange.visit.requestId))
    }
  }

  return ({ params = {} }, exchange) => {
    const { name } = params
    // Callers name what they like; only what there is becomes a label.
    const known = typeof name === 'string' && offer.byName.has(name) ? name : 'unknown'
    return observeTool(known, (ended) => call(params, exchange, ended))
  }
}

/**
 * What writes does not guess: a parameter it does not know may be the one that said what to write to. And what takes long
 * and sets much going is not one of twenty in a request that counts once.
 */
function requireCallable<Context>(
  { tool, forgive, description }: Offered<Context>,
  given: Record<string, unknown>,
  { inBatch }: Exchange,
): void {
  if (tool.slow && inBatch)
    throw new AppError('invalid', `${tool.name} takes long: send it alone, not in a batch`)
  const [unknown] = tool.effects.readOnly ? [] : forgive.unknown(given)
  if (unknown === undefined) return
  const valid = Object.keys(description.inputSchema.properties ?? {})
  throw new AppError('invalid', `${shorten(unknown, MAX_NAME)}: is not a parameter of ${tool.name}`, {
    field: shorten(unknown, MAX_NAME),
    valid,
  })
}

function toCall(params: Record<string, unknown>, exchange: Exchange): ToolCall {
  const token = progressTokenOf(params)
  return {
    caller: exchange.actor,
    visit: exchange.visit,
    signal: exchange.signal,
    progress({ done, total, message }) {
      if (token !== undefined)
        exchange.notify?.('notifications/progress', { progressToken: token, progress: done, total, message })
    },
  }
}

/** The deed is done by now: not knowing in whose name must not make it look undone. */
async function actingName(ctx: CallContext, { actor, logFault }: Exchange): Promise<string | null> {
  try {
    return await actingFor(ctx, actor)
  } catch (error) {
    logFault(error)
    return null
  }
}

/** What stands beside the tool's own answer, so that nobody takes it for something else. */
function notesOf<Context>(
  acting: string | null,
  offered: Offered<Context>,
  given: Record<string, unknown>,
): string[] {
  return [...(acting === null ? [] : [`Acting for ${inlineText(acting)}.`]), ...passedOver(offered, given)]
}

/** A parameter that was made up is passed over, but not in silence: the answer may not be what was meant. */
function passedOver<Context>(
  { forgive, description }: Offered<Context>,
  given: Record<string, unknown>,
): string[] {
  const unknown = forgive.unknown(given)
  if (unknown.length === 0) return []
  const known = Object.keys(description.inputSchema.properties ?? {})
  const names = unknown.slice(0, 5).map((name) => inlineText(name, 40))
  return [
    `Passed over, not known here: ${names.join(', ')}. It takes ${known.join(', ') || 'no parameters'}.`,
  ]
}

/** What is written of lasting answers, in the pieces between which what differs is put. */
const written: Record<Family, WeakMap<object, string[]>> = { legacy: new WeakMap(), modern: new WeakMap() }

function answerText(family: Family, answer: ToolAnswer, notes: string[]): string {
  const { lasting } = answer
  if (lasting === undefined || notes.length > 0) return writeAnswer(family, answer, notes)
  const { of, except = '' } = lasting
  const known = written[family].get(of)
  if (known) return known.length === 1 ? (known[0] as string) : known.join(except)
  const text = toAscii(writeAnswer(family, answer, notes))
  written[family].set(of, except === '' ? [text] : text.split(except))
  return text
}

/** A byte a character is sent as it is, where other texts are encoded for each caller anew. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function writeAnswer(family: Family, { text, data }: ToolAnswer, notes: string[]): string {
  const note = notes.join(' ')
  const fits = note !== '' && text.length + note.length < TEXT_ROOM
  const content = [{ type: 'text', text }, ...(fits ? [{ type: 'text', text: note }] : [])]
  return JSON.stringify(
    family === 'legacy'
      ? { content, structuredContent: data }
      : { resultType: 'complete', content, structuredContent: data, _meta: MODERN_META },
  )
}

export type Refusal = { text: string; error: Record<string, unknown> }

function refusalText(family: Family, { text, error }: Refusal): string {
  const content = [{ type: 'text', text }]
  return JSON.stringify(
    family === 'legacy'
      ? { content, isError: true, _meta: { [ERROR_META]: error } }
      : { resultType: 'complete', content, isError: true, _meta: { ...MODERN_META, [ERROR_META]: error } },
  )
}

const proveDomain = (baseUrl: string) =>
  `An owner or admin proves the domain first; POST ${baseUrl}/api/org/verify-domain/ says how.`

const NEXT_STEP: Partial<Record<ErrorCode, (baseUrl: string) => string>> = {
  EMAIL_UNVERIFIED_CODE: (baseUrl) => `The person confirms their email address at ${baseUrl}/account first.`,
  not_a_producer: (baseUrl) => `The person registers or joins an organization first: ${baseUrl}/account.`,
  no_verified_relationship: () =>
    'Next: claim_product, then wait until list_my_products shows it as verified.',
  org_unverified: proveDomain,
  domain_unverified: proveDomain,
  not_owner_or_admin: () => 'An owner or admin of the organization can do this: list_team_members says who.',
}

async function refusalOf(
  ctx: CallContext,
  error: AppError,
  given: Record<string, unknown>,
  requestId: string | null,
): Promise<Refusal> {
  const valid = error.valid ?? (await nearMatches(ctx, error, given))
  const message = shorten(error.message, MAX_MESSAGE)
  const isOurs = error.kind === 'internal' && requestId !== null
  const fact = {
    ...envelope(error),
    error: message,
    ...(error.field !== undefined && { field: shorten(error.field, MAX_MESSAGE) }),
    ...(valid && { valid }),
    kind: error.kind,
    ...(isOurs && { request_id: requestId }),
  }
  const next = nextStep(ctx, error)
  const wait = error.retryAfterSeconds
  // Where the message lists them itself there is nothing to add.
  const listed = valid?.every((value) => message.includes(value)) ?? true
  const lines = [
    sentence(message, error.field),
    ...(listed ? [] : [`${error.kind === 'not_found' ? 'Near matches' : 'Possible'}: ${valid?.join(', ')}`]),
    ...(isOurs ? [`Request id: ${requestId}`] : []),
    ...(wait === undefined ? [] : [`Try again in ${wait} s.`]),
    ...(next ? [next] : []),
  ]
  return { text: lines.join('\n'), error: fact }
}

/** Whoever left the organization that their token was for is told so by the message, and need not register one. */
function nextStep({ config }: CallContext, { code, message }: AppError): string | undefined {
  if (code === undefined || (code === 'not_a_producer' && message.includes('reconnect'))) return undefined
  return NEXT_STEP[code]?.(config.baseUrl)
}

async function nearMatches(
  { search }: CallContext,
  { kind, field }: AppError,
  given: Record<string, unknown>,
): Promise<string[] | undefined> {
  const asked = field === undefined || !PRODUCT_FIELDS.has(field) ? undefined : given[field]
  if (kind !== 'not_found' || typeof asked !== 'string') return undefined
  const near = await nearProducts(search, asked)
  return near.length > 0 ? near : undefined
}

function notAProducer(baseUrl: string): Refusal {
  const error = 'this tool is for producers: people who act for an organization'
  const text = [sentence(error), NEXT_STEP.not_a_producer?.(baseUrl) ?? ''].join('\n')
  return { text, error: { error, code: 'not_a_producer', kind: 'forbidden' } }
}

function unknownTool<Context>(name: string, { byName }: Offer<Context>, isProducer: boolean): RpcError {
  const words = name.toLowerCase().split(/[^a-z]+/)
  const isNear = (tool: string) =>
    tool.split('_').some((one) => one.length > 3 && words.some((word) => alike(word, one)))
  const shown = [...byName.values()].filter(({ tool }) => isProducer || tool.audience === 'everyone')
  const near = shown.map(({ tool }) => tool.name).filter(isNear)
  const hint = near.length > 0 ? `; there is ${near.slice(0, 3).join(', ')}` : '; tools/list has them all'
  return new RpcError(CODES.invalidParams, `Unknown tool: ${name.slice(0, 100)}${hint}`)
}

/** "offer" for "offers". */
function alike(word: string, other: string): boolean {
  return word.length > 3 && (other.startsWith(word) || word.startsWith(other))
}

/** A parameter's name at the beginning stays as it is: a model copies it. */
function sentence(text: string, field?: string): string {
  const named = field !== undefined && text.startsWith(field)
  const begun = named ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
