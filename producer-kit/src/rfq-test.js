/**
 * What `souk-rfq-test` does: reads the agent card and sends test RFQs as the service would, good ones and forged
 * ones, and notes what is wrong with each answer and what to do about it. The forged ones matter most: an endpoint
 * that accepts them works perfectly until somebody notices.
 */
import { randomUUID } from 'node:crypto'
import { findAnswerProblems, isDecline } from './answer.js'
import { signRequest } from './auth.js'
import { CARD_PATHS, findCardProblems } from './card.js'
import { RFQ_PATH } from './handler.js'
import { SKILL } from './rfq.js'
import { exchange } from './rfq-test.http.js'

/**
 * @import { Answered, Exchange } from './rfq-test.http.js'
 * @typedef {{ level: 'good' | 'warning' | 'problem' | 'title' | 'other', text: string, advice?: string }} Finding
 * @typedef {{
 *   url: URL, bearer?: string, hmac?: string, product?: string, quantity?: number, region?: string,
 *   insecure?: boolean, deadlineMs?: number
 * }} TestOptions
 * @typedef {{ rfqId?: string, product?: string, note?: string, spaced?: boolean }} RfqParts
 */

/** Buyers' agents wait for every seller. */
const SLOW_MS = 5_000
/** The service's signature is refused beyond 300 s; a clock that is off by this much is on its way there. */
const SKEW_S = 30

/**
 * @param {TestOptions} options
 * @param {(finding: Finding) => void} report
 */
export async function testProducer(options, report) {
  /** @type {(text: string) => void} */
  const title = (text) => report({ level: 'title', text })
  /** @type {(text: string) => void} */
  const good = (text) => report({ level: 'good', text })
  /** @type {(text: string, advice?: string) => void} */
  const warn = (text, advice) => report({ level: 'warning', text, advice })
  /** @type {(text: string, advice?: string) => void} */
  const problem = (text, advice) => report({ level: 'problem', text, advice })

  const { url, insecure, deadlineMs } = options
  const endpoint = new URL(RFQ_PATH, url)
  const unknownProduct = `souk-rfq-test/no-such-product-${randomUUID().slice(0, 8)}`

  title('Agent card')
  if (url.protocol === 'https:') good('the address is https')
  else if (isLoopback(url))
    warn('the address is http', 'fine on this machine; the service itself calls https only')
  else problem('the address is http', 'the service registers and calls https addresses only')
  let toldSkew = false
  if (!(await testCard())) return

  if (options.bearer !== undefined) await testBearer(options.bearer)
  if (options.hmac !== undefined) await testHmac(options.hmac)
  if (options.bearer === undefined && options.hmac === undefined) await testNone()

  async function testCard() {
    const paths = url.pathname === '/' ? CARD_PATHS : [url.pathname + url.search]
    for (const [index, path] of paths.entries()) {
      const answer = await exchange(new URL(path, url), { insecure, deadlineMs })
      if ('failed' in answer) {
        problem(`${new URL(path, url)}: ${answer.failed}`)
        return false
      }
      if (answer.status === 404 && index < paths.length - 1) continue
      judgeCard(`${new URL(path, url)}`, answer)
      return true
    }
    return false
  }

  /** @type {(where: string, answer: Answered) => void} */
  function judgeCard(where, answer) {
    if (answer.status < 200 || answer.status > 299)
      return problem(`${where} answers ${answer.status}`, 'serve the card there, without a redirect')
    const card = parsed(answer.text)
    const problems = card === undefined ? ['it is not JSON'] : findCardProblems(card)
    for (const one of problems) problem(`${where}: ${one}`)
    if (problems.length === 0) good(`${where} declares the skill ${SKILL}`)
  }

  /** @param {string} token */
  async function testBearer(token) {
    title(`RFQ with a bearer token, POST ${endpoint}`)
    const authorization = `Bearer ${token}`
    if (!(await testAnswers((body) => send(body, { Authorization: authorization })))) return
    const body = rfq({})
    await mustRefuse('a wrong token', send(body, { Authorization: `Bearer ${flipped(token)}` }))
    await mustRefuse('a token with more behind it', send(body, { Authorization: `${authorization}x` }))
    await mustRefuse('no token', send(body, {}))
  }

  /** @param {string} secret */
  async function testHmac(secret) {
    title(`RFQ with an HMAC signature, POST ${endpoint}`)
    /** @type {(body: string, shiftMs?: number) => Record<string, string>} */
    const signed = (body, shiftMs = 0) => signRequest({ secret, rawBody: body, now: Date.now() + shiftMs })
    if (!(await testAnswers((body) => send(body, signed(body))))) return
    const body = rfq({})
    const spaced = rfq({ spaced: true })
    const rawBytes = await send(spaced, signed(spaced))
    if ('failed' in rawBytes) problem(`a signed body with unusual spacing: ${rawBytes.failed}`)
    else if (rawBytes.status === 200) good('the signature is checked over the raw bytes')
    else
      problem(
        `a signed body with unusual spacing was answered ${rawBytes.status}`,
        'verify over the bytes as received, not over JSON that was parsed and written again',
      )
    const wrong = signRequest({ secret: flipped(secret), rawBody: body })
    await mustRefuse('a signature with a wrong secret', send(body, wrong))
    await mustRefuse('a body changed after signing', send(body.replace('Test', 'Tess'), signed(body)))
    await mustRefuse('a timestamp 10 minutes old', send(body, signed(body, -600_000)))
    await mustRefuse('a timestamp 10 minutes ahead', send(body, signed(body, 600_000)))
    const fresh = {
      ...signed(body, -600_000),
      'X-Service-Timestamp': signed(body)['X-Service-Timestamp'] ?? '',
    }
    await mustRefuse('an old signature under a new timestamp', send(body, fresh))
    await mustRefuse('no signature', send(body, {}))
  }

  async function testNone() {
    title(`RFQ without authentication, POST ${endpoint}`)
    const ok = await testAnswers((body) => send(body, {}))
    if (ok) warn('anybody can ask this endpoint for quotes', 'register with hmac (better) or bearer')
  }

  /**
   * The good RFQs. False when not even the first was taken: then refusals would prove nothing.
   * @param {(body: string) => Promise<Exchange>} sendGood
   */
  async function testAnswers(sendGood) {
    const rfqId = randomUUID()
    const product = options.product ?? unknownProduct
    const asked = options.product === undefined ? 'an unknown product' : `a quote for ${product}`
    const first = judgeAnswer(asked, await sendGood(rfq({ rfqId, product })))
    if (first === undefined) return false
    if (options.product === undefined)
      warn(
        'no quote was asked for, only an unknown product',
        'name one you sell: --product <category>/<slug>',
      )
    else if (isDecline(first))
      warn(`${product} was declined`, 'name a product that you sell and have in stock')
    const again = judgeAnswer('the same RFQ again', await sendGood(rfq({ rfqId, product })))
    if (again && again.price_usd !== first.price_usd)
      warn(
        'the same rfq_id got another price the second time',
        'a retry wants the same answer: see `remember`',
      )
    if (options.product === undefined) return true
    const none = judgeAnswer('an unknown product', await sendGood(rfq({ product: unknownProduct })))
    if (none && !isDecline(none)) warn('a product that does not exist was quoted', 'answer with a decline')
    return true
  }

  /**
   * @param {string} what
   * @param {Exchange} answer
   * @returns {Record<string, unknown> | undefined} the answer, or undefined when there is no use in going on
   */
  function judgeAnswer(what, answer) {
    if ('failed' in answer) return void problem(`${what}: ${answer.failed}`)
    const { status, text, ms } = answer
    tellSkew(answer)
    if (status !== 200)
      return void problem(`${what}: answered ${status}${excerpt(text)}`, adviceFor(status, skewOf(answer)))
    const body = parsed(text)
    if (body === undefined) return void problem(`${what}: the answer is not JSON${excerpt(text)}`)
    const problems = findAnswerProblems(body)
    for (const one of problems) problem(`${what}: ${one}`)
    if (problems.length > 0) return typeof body === 'object' && body !== null ? { ...body } : undefined
    good(`${what}: ${isDecline(body) ? 'a decline in the right shape' : summary(body)} in ${ms} ms`)
    if (ms > SLOW_MS)
      warn(
        `${what}: took ${ms} ms, over ${SLOW_MS / 1000} s`,
        'buyers wait for every answer, and after 25 s it is dropped',
      )
    if (!isDecline(body) && body.shipping_cost_usd === undefined)
      warn(`${what}: no shipping_cost_usd`, 'offers that state it rank higher; 0 is free shipping')
    return body
  }

  /** @param {Answered} answer */
  function tellSkew(answer) {
    const skew = skewOf(answer)
    if (skew === null || Math.abs(skew) <= SKEW_S || toldSkew) return
    toldSkew = true
    const off = `clock skew: your server's clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this machine's`
    const advice = 'synchronize it by NTP; signatures are refused from 300 s on'
    if (Math.abs(skew) > 300) problem(off, advice)
    else warn(off, advice)
  }

  /**
   * @param {string} what
   * @param {Promise<Exchange>} sent
   */
  async function mustRefuse(what, sent) {
    const answer = await sent
    if ('failed' in answer) problem(`${what}: ${answer.failed}`)
    else if (answer.status === 401 || answer.status === 403) good(`${what} is refused (${answer.status})`)
    else
      problem(
        `${what} was answered ${answer.status}`,
        answer.status === 200 ? 'anybody can forge RFQs: verify before answering' : 'answer 401',
      )
  }

  /** @param {RfqParts} parts */
  function rfq({ rfqId = randomUUID(), product = options.product ?? unknownProduct, spaced = false }) {
    const quantity = options.quantity ?? 1
    const metadata = {
      skill: SKILL,
      rfq_id: rfqId,
      product_slug: product,
      quantity,
      delivery_region: options.region ?? 'CA-US',
      deadline_iso: new Date(Date.now() + 14 * 86_400_000).toISOString(),
      requestor: 'https://souk.example/.well-known/agent-card.json',
    }
    const parts = [{ kind: 'text', text: `Test RFQ: ${quantity} × ${product}` }]
    const message = { messageId: randomUUID(), role: 'user', parts, metadata }
    const body = { jsonrpc: '2.0', id: rfqId, method: 'message/send', params: { message } }
    return JSON.stringify(body, null, spaced ? 3 : 0)
  }

  /**
   * @param {string} body
   * @param {Record<string, string>} headers
   */
  function send(body, headers) {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers }
    return exchange(endpoint, { method: 'POST', headers: all, body, insecure, deadlineMs })
  }
}

/**
 * How many seconds the answering server's clock is ahead of this machine's, by its Date header; null without one.
 * @param {Answered} answer
 */
function skewOf({ headers }) {
  const said = Date.parse(headers.date ?? '')
  return Number.isNaN(said) ? null : Math.round((said - Date.now()) / 1000)
}

/**
 * @param {number} status
 * @param {number | null} skew
 */
function adviceFor(status, skew) {
  if ((status === 401 || status === 403) && skew !== null && Math.abs(skew) > 300)
    return 'the clocks are too far apart for any signature to be accepted: synchronize them by NTP'
  if (status === 401 || status === 403) return 'give the registered secret with --bearer or --hmac'
  if (status === 404) return `POST ${RFQ_PATH} must be served at the domain root`
  if (status >= 300 && status < 400) return 'redirects are not followed'
  if (status >= 500) return 'see your server log; what you cannot fulfil is a decline with status 200'
  return undefined
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param {Record<string, unknown>} answer */
function summary(answer) {
  const shipping = answer.shipping_cost_usd === undefined ? '' : ` + $${answer.shipping_cost_usd} shipping`
  return `$${answer.price_usd} each${shipping}, ${answer.in_stock ? 'in stock' : 'out of stock'},`
}

/** @param {string} text */
function excerpt(text) {
  const printable = text.replace(/[^\x20-\x7e]+/g, ' ').trim()
  if (printable === '') return ''
  return printable.length > 300 ? `: ${printable.slice(0, 300)}…` : `: ${printable}`
}

/**
 * The same length and one character different.
 * @param {string} secret
 */
function flipped(secret) {
  return `${secret.startsWith('x') ? 'y' : 'x'}${secret.slice(1)}`
}

/** @param {URL} url */
function isLoopback({ hostname }) {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
