import { expect, test } from 'vitest'
import { isSharedDomain } from './shared-domains.ts'

test.each([
  'com',
  'co.uk',
  'myshopify.com',
  'github.io',
  'blogspot.com',
  'amazon.com',
  'amazon.co.uk',
  'etsy.com',
  'wixsite.com',
  'EBAY.de',
])('what lies below %s may belong to anybody', (domain) => expect(isSharedDomain(domain)).toBe(true))

test.each([
  'acme.example',
  'acme.co.uk',
  'acme.myshopify.com',
  'fernhill.example',
  'wishbone.com',
  'amazonas-coffee.com',
  'shop.acme.com',
])('%s belongs to one owner', (domain) => expect(isSharedDomain(domain)).toBe(false))
