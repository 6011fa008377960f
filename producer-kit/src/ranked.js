/**
 * Asks a Souk service on this machine to try an agent on this machine, and tells where its quote stands among others. The
 * service does that only for callers on its own machine, and stores nothing.
 */
import { exchange } from './rfq-test.http.js'

/**
 * @import { Finding, TestOptions } from './rfq-test.js'
 * @typedef {{ rank: number, yours: boolean, seller: string, total_usd: number, rank_reasons: string[] }} RankedQuote
 * @typedef {{ verdict: string, reason: string, ms: number, card_problem: string | null, quotes: RankedQuote[], note: string }} Tried
 */

/**
 * @param {TestOptions & { souk: URL }} options
 * @param {(finding: Finding) => void} report
 */
export async function showRanked({ souk, url, bearer, hmac, product, quantity, region }, report) {
  report({ level: 'title', text: `Ranked by ${souk.origin}` })
  const problem = (/** @type {string} */ text, /** @type {string} */ advice = '') =>
    report({ level: 'problem', text, ...(advice && { advice }) })
  if (product === undefined) return problem('no product was named', 'name one: --product <category>/<slug>')
  const body = JSON.stringify({
    address: url.host,
    product_slug: product,
    quantity,
    delivery_region: region,
    auth_type: hmac !== undefined ? 'hmac' : bearer !== undefined ? 'bearer' : 'none',
    secret: hmac ?? bearer,
  })
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const answer = await exchange(new URL('/dev/try-agent', souk), {
    ...{ method: 'POST', headers, body },
    // The service itself waits 25 s for the agent.
    deadlineMs: 30_000,
  })
  if ('failed' in answer) return problem(`${souk.origin}: ${answer.failed}`, 'start Souk first: npm start')
  const said = parsed(answer.text)
  if (answer.status === 404)
    return problem(
      said?.error ?? `${souk.origin} does not try agents`,
      'it does so only for its own machine, without a mail server, at a loopback address',
    )
  if (answer.status !== 200 || said === undefined)
    return problem(`${souk.origin} answered ${answer.status}: ${said?.error ?? answer.text.slice(0, 200)}`)
  const tried = /** @type {Tried} */ (said)
  if (tried.quotes.length === 0) return problem(`no quote: ${tried.reason}`)
  for (const { rank, yours, seller, total_usd, rank_reasons } of tried.quotes)
    report({
      level: yours ? 'good' : 'other',
      text: `${rank}. ${yours ? 'your agent' : seller}: $${total_usd} in total${rank_reasons[0] ? `, ${rank_reasons[0]}` : ''}`,
    })
  report({ level: 'other', text: tried.note })
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
