/**
 * The handler in the clothes of node:http, Express, Hono and fetch. Their one hard duty is the raw body: signatures
 * cover the bytes as they came. When a body parser has read them first and kept nothing, the adapter says so with a
 * 500 and in `onError`, and what to do about it, instead of verifying something else.
 */
import { LONGEST_BODY, tooLarge } from './handler.js'
import { RfqError } from './rfq.js'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RfqHandler, RfqHttpResponse } from '../index.d.ts' */

/**
 * @param {RfqHandler} handler
 * @param {(request: IncomingMessage, response: ServerResponse) => void} [otherwise]
 * @returns {(request: IncomingMessage, response: ServerResponse) => void}
 */
export function toNode(handler, otherwise = notFound) {
  return (request, response) => {
    answerNode(handler, request, response).then(
      (answered) => answered || otherwise(request, response),
      (error) => {
        console.error(error)
        response.destroy()
      },
    )
  }
}

/**
 * @param {RfqHandler} handler
 * @returns {(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void}
 */
export function toExpress(handler) {
  return (request, response, next) => {
    answerNode(handler, request, response).then((answered) => answered || next(), next)
  }
}

/**
 * @param {RfqHandler} handler
 * @returns {(context: { req: { raw: Request } }, next: () => Promise<void>) => Promise<Response | undefined>}
 */
export function toHono(handler) {
  return async (context, next) => {
    const response = await answerFetch(handler, context.req.raw)
    if (response) return response
    await next()
    return undefined
  }
}

/**
 * @param {RfqHandler} handler
 * @returns {(request: Request) => Promise<Response>}
 */
export function toFetch(handler) {
  return async (request) =>
    (await answerFetch(handler, request)) ?? new Response('Not found\n', { status: 404 })
}

/**
 * @param {object} request
 * @param {unknown} _response
 * @param {Uint8Array} bytes
 */
export function keepRawBody(request, _response, bytes) {
  Object.assign(request, { rawBody: bytes })
}

/**
 * @param {RfqHandler} handler
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function answerNode(handler, request, response) {
  // Express cuts the mount path off `url`; the RFQ path counts from the domain root, so the whole one is wanted.
  const { originalUrl } = /** @type {{ originalUrl?: string }} */ (/** @type {unknown} */ (request))
  const result = await handler({
    method: request.method ?? 'GET',
    path: originalUrl ?? request.url ?? '/',
    headers: request.headers,
    rawBody: () => readNode(request),
  })
  if (!result) return false
  response.writeHead(result.status, result.headers)
  response.end(result.body)
  return true
}

/**
 * @param {IncomingMessage} request
 * @returns {Promise<Uint8Array | string>}
 */
async function readNode(request) {
  const { rawBody, body } = /** @type {{ rawBody?: unknown, body?: unknown }} */ (
    /** @type {unknown} */ (request)
  )
  const kept = rawBody ?? body
  if (kept instanceof Uint8Array) return kept
  if (typeof rawBody === 'string') return rawBody
  if (request.readableDidRead || request.readableEnded) throw bodyLost()
  if (Number(request.headers['content-length'] ?? 0) > LONGEST_BODY) throw tooLarge()
  return await new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    let size = 0
    request.on('data', (/** @type {Buffer} */ chunk) => {
      size += chunk.length
      if (size <= LONGEST_BODY) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', () => reject(cutOff()))
    request.on('close', () => reject(cutOff()))
  })
}

/**
 * @param {RfqHandler} handler
 * @param {Request} request
 * @returns {Promise<Response | undefined>}
 */
async function answerFetch(handler, request) {
  const result = await handler({
    method: request.method,
    path: new URL(request.url).pathname,
    headers: Object.fromEntries(request.headers),
    rawBody: () => readFetch(request),
  })
  return result && new Response(result.body === '' ? null : result.body, result)
}

/** @param {Request} request */
async function readFetch(request) {
  if (request.bodyUsed) throw bodyLost()
  if (Number(request.headers.get('content-length') ?? 0) > LONGEST_BODY) throw tooLarge()
  /** @type {Uint8Array[]} */
  const chunks = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read().catch(() => Promise.reject(cutOff()))) ?? { done: true }
    if (done) return Buffer.concat(chunks)
    size += value.length
    if (size > LONGEST_BODY) {
      await reader?.cancel().catch(() => {})
      throw tooLarge()
    }
    chunks.push(value)
  }
}

function bodyLost() {
  return new RfqError(
    'the raw body is gone: a body parser read it before souk-producer-kit. Mount the kit before the parser ' +
      '(app.use(toExpress(handler)) above app.use(express.json())), or keep the bytes with ' +
      'express.json({ verify: keepRawBody })',
    { status: 500, code: 'raw_body_lost' },
  )
}

function cutOff() {
  return new RfqError('the body was cut off', { code: 'body_cut_off' })
}

/**
 * @param {IncomingMessage} _request
 * @param {ServerResponse} response
 */
function notFound(_request, response) {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('Not found\n')
}
