import { describe, expect, test } from 'vitest'
import { FULL, NOW, read, readText, VALID } from '../../test/answers.ts'
import { readAnswer } from './quote.schema.ts'

const WRONG: Record<string, unknown[]> = {
  price_usd: ['19.99', 'NaN', true, [19.99], {}, -0.01, 100_000_000.01, 0.004, 0.012, 1e-9, null, undefined],
  in_stock: ['true', 'false', 1, 0, [], {}, null, undefined],
  claim_url: [
    'http://shop.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    '//shop.example/',
    '/claim',
    'shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https://',
    'https://user@shop.example/',
    'https://user:secret@shop.example/',
    'https://:secret@shop.example/',
    'https://shop.example\\@evil.example/',
    ' https://shop.example/',
    'https://shop.example/a b',
    'https://shop.example/\n',
    'https://shop.example:99999/',
    `https://shop.example/${'a'.repeat(2048)}`,
    5,
    {},
    ['https://shop.example/'],
    '',
    null,
    undefined,
  ],
  offer_expires_at: [
    '2026-11-16T10:00:00Z',
    '2026-11-16T09:59:59Z',
    '2026-11-17T10:00:00.001Z',
    '2026-12-01T00:00:00Z',
    '2026-11-17',
    '2026-11-31T00:00:00Z',
    'in an hour',
    'Mon, 16 Nov 2026 12:00:00 GMT',
    1_794_830_400,
    '1794830400',
    {},
    '',
    null,
    undefined,
  ],
  shipping_cost_usd: ['0', 'free', -1, true, [], {}, 0.001, 1e300],
  list_price_usd: ['24.50', -1, false, [], {}],
  estimated_shipping_days: ['3', -1, true, [], {}, 3651],
  offer_id: [7, true, {}, []],
  terms: [7, true, {}, ['a']],
}

describe('an invalid answer', () => {
  const cases = Object.entries(WRONG).flatMap(([field, values]) => values.map((value) => ({ field, value })))
  test.each(cases)('$field $value is refused by name', ({ field, value }) => {
    const result = read({ ...FULL, [field]: value })
    expect(result).toMatchObject({ kind: 'invalid', verdict: 'invalid', field })
    if (result.kind === 'invalid') expect(result.reason).toMatch(new RegExp(`^${field} `))
  })

  test.each(['1e999', '-1e999', '1e308', '99999999999999999999999999999'])(
    'the number %s is refused',
    (number) => {
      const text = JSON.stringify({ ...VALID, price_usd: 'PRICE' }).replace('"PRICE"', number)
      expect(readText(text)).toMatchObject({ kind: 'invalid', field: 'price_usd' })
    },
  )

  test.each([
    ['a result', { jsonrpc: '2.0', id: '1', result: VALID }],
    ['an error', { jsonrpc: '2.0', id: '1', error: { code: -32600, message: 'no' } }],
    ['a result alone', { result: VALID }],
  ])('%s in a JSON-RPC envelope is told so', (_, value) => {
    expect(read(value)).toMatchObject({
      kind: 'invalid',
      reason: 'the answer must be the bare object, not inside a JSON-RPC envelope',
    })
  })

  test.each([[[VALID]], [null], ['text'], [5], [true], [[]]])('%j is no object', (value) => {
    expect(read(value)).toMatchObject({ kind: 'invalid', verdict: 'invalid', field: null })
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<html>busy</html>')],
    ['NaN', Buffer.from('{"price_usd": NaN}')],
    ['half an object', Buffer.from(JSON.stringify(VALID).slice(0, -1))],
    ['two objects', Buffer.from(`${JSON.stringify(VALID)}${JSON.stringify(VALID)}`)],
    ['a comma too many', Buffer.from('{"price_usd": 1,}')],
    ['a broken byte', Buffer.concat([Buffer.from('{"terms":"'), Buffer.from([0xff]), Buffer.from('"}')])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(VALID)}`, 'utf16le')],
    ['very deep nesting', Buffer.from('['.repeat(60_000))],
  ])('%s is not JSON', (_, body) => {
    expect(readAnswer(body, NOW)).toMatchObject({ kind: 'invalid', verdict: 'not_json', field: null })
  })

  test('a field given twice is refused, however it is written; elsewhere it does no harm', () => {
    const text = JSON.stringify(VALID).slice(1)
    expect(readText(`{"price_usd":1,${text}`)).toMatchObject({ kind: 'invalid', field: 'price_usd' })
    expect(readText(`{"price\\u005fusd" : 1, ${text}`)).toMatchObject({ kind: 'invalid', field: 'price_usd' })
    expect(readText(`{"note":1,"note":2,${text}`).kind).toBe('quote')
    expect(readText(`{"items":[{"price_usd":1,"price_usd":2}],"x":"\\"price_usd\\":1",${text}`).kind).toBe(
      'quote',
    )
  })

  test('prototype keys give no fields and change no object', () => {
    expect(readText(`{"__proto__":${JSON.stringify(VALID)}}`)).toMatchObject({
      kind: 'invalid',
      reason: 'price_usd is missing',
    })
    expect(
      readText(`{"__proto__":{"polluted":1},"constructor":5,${JSON.stringify(VALID).slice(1)}`).kind,
    ).toBe('quote')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('64 KB are read, one byte more is not', () => {
    const body = (bytes: number) => {
      const start = `${JSON.stringify(VALID).slice(0, -1)},"x":"`
      return Buffer.from(`${start}${'a'.repeat(bytes - start.length - 2)}"}`)
    }
    expect(readAnswer(body(65_536), NOW).kind).toBe('quote')
    expect(readAnswer(body(65_537), NOW)).toMatchObject({ kind: 'invalid', verdict: 'too_large' })
  })

  test('a reason never repeats what the producer wrote', () => {
    const secret = 'sk-1234567890'
    for (const field of Object.keys(FULL))
      for (const value of [
        [secret],
        { [secret]: secret },
        ...(field === 'terms' || field === 'offer_id' ? [] : [secret]),
      ]) {
        const result = read({ ...FULL, [field]: value })
        expect(result.kind).toBe('invalid')
        expect(JSON.stringify(result)).not.toContain(secret)
      }
  })
})
