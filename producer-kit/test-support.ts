/**
 * For the kit's tests: an RFQ as the service writes it, and a second signer and verifier, written from the text of
 * the interface alone and on another implementation (Web Crypto), so that the kit is never its own judge.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

export const SECRET = 'a-secret-between-us-two'
export const TOKEN = 'tok_0123456789abcdef'
export const NOW = Date.parse('2026-03-01T12:00:00Z')
export const CARD = { name: 'Shop', description: 'A shop' }

export function rfqMetadata(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    skill: 'respond-to-rfq',
    rfq_id: randomUUID(),
    product_slug: 'espresso-machines/grindel-unison-54',
    quantity: 2,
    delivery_region: 'CA-US',
    requestor: 'https://souk.example/.well-known/agent-card.json',
    ...overrides,
  }
}

export function rfqBody(overrides: Record<string, unknown> = {}): string {
  const metadata = rfqMetadata(overrides)
  const parts = [{ kind: 'text', text: 'Two machines, s’il vous plaît' }]
  return JSON.stringify({
    jsonrpc: '2.0',
    id: metadata.rfq_id,
    method: 'message/send',
    params: { message: { messageId: randomUUID(), role: 'user', parts, metadata } },
  })
}

/** "signature = hex of HMAC-SHA256 keyed by the secret over the text <timestamp>.<raw request body>" */
export async function independentSignature(
  secret: string,
  timestamp: string,
  body: Uint8Array,
): Promise<string> {
  const utf8 = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['sign'])
  const prefix = utf8.encode(`${timestamp}.`)
  const text = new Uint8Array(prefix.length + body.length)
  text.set(prefix)
  text.set(body, prefix.length)
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, text))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** "reject when the absolute difference between now and the timestamp exceeds 300 seconds" */
export async function independentVerdict(input: {
  secret: string
  timestamp: string
  signature: string
  body: Uint8Array
  nowSeconds: number
}): Promise<boolean> {
  if (Math.abs(input.nowSeconds - Number(input.timestamp)) > 300) return false
  const expected = await independentSignature(input.secret, input.timestamp, input.body)
  return input.signature.toLowerCase() === expected
}

/** Listens on loopback until the test is over. */
export async function listen(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return new URL(`http://127.0.0.1:${address.port}/`)
}
