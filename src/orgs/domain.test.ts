import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { isFreemail, parseDomain, parseShopifyShop } from './domain.ts'

const label = (length: number) => 'a'.repeat(length)

test.each([
  ['acme.example', 'acme.example'],
  ['  Acme.EXAMPLE \n', 'acme.example'],
  ['https://acme.example/shop?x=1#top', 'acme.example'],
  ['HTTP://WWW.Acme.example:8080/', 'acme.example'],
  ['//acme.example/', 'acme.example'],
  ['acme.example:443', 'acme.example'],
  ['acme.example.', 'acme.example'],
  ['www.acme.example', 'acme.example'],
  ['www.www.acme.example', 'acme.example'],
  ['www.com', 'www.com'],
  ['shop.acme.co.uk', 'shop.acme.co.uk'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['acme。example', 'acme.example'],
  ['ａｃｍｅ.example', 'acme.example'],
  ['3m.example', '3m.example'],
  [`${label(63)}.example`, `${label(63)}.example`],
  [`${Array(4).fill(label(62)).join('.')}.c`, `${Array(4).fill(label(62)).join('.')}.c`],
])('%j is the domain %s', (given, domain) => {
  expect(parseDomain(given)).toEqual({ domain })
})

test.each([
  '',
  '   ',
  'https://',
  '.',
  'acme',
  'com.',
  'localhost',
  'http://localhost:3000',
  'acme.localhost',
  '127.0.0.1',
  'http://10.0.0.1/x',
  '0x7f.1',
  '2130706433',
  '1.2.3.4.5',
  '１２７.0.0.1',
  '[::1]',
  'http://[2001:db8::1]:80/',
  '2001:db8::1',
  'user@acme.example',
  'https://user:secret@acme.example/',
  'acme.example@evil.example',
  'acme..example',
  '.acme.example',
  'acme.example..',
  '-acme.example',
  'acme-.example',
  'ac me.example',
  'ac\tme.example',
  'ac\u0000me.example',
  'acme_shop.example',
  'acme%2eexample',
  'acme.example\\evil',
  'acme.example:port',
  'acme.example:123456',
  'mailto:ada@acme.example',
  '*.acme.example',
  'acme.example,evil.example',
  `${label(64)}.example`,
  `${Array(5).fill(label(50)).join('.')}.example`,
])('%j is refused, in words', (given) => {
  const { domain, problem } = parseDomain(given)
  expect(domain).toBeUndefined()
  expect(problem).toMatch(/^must /)
})

test('whatever is given, the answer is a host name that reads the same again, or a refusal', () => {
  const piece = fc.constantFrom(
    'acme',
    'www.',
    'WWW.',
    '.',
    '..',
    ':80',
    '/',
    '@',
    'ü',
    '。',
    '-',
    '1',
    ' ',
    '%',
  )
  const text = fc.oneof(
    anyText(),
    fc.webUrl(),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const { domain } = parseDomain(given)
      if (domain === undefined) return
      expect(domain).toMatch(
        /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z-][a-z0-9-]*$/,
      )
      expect(parseDomain(domain)).toEqual({ domain })
      expect(parseDomain(`https://www.${domain.toUpperCase()}:8443/a/b`)).toEqual({ domain })
      expect(URL.parse(`https://${domain}/`)?.hostname).toBe(domain)
    }),
    { numRuns: 3_000 },
  )
})

test('every domain is kept as it is, however it is dressed', () => {
  fc.assert(
    fc.property(fc.domain(), (name) => {
      const { domain } = parseDomain(name)
      fc.pre(domain !== undefined)
      expect(name.toLowerCase().endsWith(domain ?? '-')).toBe(true)
    }),
  )
})

test.each([
  ['acme', 'acme.myshopify.com'],
  [' ACME.myshopify.com ', 'acme.myshopify.com'],
  ['https://acme-2.myshopify.com/admin?x#y', 'acme-2.myshopify.com'],
])('the shop %j is kept as %s', (given, shop) => {
  expect(parseShopifyShop(given)).toBe(shop)
})

test.each([
  '',
  '-acme',
  'acme.example',
  'acme.myshopify.com.evil.example',
  'evil.example/acme.myshopify.com',
  'acme.shop.myshopify.com',
  'user@acme.myshopify.com',
  'acme.myshopify.com:8080',
  'ftp://acme.myshopify.com',
  label(64),
])('%j is no shop', (given) => {
  expect(parseShopifyShop(given)).toBeNull()
})

test('mailboxes for everybody are known, company domains are not', () => {
  expect(['gmail.com', 'outlook.com', 'gmx.de'].map(isFreemail)).toEqual([true, true, true])
  expect(['acme.example', 'example.com'].map(isFreemail)).toEqual([false, false])
})
