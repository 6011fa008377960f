/**
 * Fernhill Supply, an invented shop, answers requests for quote. It serves its agent card, POST /message:send, and
 * the page behind each quote's claim_url, where the buyer finds the promised price. Quotes are kept in memory: a real
 * shop writes them to its database, or puts price and expiry into a signed link.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { createRfqHandler, decline, quote, toNode } from 'souk-producer-kit'
import { priceOrder, readPriceList } from './pricing.js'

const {
  HOST = '127.0.0.1',
  PORT = '8787',
  SHOP_URL = 'https://fernhill.example',
  TLS_CERT,
  TLS_KEY,
} = process.env
const priceList = readPriceList()

/** @type {Map<string, { productSlug: string, quantity: number, priceUsd: number, expiresAt: string }>} */
const promised = new Map()

const handler = createRfqHandler({
  auth: authFromEnvironment(),
  card: {
    name: 'Fernhill Supply',
    description: 'Kitchen and desk equipment, shipped from Ohio within the United States',
    url: SHOP_URL,
  },
  remember: true,
  quote(rfq) {
    const order = priceOrder(priceList, rfq, new Date())
    if (!order) return decline()
    const offerId = randomUUID()
    const answer = quote({
      ...order,
      offerId,
      claimUrl: `${SHOP_URL}/quotes/${offerId}`,
      terms: 'Returns within 30 days. Price holds for the quoted quantity.',
    })
    promised.set(offerId, {
      productSlug: rfq.productSlug,
      quantity: rfq.quantity,
      priceUsd: answer.price_usd,
      expiresAt: answer.offer_expires_at,
    })
    forgetExpired()
    return answer
  },
})

const listener = toNode(handler, showQuote)
const server =
  TLS_CERT && TLS_KEY
    ? https.createServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, listener)
    : http.createServer(listener)
server.listen(Number(PORT), HOST, () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : PORT
  console.log(`Fernhill Supply answers on ${TLS_CERT ? 'https' : 'http'}://${HOST}:${port}`)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())

/** @returns {import('souk-producer-kit').Auth} */
function authFromEnvironment() {
  const { RFQ_HMAC_SECRET, RFQ_BEARER_TOKEN } = process.env
  if (RFQ_HMAC_SECRET) return { type: 'hmac', secret: RFQ_HMAC_SECRET }
  if (RFQ_BEARER_TOKEN) return { type: 'bearer', token: RFQ_BEARER_TOKEN }
  if (HOST === '127.0.0.1' || HOST === '::1') {
    console.warn('Without RFQ_HMAC_SECRET anybody can ask: fine on this machine, never on the internet.')
    return { type: 'none' }
  }
  console.error('Set RFQ_HMAC_SECRET (or RFQ_BEARER_TOKEN) to a random secret of at least 16 characters.')
  process.exit(1)
}

/**
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 */
function showQuote(request, response) {
  const found = promised.get(/^\/quotes\/([\w-]+)$/.exec(request.url ?? '')?.[1] ?? '')
  const holds = found && Date.parse(found.expiresAt) > Date.now()
  response.writeHead(holds ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(
    holds
      ? `${found.quantity} × ${found.productSlug} at $${found.priceUsd} each, until ${found.expiresAt}\n`
      : 'No such quote, or it has expired.\n',
  )
}

function forgetExpired() {
  for (const [id, { expiresAt }] of promised) if (Date.parse(expiresAt) <= Date.now()) promised.delete(id)
}
