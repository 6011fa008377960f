/**
 * Producers by the thousand: one HTTPS server that answers to every name of its certificate, each request after a random
 * 20 to 200 ms. Names that begin with `hanging` never answer. `rfq.producers.ts CERT KEY`
 */
import fs from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'

const [cert = '', key = ''] = process.argv.slice(2)
const answer = JSON.stringify({
  price_usd: 99.5,
  in_stock: true,
  claim_url: 'https://shop.example/claim?from=souk',
  offer_expires_at: new Date(Date.now() + 20 * 3_600_000).toISOString(),
  shipping_cost_usd: 4.9,
  estimated_shipping_days: 3,
  terms: 'Returns within 30 days.',
})
const server = https.createServer(
  { cert: fs.readFileSync(cert), key: fs.readFileSync(key) },
  (request, response) => {
    request.resume()
    if (request.headers.host?.startsWith('hanging')) return
    setTimeout(
      () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer),
      20 + Math.random() * 180,
    )
  },
)
// Longer than the service keeps a connection, so that it is the service that closes it.
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  console.log(`port ${(server.address() as AddressInfo).port}`),
)
process.on('SIGTERM', () => process.exit(0))
