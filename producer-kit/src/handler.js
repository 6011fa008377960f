/**
 * The whole conversation with a Souk service, free of any framework: a request as plain data in, a response as plain
 * data out. It serves the agent card and POST /message:send. Once a request is known to be genuine and readable, the
 * answer is always 200: what goes wrong in the shop's own code is a decline (interface 7), because other statuses
 * count as failures and lower the shop's rank. The shop hears of it through `onError`.
 */
import { decline, findAnswerProblems, QuoteError } from './answer.js'
import { assertUsableAuth, verifyBearer, whyNotSigned } from './auth.js'
import { CARD_PATHS, createCard } from './card.js'
import { createMemory } from './remember.js'
import { parseRfq, RfqError } from './rfq.js'

/** @import { Auth, Rfq, RfqHandler, RfqHandlerOptions, RfqHttpRequest, RfqHttpResponse } from '../index.d.ts' */

export const RFQ_PATH = '/message:send'
export const LONGEST_BODY = 65_536

/**
 * @param {RfqHandlerOptions} options
 * @returns {RfqHandler}
 */
export function createRfqHandler(options) {
  const { auth, quote, onRefused = () => {}, timeoutMs = 20_000, now = Date.now } = options
  assertUsableAuth(auth)
  if (typeof quote !== 'function')
    throw new TypeError('quote must be a function: (rfq) => quote(…) or decline()')
  const card = JSON.stringify(createCard(options.card), null, 2)
  const memory = createMemory(options.remember, now)
  const report = reporter(options.onError)

  return async (request) => {
    const path = pathOf(request.path)
    if (CARD_PATHS.includes(path)) return serveCard(request.method, card)
    if (path !== RFQ_PATH) return undefined
    if (request.method !== 'POST') return notAllowed('POST')
    try {
      const rawBody = await readBody(request)
      authenticate(auth, request, rawBody, now())
      const rfq = parseRfq(rawBody)
      return json(200, await memory(rfq, () => work(rfq)))
    } catch (error) {
      return refuse(error)
    }
  }

  /** @param {Rfq} rfq */
  async function work(rfq) {
    try {
      const answer = await inTime(async () => await quote(rfq), timeoutMs)
      const problems = findAnswerProblems(answer, { now: now() })
      if (problems.length > 0) throw new QuoteError(problems)
      return { answer, failed: false }
    } catch (error) {
      report(error, rfq)
      return { answer: decline(), failed: true }
    }
  }

  /** @param {unknown} error */
  function refuse(error) {
    if (!(error instanceof RfqError)) {
      report(error, null)
      return json(500, { error: 'internal error', code: 'internal' })
    }
    if (error.status >= 500) report(error, null)
    else onRefused(error)
    const response = json(error.status, { error: error.message, code: error.code, field: error.field })
    if (error.status === 401 && auth.type === 'bearer') response.headers['www-authenticate'] = 'Bearer'
    if (error.status === 413) response.headers.connection = 'close'
    return response
  }
}

/** @param {RfqHttpRequest} request */
async function readBody({ rawBody }) {
  const body = typeof rawBody === 'function' ? await rawBody() : rawBody
  if (Buffer.byteLength(body) > LONGEST_BODY) throw tooLarge()
  return body
}

export function tooLarge() {
  return new RfqError(`the body is over ${LONGEST_BODY} bytes`, { status: 413, code: 'body_too_large' })
}

/**
 * @param {Auth} auth
 * @param {RfqHttpRequest} request
 * @param {Uint8Array | string} rawBody
 * @param {number} now
 */
function authenticate(auth, { headers }, rawBody, now) {
  const refused = (/** @type {string} */ why) => new RfqError(why, { status: 401, code: 'unauthenticated' })
  if (auth.type === 'bearer') {
    const authorization = headerOf(headers, 'authorization')
    if (!verifyBearer({ token: auth.token, authorization }))
      throw refused('the bearer token is missing or wrong')
  }
  if (auth.type === 'hmac') {
    const timestamp = headerOf(headers, 'x-service-timestamp')
    const signature = headerOf(headers, 'x-service-signature')
    const why = whyNotSigned({ secret: auth.secret, timestamp, signature, rawBody, now })
    if (why !== null) throw refused(why)
  }
}

/**
 * @param {RfqHttpRequest['headers']} headers
 * @param {string} name
 */
function headerOf(headers, name) {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

/**
 * Without its query, and with `%3A` read as the colon it stands for: some proxies write it so.
 * @param {string} path
 */
function pathOf(path) {
  return path.replace(/[?#].*$/s, '').replace(/%3a/i, ':')
}

/**
 * @param {string} method
 * @param {string} card
 */
function serveCard(method, card) {
  if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD')
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=300',
  }
  return { status: 200, headers, body: method === 'HEAD' ? '' : card }
}

/** @param {string} allow */
function notAllowed(allow) {
  const response = json(405, { error: `only ${allow} is served here`, code: 'method_not_allowed' })
  response.headers.allow = allow
  return response
}

/**
 * @param {number} status
 * @param {object} body
 * @returns {RfqHttpResponse}
 */
function json(status, body) {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @param {number} timeoutMs
 * @returns {Promise<T>}
 */
async function inTime(work, timeoutMs) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`quote took over ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return /** @type {T} */ (await Promise.race([work(), late]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A reporter that itself fails must not turn an answer into an error.
 * @param {RfqHandlerOptions['onError']} onError
 * @returns {(error: unknown, rfq: Rfq | null) => void}
 */
function reporter(onError = (error, rfq) => console.error(`RFQ ${rfq?.rfqId ?? 'refused'}:`, error)) {
  return (thrown, rfq) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    try {
      onError(error, rfq)
    } catch (second) {
      console.error('onError threw', second, 'while it was told of', error)
    }
  }
}
