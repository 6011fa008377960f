/**
 * The published request schemas and the routes judge alike. That the description refuses nothing a route takes is held
 * in every test (described.ts); here are the requests where the two were apart, from both sides.
 */
import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/agents/discovery/openapi/document.ts'
import { checker } from '../described.hook.ts'
import { createTestApp } from '../harness.ts'
import { call, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { CARD, createSite } from './integration.world.ts'

const site = await createSite(['acme.example'])
const souk = await createTestApp({ outbound: site.outbound })
const org = await createOrg(souk, { domain: 'acme.example' })
const productId = await addProduct(souk, { category: 'kettles', slug: 'gooseneck', title: 'Gooseneck' })
await relate(souk, org, productId)
await souk.catchUp()
await souk.searchRuntime.fill()
site.serving(CARD)

const offer = { product_slug: 'gooseneck', headline: 'Ten off', destination_url: 'https://acme.example/' }
const shop = { name: 'Acme', org_type: 'retailer' }
const card = { agent_card_url: 'https://acme.example/card.json' }
const SECRET = 'sixteen_characters_or_more'

async function send(id: string, body: object) {
  const operation = OPERATIONS.find((one) => one.id === id)
  const described = operation && checker().find(operation.method, operation.path)
  if (!described) throw new Error(`there is no operation ${id}`)
  // Who registers an organization acts for that one from then on, unless by a token.
  const who = operation?.caller === 'session' ? org.session : org.bearer
  const { status } = await call(souk, who, described.method.toUpperCase(), described.path, body)
  return { status, refused: await checker().refusesRequest(described, JSON.stringify(body)) }
}

describe('what a route takes, its description allows', () => {
  test.each([
    ['createOffer', { ...offer, destination_url: ' HTTPS://bücher.example/a|b?c=[d] ' }],
    ['createOffer', { ...offer, headline: `<b>Ten</b> off${' '.repeat(80)}` }],
    [
      'createOffer',
      { ...offer, product_slug: ' kettles/gooseneck ', detail: ' '.repeat(300), promo_code: '' },
    ],
    [
      'createOffer',
      { ...offer, starts_at: '2026-11-27T00:00:00Z', expires_at: '2099-11-27T00:00:00.5+02:00' },
    ],
    ['createOffer', { ...offer, starts_at: null, price_usd: null, offer_types: null, unknown: 1 }],
    ['registerOrganization', { ...shop, website_url: 'HTTP://bücher.example/a|b' }],
    ['registerOrganization', { ...shop, website_url: 'https:acme.example', name: ` Acme${' '.repeat(300)}` }],
    ['registerOrganization', { ...shop, domain: 'https://other.example/shop', shopify_shop: 'Acme' }],
    ['registerOrganization', { ...shop, domain: null, website_url: null, shopify_shop: null }],
    ['registerAgentCard', { agent_card_url: ' HTTPS://acme.example/card.json?a|b#c ' }],
    ['registerAgentCard', { ...card, auth_type: 'none', bearer_token: 'short', hmac_secret: 7 }],
    ['registerAgentCard', { ...card, auth_type: 'bearer', bearer_token: SECRET, hmac_secret: null }],
    ['registerAgentCard', { ...card, auth_type: 'hmac', hmac_secret: `with spaces, ${SECRET}` }],
    ['searchProducts', { query: ' kettle ', filters: {}, unknown: true }],
    ['changeAgentIntegration', { is_managed: true, managed_rules: { volume_discounts: [], more: [1] } }],
  ])('%s %j', async (id, body) => {
    const { status, refused } = await send(id, body)
    expect([status < 300, refused]).toEqual([true, null])
  })
})

describe('what a description refuses, its route refuses', () => {
  test.each([
    ['createOffer', { ...offer, headline: ' \n ' }],
    ['createOffer', { ...offer, headline: undefined }],
    ['createOffer', { ...offer, destination_url: 'ftp://acme.example/' }],
    ['createOffer', { ...offer, destination_url: 'acme.example' }],
    ['createOffer', { ...offer, destination_url: 'https://acme.example/a b' }],
    ['createOffer', { ...offer, destination_url: 'https:\\acme.example' }],
    ['createOffer', { ...offer, product_slug: 'Goose Neck' }],
    ['createOffer', { ...offer, expires_at: '2099-11-27' }],
    ['createOffer', { ...offer, expires_at: '2099-11-27T00:00Z' }],
    ['createOffer', { ...offer, expires_at: '2099-11-27T00:00:00' }],
    ['createOffer', { ...offer, price_usd: -1 }],
    ['createOffer', { ...offer, offer_types: ['cashback'] }],
    ['editOffer', { offer_id: '', headline: 'Ten off' }],
    ['editOffer', { offer_id: 'any', destination_url: null }],
    ['setOfferStatus', { offer_id: 'any', status: 'draft' }],
    ['registerOrganization', { ...shop, name: '\t' }],
    ['registerOrganization', { ...shop, org_type: 'bazaar' }],
    ['registerOrganization', { ...shop, domain: '' }],
    ['registerOrganization', { ...shop, shopify_shop: '' }],
    ['registerOrganization', { ...shop, website_url: 'ftp://acme.example' }],
    ['registerAgentCard', { agent_card_url: 'http://acme.example/card.json' }],
    ['registerAgentCard', { agent_card_url: 'https://acme.example/a card.json' }],
    ['registerAgentCard', { ...card, auth_type: 'basic' }],
    ['registerAgentCard', { ...card, auth_type: 'bearer' }],
    ['registerAgentCard', { ...card, auth_type: 'bearer', hmac_secret: SECRET }],
    ['registerAgentCard', { ...card, auth_type: 'bearer', bearer_token: `with spaces, ${SECRET}` }],
    ['registerAgentCard', { ...card, auth_type: 'hmac', hmac_secret: 'short' }],
    ['registerAgentCard', { ...card, auth_type: 'hmac', hmac_secret: 7 }],
    ['searchProducts', { query: '  ' }],
    ['searchProducts', { query: 'x'.repeat(1001) }],
    ['searchProducts', { query: 'kettle', limit: 51 }],
    ['searchProducts', { query: 'kettle', filters: { max_price: '20' } }],
    ['changeAgentIntegration', { managed_rules: null }],
    ['changeAgentIntegration', { is_managed: true, managed_rules: { volume_discounts: {} } }],
    ['changeAgentIntegration', { is_managed: true, agent_card_url: 'https://acme.example/card.json' }],
  ])('%s %j', async (id, body) => {
    const { status, refused } = await send(id, body)
    expect([status, refused]).toEqual([400, expect.any(String)])
  })
})
