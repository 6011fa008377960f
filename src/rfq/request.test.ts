import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeRfqMessage, type RfqMessage, rfqEndpoint, signHeaders, withoutSecrets } from './request.ts'

const INPUT = {
  rfqId: '0193a1b2-0000-7000-8000-000000000001',
  messageId: '0193a1b2-0000-7000-8000-000000000002',
  productSlug: 'kitchen/ovenbird-crisp-4',
  quantity: 3,
  deliveryRegion: 'CA-US',
  deadlineIso: '2026-12-01',
  requestor: 'https://souk.example/.well-known/agent-card.json',
}
const BYTES =
  '{"jsonrpc":"2.0","id":"0193a1b2-0000-7000-8000-000000000001","method":"message/send","params":{"message":' +
  '{"messageId":"0193a1b2-0000-7000-8000-000000000002","role":"user","parts":[{"kind":"text","text":' +
  '"Please quote 3 × kitchen/ovenbird-crisp-4, delivered to CA-US by 2026-12-01."}],"metadata":' +
  '{"skill":"respond-to-rfq","rfq_id":"0193a1b2-0000-7000-8000-000000000001",' +
  '"product_slug":"kitchen/ovenbird-crisp-4","quantity":3,"delivery_region":"CA-US","deadline_iso":"2026-12-01",' +
  '"requestor":"https://souk.example/.well-known/agent-card.json"}}}}'
const decoded = (message: RfqMessage) => JSON.parse(encodeRfqMessage(message).toString('utf8'))
const NOW = new Date('2026-11-16T10:00:00.900Z')
const SECRET = 'a-secret-of-enough-length'

describe('the endpoint', () => {
  test.each([
    ['https://shop.example/.well-known/agent-card.json', 'https://shop.example/message:send'],
    ['https://agents.shop.example:8443/a/b?c#d', 'https://agents.shop.example:8443/message:send'],
    ['https://SHOP.example:443/card.json', 'https://shop.example/message:send'],
    ['https://user:secret@shop.example/card.json', 'https://shop.example/message:send'],
  ])('of the card %s is %s', (card, endpoint) => expect(rfqEndpoint(card)).toBe(endpoint))

  test.each(['', 'shop.example', 'file:///etc/passwd', 'data:,x'])('%j has none', (card) => {
    expect(() => rfqEndpoint(card)).toThrow('https')
  })
})

describe('the message', () => {
  test('is exactly these bytes', () => {
    expect(encodeRfqMessage(INPUT).equals(Buffer.from(BYTES, 'utf8'))).toBe(true)
    expect(Buffer.byteLength(BYTES)).toBe(544)
  })

  test('with a variant differs in the text alone, and no name ends its quotation marks', () => {
    const variant = { id: 'v1', name: 'Red “L” "M"', sku: 'RJ', gtin: null }
    const plain = encodeRfqMessage(INPUT).toString('utf8')
    const named = encodeRfqMessage({ ...INPUT, variant }).toString('utf8')
    const words = String.raw`, variant \"Red 'L' 'M'\" (id \"v1\", SKU \"RJ\")`
    expect(named).toBe(plain.replace('crisp-4,', `crisp-4${words},`))
    const metadata = (bytes: string) => bytes.slice(bytes.indexOf('"metadata"'))
    expect(metadata(named)).toBe(metadata(plain))
  })

  test.each([
    ['CA-US', '2026-12-01', ', delivered to CA-US by 2026-12-01.'],
    ['CA-US', null, ', delivered to CA-US.'],
    [null, '2026-12-01', ', delivered by 2026-12-01.'],
    [null, null, '.'],
    ['FR', null, ', delivered to France.'],
    ['Canada', '2026-12-01', ', delivered to Canada by 2026-12-01.'],
    ['CA', null, ', delivered to Canada.'],
  ])('with region %s and deadline %s reads as a sentence', (deliveryRegion, deadlineIso, end) => {
    const { message } = decoded({ ...INPUT, deliveryRegion, deadlineIso }).params
    expect(message.parts[0].text).toBe(`Please quote 3 × kitchen/ovenbird-crisp-4${end}`)
  })

  test.each([
    ['CA-US', 'CA-US'],
    ['IDF-FR', 'IDF-FR'],
    ['FR', ''],
    ['Canada', ''],
  ])(
    'with region %s has %j in delivery_region, which is a state with its country or nothing',
    (text, sent) => {
      const message = decoded({ ...INPUT, deliveryRegion: text })
      expect(message.params.message.metadata.delivery_region).toBe(sent)
    },
  )

  test('without a region it is an empty string, without a deadline the field is absent', () => {
    const message = decoded({ ...INPUT, deliveryRegion: null, deadlineIso: null })
    expect(message.params.message.metadata).toEqual({
      skill: 'respond-to-rfq',
      rfq_id: INPUT.rfqId,
      product_slug: INPUT.productSlug,
      quantity: 3,
      delivery_region: '',
      requestor: INPUT.requestor,
    })
  })
})

describe('authentication', () => {
  const input = { secret: SECRET, rawBody: Buffer.from(BYTES), now: NOW }

  test('none sends no header, even when a secret is left over', () => {
    expect(signHeaders({ ...input, authType: 'none' })).toEqual({})
  })

  test('bearer sends the token and nothing else', () => {
    expect(signHeaders({ ...input, authType: 'bearer' })).toEqual({ Authorization: `Bearer ${SECRET}` })
  })

  // The signature was computed with another program.
  test('hmac signs the time in seconds, a dot and the raw bytes', () => {
    const headers = {
      'X-Service-Signature': 'fc603eb634de7c153750516d922d255ef95a5110266848724d73b8c46afbc138',
      'X-Service-Timestamp': '1794823200',
    }
    expect(signHeaders({ ...input, authType: 'hmac' })).toEqual(headers)
    expect(signHeaders({ ...input, authType: 'hmac', rawBody: BYTES })).toEqual(headers)
  })

  test('bytes that are no text are signed as they are', () => {
    const rawBody = Buffer.from([0xff, 0x00, 0xfe])
    const signed = createHmac('sha256', SECRET).update('1794823200.').update(rawBody).digest('hex')
    expect(signHeaders({ ...input, authType: 'hmac', rawBody })['X-Service-Signature']).toBe(signed)
  })

  test('one changed byte and one later second change the signature', () => {
    const sign = (more: object) => signHeaders({ ...input, authType: 'hmac', ...more })['X-Service-Signature']
    expect(sign({ rawBody: BYTES.replace('3', '4') })).not.toBe(sign({}))
    expect(sign({ now: new Date(NOW.getTime() + 1000) })).not.toBe(sign({}))
  })

  test.each(['bearer', 'hmac'] as const)(
    '%s without a secret is an error, never a bare request',
    (authType) => {
      for (const secret of [null, ''])
        expect(() => signHeaders({ ...input, authType, secret })).toThrow('secret')
    },
  )

  test('records keep no token, no signature and no header they do not know', () => {
    const headers = {
      'Content-Type': 'application/json',
      ...signHeaders({ ...input, authType: 'hmac' }),
      ...signHeaders({ ...input, authType: 'bearer' }),
      cookie: 'a=b',
    }
    expect(withoutSecrets(headers)).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Signature': '[hidden]',
      'X-Service-Timestamp': '1794823200',
      Authorization: '[hidden]',
      cookie: '[hidden]',
    })
    expect(withoutSecrets({ AUTHORIZATION: `Bearer ${SECRET}` })).toEqual({ AUTHORIZATION: '[hidden]' })
  })
})
