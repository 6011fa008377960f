import { expect, test } from 'vitest'
import { parseRfq, RfqError } from './src/index.js'
import { rfqBody } from './test-support.ts'

test('a request for quote is read as the interface writes it', () => {
  const body = rfqBody({ rfq_id: 'e8f5', deadline_iso: '2026-03-10' })
  expect(parseRfq(body)).toEqual({
    rfqId: 'e8f5',
    messageId: JSON.parse(body).params.message.messageId,
    productSlug: 'espresso-machines/grindel-unison-54',
    quantity: 2,
    deliveryRegion: 'CA-US',
    deadline: new Date('2026-03-10T00:00:00Z'),
    text: 'Two machines, s’il vous plaît',
    requestor: 'https://souk.example/.well-known/agent-card.json',
  })
})

test('bytes, text and a parsed body are read alike', () => {
  const body = rfqBody()
  expect(parseRfq(new TextEncoder().encode(body))).toEqual(parseRfq(body))
  expect(parseRfq(JSON.parse(body))).toEqual(parseRfq(body))
})

test('quantity is 1 when left out, and no deadline is no deadline', () => {
  expect(parseRfq(rfqBody({ quantity: undefined }))).toMatchObject({ quantity: 1, deadline: null })
})

test('an empty delivery region is absent: the buyer named no place', () => {
  expect(parseRfq(rfqBody({ delivery_region: '' })).deliveryRegion).toBeNull()
})

test('fields it does not know are no reason to refuse', () => {
  expect(parseRfq(rfqBody({ currency: 'USD' })).quantity).toBe(2)
})

test.each([
  ['quantity', 0],
  ['quantity', 1.5],
  ['quantity', '2'],
  ['quantity', null],
  ['product_slug', 'grindel-unison-54'],
  ['product_slug', undefined],
  ['product_slug', '../../etc/passwd'],
  ['rfq_id', undefined],
  ['rfq_id', 7],
  ['skill', 'buy'],
  ['delivery_region', 5],
  ['deadline_iso', 'tomorrow'],
  ['deadline_iso', '2026-13-40'],
])('a wrong %s (%j) is refused by name', (field, value) => {
  const parse = () => parseRfq(rfqBody({ [field]: value }))
  expect(parse).toThrow(RfqError)
  expect(parse).toThrow(expect.objectContaining({ status: 400, code: 'invalid_rfq', field }))
})

test.each([
  ['', 'body'],
  ['{', 'body'],
  ['[]', 'body'],
  ['null', 'body'],
  ['{"jsonrpc":"1.0"}', 'jsonrpc'],
  ['{"jsonrpc":"2.0","method":"tasks/get"}', 'method'],
  ['{"jsonrpc":"2.0","method":"message/send"}', 'params'],
  ['{"jsonrpc":"2.0","method":"message/send","params":{"message":{}}}', 'params.message.metadata'],
])('%j is refused, and the message says where', (body, field) => {
  expect(() => parseRfq(body)).toThrow(expect.objectContaining({ status: 400, field }))
})

test('bytes that are no UTF-8 are refused, not repaired', () => {
  expect(() => parseRfq(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('not valid JSON in UTF-8')
})
