/** Producers' answers for tests: a valid one, one with every field, and how they are read. */
import { type ReadAnswer, readAnswer } from '../src/rfq/quote.schema.ts'

export const NOW = new Date('2026-11-16T10:00:00Z')
export const VALID = {
  price_usd: 19.99,
  in_stock: true,
  claim_url: 'https://shop.example/claim?id=7',
  offer_expires_at: '2026-11-16T22:00:00Z',
}
export const FULL = {
  ...VALID,
  shipping_cost_usd: 0,
  list_price_usd: 24.5,
  estimated_shipping_days: 3,
  offer_id: '0193A1B2-0000-7000-8000-00000000000A',
  terms: 'Ships from Reno.',
}

export function read(value: unknown): ReadAnswer {
  return readAnswer(Buffer.from(JSON.stringify(value)), NOW)
}

export function readText(text: string): ReadAnswer {
  return readAnswer(Buffer.from(text), NOW)
}
