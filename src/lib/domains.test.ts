import { expect, test } from 'vitest'
import { isWithinDomain } from './domains.ts'

test.each([
  ['acme.example', 'acme.example'],
  ['shop.acme.example', 'acme.example'],
  ['a.b.c.acme.example', 'acme.example'],
  ['SHOP.Acme.Example', 'acme.EXAMPLE'],
  ['acme.example.', 'acme.example'],
  ['acme.example', 'acme.example.'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['laden.xn--bcher-kva.example', 'Bücher.example'],
])('%s is within %s', (host, domain) => {
  expect(isWithinDomain(host, domain)).toBe(true)
})

test.each([
  ['evilacme.example', 'acme.example'],
  ['acme.example.evil.test', 'acme.example'],
  ['acme.example', 'shop.acme.example'],
  ['acme-example', 'acme.example'],
  ['acmexexample', 'acme.example'],
  ['acme.example', 'example'],
  ['acme.example', '.example'],
  ['acme.example', ''],
  ['', 'acme.example'],
  ['', ''],
  ['.acme.example', 'acme.example'],
  ['evil..acme.example', 'acme.example'],
  ['evil.test/.acme.example', 'acme.example'],
  ['evil.test?.acme.example', 'acme.example'],
  ['evil.test#.acme.example', 'acme.example'],
  ['evil.test\\.acme.example', 'acme.example'],
  ['acme.example:80', 'acme.example'],
  ['user@acme.example', 'acme.example'],
  ['127.0.0.1', '0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]', '[::1]'],
  ['evil%2eacme.example', 'acme.example'],
  ['аcme.example', 'acme.example'],
])('%s is not within %s', (host, domain) => {
  expect(isWithinDomain(host, domain)).toBe(false)
})
