/**
 * One call of one tool: arguments put right and checked, the tool run, its answer or its refusal
 * (refusal.ts) written as the protocol wants it. Only a tool that does not exist is an error of the protocol. What breaks
 * inside stays in the log.
 */

import { asAppError, STATUS } from '../../http/error-response.ts'
import { AppError, invalid } from '../../lib/errors.ts'
import { TEXT_ROOM } from '../../lib/fit-text.ts'
import { counter, histogram } from '../../lib/metrics.ts'
import { shorten } from '../../lib/text.ts'
import { inSpan } from '../../lib/tracing.ts'
import { inlineText } from '../../lib/untrusted.ts'
import { invalidInput, isRecord } from '../../lib/validate.ts'
import { counted } from '../../lib/words.ts'
import { actingFor } from '../../orgs/producer.ts'
import { shownName } from '../../orgs/shown-org.ts'
import type { NamesContext } from '../../search/resolve-name.ts'
import type { ToolAnswer, ToolCall } from '../../tools/define-tool.ts'
import { mirroredParams, requireMirrored } from './headers.ts'
import { type Family, MODERN_META, type Offer, type Offered } from './offered.ts'
import { CODES, type Exchange, type Method, progressTokenOf, RpcError } from './protocol.ts'
import { REQUESTS_A_DAY } from './quota.ts'
import { notAProducer, type RefusalContext, refusalOf, refusalText } from './refusal.ts'

const MAX_NAME = 60

type CallContext = RefusalContext & NamesContext

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
      const named = offered.naming(ctx, given)
      const meant = named instanceof Promise ? await named : named
      requireCallable(offered, meant, exchange)
      const checked = offered.tool.input.safeParse(offered.forgive(meant), { reportInput: true })
      if (!checked.success) throw invalidInput(checked.error)
      const answer = await offered.tool.run(ctx, toCall(params, exchange), checked.data)
      const acting = offered.tool.audience === 'producers' ? await actingName(ctx, exchange) : null
      return answerText(
        exchange.family,
        answer,
        notesOf({ acting, offered, given: meant, remaining: exchange.remaining }),
      )
    } catch (raised) {
      const error = asAppError(raised)
      ended(STATUS[error.kind] < 500 ? 'refused' : 'fault')
      if (error.kind === 'internal') exchange.logFault(error.cause ?? error)
      return refusalText(
        exchange.family,
        await refusalOf(ctx, error, { given, tool: name, requestId: exchange.visit.requestId }),
      )
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
    throw new AppError('invalid', `${tool.name} is slow: send it alone, not in a batch`)
  const [unknown] = tool.effects.readOnly ? [] : forgive.unknown(given)
  if (unknown === undefined) return
  const valid = Object.keys(description.inputSchema.properties ?? {})
  const field = shorten(unknown, MAX_NAME)
  throw invalid(field, `${field}: is not a parameter of ${tool.name}`, { valid })
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

/** It is done by now: not knowing in whose name must not make it look undone. */
async function actingName(ctx: CallContext, { actor, logFault }: Exchange): Promise<string | null> {
  try {
    return await actingFor(ctx, actor)
  } catch (error) {
    logFault(error)
    return null
  }
}

type Noted<Context> = {
  acting: string | null
  offered: Offered<Context>
  given: Record<string, unknown>
  remaining: number
}

/** Enough to finish what is under way. */
const FEW_LEFT = 25

/** What stands beside the tool's own answer, so that nobody takes it for something else. */
function notesOf<Context>({ acting, offered, given, remaining }: Noted<Context>): string[] {
  return [
    ...(acting === null ? [] : [`Acting for ${inlineText(shownName(acting))}.`]),
    ...(remaining > FEW_LEFT
      ? []
      : [
          `${counted(remaining, 'request')} of ${REQUESTS_A_DAY} left today; ${REQUESTS_A_DAY} more at 00:00 UTC.`,
        ]),
    ...passedOver(offered, given),
  ]
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
  return [`Ignored unknown parameters: ${names.join(', ')}. Valid: ${known.join(', ') || 'none'}.`]
}

function unknownTool<Context>(name: string, { byName }: Offer<Context>, isProducer: boolean): RpcError {
  const words = name.toLowerCase().split(/[^a-z]+/)
  const isNear = (tool: string) =>
    tool.split('_').some((one) => one.length > 3 && words.some((word) => alike(word, one)))
  const shown = [...byName.values()].filter(({ tool }) => isProducer || tool.audience === 'everyone')
  const near = shown.map(({ tool }) => tool.name).filter(isNear)
  const hint = near.length > 0 ? `; did you mean ${near.slice(0, 3).join(', ')}?` : '; see tools/list'
  return new RpcError(CODES.invalidParams, `Unknown tool: ${name.slice(0, 100)}${hint}`)
}

/** "offer" for "offers". */
function alike(word: string, other: string): boolean {
  return word.length > 3 && (other.startsWith(word) || word.startsWith(other))
}

/** What is written of lasting answers, in the pieces between which what differs is put. */
const written: Record<Family, WeakMap<object, string[]>> = { legacy: new WeakMap(), modern: new WeakMap() }

/** What many callers are given alike is written once and kept for as long as what it was made of. */
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

/** Refused: what the caller did was wrong or may not be. Fault: it was ours, or the database's. */
type Outcome = 'ok' | 'refused' | 'fault'

const calls = counter(
  'souk_tool_calls_total',
  'Tool calls by name (unknown for names that do not exist) and outcome: ok, refused or fault.',
  ['tool', 'outcome'],
)
const durations = histogram('souk_tool_call_duration_seconds', 'Duration of tool calls.', ['tool'])

/** Counts the call by name and outcome, and makes it a span where the request is traced. */
function observeTool<T>(tool: string, work: (ended: (outcome: Outcome) => void) => Promise<T>): Promise<T> {
  const started = performance.now()
  let outcome: Outcome = 'ok'
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool }
  return inSpan(`tools/call ${tool}`, { attributes }, async (span) => {
    try {
      return await work((given) => {
        outcome = given
      })
    } catch (error) {
      outcome = error instanceof RpcError ? 'refused' : 'fault'
      throw error
    } finally {
      calls.inc(tool, outcome)
      durations.observe((performance.now() - started) / 1_000, tool)
      if (outcome === 'fault') span?.fail('fault')
    }
  })
}
