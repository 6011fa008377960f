/**
 * From a parsed body to an answer: which family of the protocol the message belongs to (the library's classifier reads
 * the body first, as the newest revision says), then the method's own function. Each message stands alone; there are
 * no sessions. Batches belong to the older family, run one after the other and are bounded: a request counts once
 * against the quota whatever it carries.
 */

import { classifyInboundRequest, type InboundClassificationOutcome } from '@modelcontextprotocol/server'
import { AppError } from '../../lib/errors.ts'
import { isRecord } from '../../lib/validate.ts'
import { requireHeaders } from './headers.ts'
import {
  CODES,
  type Exchange,
  errorText,
  LATEST_LEGACY,
  LEGACY_VERSIONS,
  type Method,
  type Methods,
  MODERN_VERSION,
  RpcError,
  type RpcId,
  type RpcMessage,
  resultText,
} from './protocol.ts'

const LARGEST_BATCH = 20

/** Null when there is nothing to say, as to a notification. */
export type Answer = { status: number; text: string | null }

const ACCEPTED: Answer = { status: 202, text: null }

export function createDispatch(
  methods: Methods,
): (body: unknown, exchange: Exchange) => Answer | Promise<Answer> {
  async function run(message: RpcMessage, method: Method, exchange: Exchange): Promise<Answer> {
    try {
      return { status: 200, text: resultText(message.id, await method(message, exchange)) }
    } catch (error) {
      return failed(message.id, error, exchange)
    }
  }

  function legacy(
    message: RpcMessage,
    version: string | undefined,
    exchange: Exchange,
  ): Answer | Promise<Answer> {
    if (!isRequest(message)) return ACCEPTED
    if (version !== undefined && !LEGACY_VERSIONS.includes(version))
      return refused(message.id, unsupported(version, [...LEGACY_VERSIONS, MODERN_VERSION]))
    const method = methods.legacy.get(message.method)
    if (!method) return { ...refused(message.id, unknownMethod(message)), status: 200 }
    exchange.family = 'legacy'
    exchange.version = version ?? LATEST_LEGACY
    return run(message, method, exchange)
  }

  function modern(
    message: RpcMessage,
    version: string | undefined,
    exchange: Exchange,
  ): Answer | Promise<Answer> {
    if (version !== MODERN_VERSION)
      return refused(message.id, unsupported(version ?? 'unknown', [MODERN_VERSION]))
    if (!isRequest(message)) return ACCEPTED
    try {
      requireHeaders(message, exchange.header)
    } catch (error) {
      return failed(message.id, error, exchange)
    }
    const method = methods.modern.get(message.method)
    if (!method) return refused(message.id, unknownMethod(message))
    exchange.family = 'modern'
    exchange.version = version
    return run(message, method, exchange)
  }

  async function batch(
    messages: RpcMessage[],
    version: string | undefined,
    exchange: Exchange,
  ): Promise<Answer> {
    if (messages.some(({ method }) => method === 'initialize'))
      return refused(
        null,
        new RpcError(CODES.invalidRequest, 'initialize cannot be part of a batch', { status: 400 }),
      )
    const texts: string[] = []
    exchange.inBatch = true
    exchange.notify = null
    for (const message of messages) {
      // Nobody hears the rest of the answers, and what they would set going nobody waits for.
      if (exchange.signal().aborted) break
      const { text } = await legacy(message, version, exchange)
      if (text !== null) texts.push(text)
    }
    return texts.length === 0 ? ACCEPTED : { status: 200, text: `[${texts.join(',')}]` }
  }

  return (body, exchange) => {
    // First of all: the classifier looks at every message, and a body has room for a hundred thousand.
    if (Array.isArray(body) && body.length > LARGEST_BATCH)
      return refused(
        null,
        new RpcError(CODES.invalidRequest, `a batch can have at most ${LARGEST_BATCH} messages`, {
          status: 400,
        }),
      )
    const version = exchange.header('mcp-protocol-version')
    const route = classify(body, exchange.header)
    if (route.kind === 'reject')
      return refused(
        idOf(body),
        new RpcError(route.code, route.message, { status: route.httpStatus, data: route.data }),
      )
    if (route.kind === 'modern')
      return modern(route.message as RpcMessage, route.classification.revision, exchange)
    const spoken = route.reason === 'initialize' ? undefined : version?.trim()
    if (Array.isArray(body)) return batch(body as RpcMessage[], spoken, exchange)
    return route.reason === 'response' ? ACCEPTED : legacy(body as RpcMessage, spoken, exchange)
  }
}

function isRequest(message: RpcMessage): boolean {
  return message.id !== undefined && typeof message.method === 'string'
}

function refused(id: RpcId | undefined, error: RpcError): Answer {
  return { status: error.status, text: errorText(id, error) }
}

function failed(id: RpcId | undefined, error: unknown, { logFault }: Pick<Exchange, 'logFault'>): Answer {
  if (error instanceof RpcError) return refused(id, error)
  // Of what is no tool: a tool's refusal is a result.
  if (error instanceof AppError && error.kind !== 'internal') return refused(id, plainError(error))
  logFault(error)
  return refused(id, new RpcError(CODES.internal, 'something went wrong on our side', { status: 500 }))
}

function plainError({ kind, message }: AppError): RpcError {
  const code = kind === 'unavailable' ? CODES.internal : CODES.invalidParams
  return new RpcError(code, message, { status: kind === 'unavailable' ? 503 : 400 })
}

function unknownMethod({ method }: RpcMessage): RpcError {
  return new RpcError(CODES.methodNotFound, `Method not found: ${method.slice(0, 100)}`, { status: 404 })
}

function unsupported(requested: string, supported: string[]): RpcError {
  return new RpcError(CODES.unsupportedVersion, `Unsupported protocol version: ${requested.slice(0, 40)}`, {
    status: 400,
    data: { supported, requested },
  })
}

export function idOf(body: unknown): RpcId {
  const id = isRecord(body) ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/**
 * Which family of the protocol a request belongs to. The library's classifier decides; what is plainly a request of the
 * older family, as nearly all are today, is known without it, because checking a message against the library's
 * schemas costs as much as everything else on the way to a tool. A test holds the two against each other.
 */
const PLAIN: InboundClassificationOutcome = { kind: 'legacy', reason: 'no-claim' }

export function classify(
  body: unknown,
  header: (name: string) => string | undefined,
): InboundClassificationOutcome {
  const version = header('mcp-protocol-version')
  if (isPlain(body) && (version === undefined || LEGACY_VERSIONS.includes(version))) return PLAIN
  return classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    mcpMethodHeader: header('mcp-method'),
    mcpNameHeader: header('mcp-name'),
    body,
  })
}

/** A request with nothing in it that any family gives a meaning of its own. */
function isPlain(body: unknown): boolean {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') return false
  if (body.method === 'initialize') return false
  if (typeof body.id !== 'string' && !Number.isSafeInteger(body.id)) return false
  const { params } = body
  const known = params === undefined ? 3 : 4
  if (Object.keys(body).length !== known) return false
  return params === undefined || (isRecord(params) && !Object.hasOwn(params, '_meta'))
}
