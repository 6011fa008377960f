/** The command without a database: the service's keys are a file, as for somebody who has only kept both. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testConfig } from '../../test/harness.ts'
import { newSigningKey, publicJwk } from '../lib/jws.ts'
import { signQuote } from '../rfq/quote-signature.ts'
import { verifyQuoteCommand } from './verify-quote.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-verify-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const key = newSigningKey()
const signature = await signQuote(
  {
    rank: 1,
    rank_reasons: [],
    org: { name: 'Fernhill', org_type: 'retailer', verified: true },
    price_usd: 110,
    total_usd: 110,
    in_stock: true,
    claim_url: 'https://souk.example/go/x',
    offer_expires_at: '2026-11-02T11:00:00.000Z',
    issuer: 'https://souk.example',
    issued_at: '2026-11-01T12:00:00.000Z',
    rfq_id: 'r',
    product_slug: 'desk-lamps/lume-one',
    quantity: 1,
  },
  key,
)

function keep(name: string, content: unknown): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, JSON.stringify(content))
  return file
}
const jwks = keep('jwks.json', { keys: [publicJwk(key)] })

let said: { out: string; err: string }
beforeEach(() => {
  said = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.out += String(text)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.err += String(text)
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

const run = (given: string) => verifyQuoteCommand(testConfig(), [given, '--jwks', jwks])

test('a quote is proved from its signature and from a file, and printed as it was signed', async () => {
  for (const given of [signature, keep('quote.json', { price_usd: 1, signature })]) {
    said.out = ''
    expect(await run(given)).toBe(0)
    expect(JSON.parse(said.out)).toMatchObject({ price_usd: 110, product_slug: 'desk-lamps/lume-one' })
  }
  expect(said.err).toContain('Valid: signed with key')
})

test('of several quotes one that is not proved is enough to fail', async () => {
  const bad = `${signature.slice(0, -4)}AAAA`
  expect(await run(keep('quotes.json', { quotes: [{ signature }, { signature: bad }] }))).toBe(1)
  expect(JSON.parse(said.out)).toMatchObject({ price_usd: 110 })
  expect(said.err).toContain('Valid: ')
  expect(said.err).toContain('Not valid: The signature does not match')
})

test('a file without a signature is told as that', async () => {
  await expect(run(keep('none.json', { price_usd: 1 }))).rejects.toThrow('this quote has no signature')
})
