/**
 * The promises of every page: text from outside stays text, whatever it holds; only web links are links; nothing the
 * content security policy would refuse; a document outline that reads in order.
 */

import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { NO_FRONT } from '../../../test/listings.ts'
import { resultsOf, shelfOf } from '../../../test/results.ts'
import { EMPTY_FACTS } from '../../catalog/catalog.schema.ts'
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { renderProductJsonLd } from '../../catalog/profile.json.ts'
import { DEMO_NOTICE } from '../../catalog/profile.markdown.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { rankQuotes } from '../../rfq/rank.ts'
import type { ShownDay } from '../plans/day.section.tsx'
import { renderSetsPage } from '../plans/sets.page.tsx'
import { readCategoryAddress } from '../read-address.ts'
import { renderResultsPage } from '../search/results.page.tsx'
import type { Site } from '../site.ts'
import { type CategoryPage, renderCategoryPage } from './category.tsx'
import type { Front } from './front.ts'
import { renderHomePage } from './home.tsx'
import { renderMessagePage } from './message.tsx'
import { renderProductPage } from './product.tsx'

const site: Site = { baseUrl: 'https://souk.example', demo: false, stylesheet: '/assets/souk.0123.css' }
const when = new Date('2026-11-15T09:30:00Z')
const TITLE = '</script><img src=x onerror=alert(1)>'

type Element = { name: string; attributes: Record<string, string> }
type Document = { elements: Element[]; shape: string[]; text: string; data: string }

function parse(html: string): Document {
  const found: Document = { elements: [], shape: [], text: '', data: '' }
  let inScript = false
  const parser = new Parser({
    onopentag(name, attributes) {
      inScript = name === 'script'
      found.elements.push({ name, attributes })
      found.shape.push(`<${[name, ...Object.keys(attributes)].join(' ')}>`)
    },
    ontext(text) {
      found[inScript ? 'data' : 'text'] += text
    },
    oncomment: () => found.shape.push('comment'),
    onclosetag(name) {
      inScript = false
      found.shape.push(`</${name}>`)
    },
  })
  parser.end(html)
  return found
}

/** A profile in which every text field is the given text. */
function profileOf(text: string, urls: string[] = ['https://shop.example/a', 'http://shop.example/b']) {
  const category = { slug: 'tents', label: text }
  return {
    ...EMPTY_FACTS,
    id: '1',
    slug: 'a-tent',
    categoryId: '1',
    brandId: '1',
    category,
    brand: { name: text, domain: text },
    title: text,
    model: text,
    description: text,
    verdict: text,
    specs: [{ name: text, value: text }],
    themes: [
      { theme: text, sentiment: 'positive', share: 0.414, summary: text },
      { theme: text, sentiment: 'mixed', share: null, summary: null },
    ],
    bestFor: [text],
    notFor: [text, text],
    images: urls.map((url) => ({ url, alt: text })),
    whereToBuy: urls.map((url, index) => ({ name: text, url, priceCents: index === 0 ? null : 12_900 })),
    priceLowCents: 9_900,
    priceHighCents: 12_900,
    listPriceCents: 14_900,
    rating: 4.6,
    reviewCount: 18_340,
    released: text,
    discontinued: true,
    gtin: text,
    mpn: text,
    sku: text,
    verificationStatus: 'base',
    provenance: { title: { source: 'A file', verifiedAt: null }, [text]: { source: text, verifiedAt: text } },
    createdAt: when,
    updatedAt: when,
  } satisfies ProductProfile
}

function categoryOf(text: string, products: ProductProfile[]): CategoryPage {
  const total = products.length * 100
  const [profile] = products
  const { address, typed } = readCategoryAddress('tents', new URLSearchParams())
  const guide = {
    prices: text,
    differences: [{ key: text, name: text, words: text }],
    picks: profile ? [{ profile, title: text, reason: text }] : [],
  }
  const counted = { total, inCategory: total, span: null, shelf: shelfOf(text), guide }
  return { category: summaryOf(text), address, typed, products, ...counted }
}

function summaryOf(text: string): CategorySummary {
  const prices = { priceLowCents: 9_900, priceHighCents: 12_900 }
  return {
    id: '1',
    slug: 'tents',
    label: text,
    path: [],
    description: text,
    updatedAt: when,
    productCount: 1,
    ...prices,
  }
}

function productPage(profile: ProductProfile, on: Site = site): string {
  const jsonLd = JSON.stringify(renderProductJsonLd(profile, on.baseUrl))
  return renderProductPage(
    { profile, similar: [profile], history: null, sellers: { all: 3, atOnce: 2 }, jsonLd },
    on,
  )
}

function bundlePages(text: string, on: Site): Record<string, string> {
  const profile = profileOf(text)
  const { user, state, plan } = bundleOf(text)
  const day = dayOf(text)
  const found = resultsOf(profile, text)
  return {
    results: renderResultsPage({ site: on, ...found, plan: { kind: 'planned', plan } }),
    bundleUnverified: renderSetsPage({
      ...{ site: on, user: { ...user, emailVerified: false }, left: null },
      ...{ state, day },
    }),
    bundleRefused: renderSetsPage({
      ...{ site: on, user: null, left: null, day },
      state: { ...state, errors: { q: text } },
    }),
  }
}

function dayOf(text: string): ShownDay {
  const { response, profiles } = bundleOf(text).plan
  return { wish: text, response, profiles }
}

function bundleOf(text: string) {
  const profile = profileOf(text)
  const texts = { label: text, role: text, reasoning: text }
  const line = { slug: 'tents', ...texts, kept: true, budget_allocated: 100, over_budget: true }
  const product = {
    slug: profile.slug,
    url: '/p/tents/a-tent',
    title: text,
    price_range: text,
    verdict: text,
  }
  const categories = [
    { ...line, quantity: 2, cost: 99.5, product },
    { ...line, quantity: 1, cost: null, product: null },
  ]
  const response = {
    type: 'bundle',
    query_id: '1',
    plan_id: '2',
    overview: text,
    budget: 80,
    total: 99.5,
    categories,
  } as const
  const user = { id: '1', email: text, name: text, accountType: 'consumer', isAdmin: false } as const
  const state = { values: { q: text }, errors: {} }
  const plan = { response: { ...response, categories }, profiles: new Map([[profile.slug, profile]]) }
  return { user, state, plan }
}

function frontOf(text: string, profile: ProductProfile): Front {
  const answer = {
    priceCents: 100,
    inStock: true,
    claimUrl: 'https://shop.example/',
    offerExpiresAt: new Date(0),
  }
  const rest = { shippingCostCents: null, listPriceCents: null, offerId: null, terms: text }
  const seller = { id: text, name: text, orgType: 'retailer', verified: true, domain: null } as const
  const [quote] = rankQuotes(
    [
      {
        id: text,
        org: seller,
        answer: { ...answer, ...rest, estimatedShippingDays: 2 },
        responseMs: 0,
        health: { status: 'active', failuresInARow: 0 },
      },
    ],
    { quantity: 1, deadline: null, now: new Date(0) },
  )
  return {
    ...NO_FRONT,
    wish: { text, found: [{ profile, reason: text }] },
    quotes: { profile, ranked: quote ? [quote] : [] },
    deals: [profile],
  }
}

function allPages(text: string, on: Site = site): Record<string, string> {
  const profile = profileOf(text)
  return {
    product: productPage(profile, on),
    drawn: productPage({ ...profile, images: [] }, on),
    bare: productPage({ ...profile, ...EMPTY_FACTS, title: text, brand: null, provenance: {} }, on),
    category: renderCategoryPage(categoryOf(text, [profile, profile]), on),
    emptyCategory: renderCategoryPage(categoryOf(text, []), on),
    home: renderHomePage({
      categories: [
        { ...summaryOf(text), path: [text], reviews: 3 },
        { ...summaryOf(text), reviews: 0 },
      ],
      ...{ site: on, day: dayOf(text), front: frontOf(text, profile) },
    }),
    emptyHome: renderHomePage({ categories: [], site: on, day: null, front: NO_FRONT }),
    message: renderMessagePage({ status: 404, title: text, text }, on),
    ...bundlePages(text, on),
  }
}

const FRAGMENTS = [
  TITLE,
  '</title><h1>',
  '<!--',
  '-->',
  ']]>',
  '</a></li></ul></main>',
  '<svg/onload=alert(1)>',
  '<style>*{display:none}</style>',
  '" onmouseover="alert(1)',
  "' style='position:fixed",
  '#{alert(1)}',
  '{{constructor}}',
  '[x](javascript:alert(1))',
  '![x](x)\n# heading\n\n| a | b |',
  '&lt;script&gt;',
  '&#60;b&#62;',
  '\\u003c/script\\u003e',
  '\u2028\u2029',
  '\u0000',
  '<',
  '>',
  '&',
]

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'grapheme' })), {
    minLength: 1,
    maxLength: 15,
  })
  .map((parts) => parts.join(''))
  // A fragment in front keeps the text from being empty, or a date by chance.
  .map((text) => `<i>${text}`)

describe('text from outside', () => {
  test('never adds an element or an attribute to any page, and is shown as it was written', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const harmless = allPages(text.replace(/\S/gu, 'x'))
        for (const [name, html] of Object.entries(allPages(text))) {
          const page = parse(html)
          expect(page.shape).toEqual(parse(harmless[name] ?? '').shape)
          if (name === 'emptyHome') continue
          for (const paragraph of text.split(/\n\s*\n/)) expect(page.text).toContain(paragraph)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('never ends the JSON-LD block, which still holds exactly what was given', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const profile = profileOf(text)
        const page = parse(productPage(profile))
        expect(JSON.parse(page.data)).toEqual(renderProductJsonLd(profile, site.baseUrl))
        expect(page.data).not.toMatch(/[<>&\u2028\u2029]/)
      }),
    )
  })

  test.each([
    'javascript:alert(1)',
    ' \tJaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example/',
    'no address at all',
    '',
  ])(
    'an address that is not http or https (%j) becomes no link and no picture, and the shop is still named',
    (url) => {
      const page = parse(productPage(profileOf('Tent shop', [url])))
      expect(foreignAddresses(page)).toEqual([])
      expect(page.text).toContain('Tent shop')
      expect(page.elements.filter(({ name }) => name === 'img')).toHaveLength(2)
    },
  )

  test('an address cannot break out of its attribute', () => {
    const page = parse(productPage(profileOf('x', ['https://shop.example/"><img src=x onerror=alert(1)>'])))
    expect(page.shape).toEqual(parse(productPage(profileOf('x', ['https://shop.example/']))).shape)
  })
})

function foreignAddresses({ elements }: Document): string[] {
  return elements
    .filter(({ name, attributes }) => !(name === 'link' && attributes.rel === 'icon'))
    .flatMap(({ attributes }) => [attributes.href, attributes.src].filter((value) => value !== undefined))
    .filter((value) => !/^[/#](?!\/)/.test(value) && !value.startsWith('https://souk.example/'))
}

describe('every page', () => {
  const pages = Object.entries(allPages('Tent')).map(([name, html]) => [name, parse(html), html] as const)

  test.each(pages)('%s: carries nothing the content security policy refuses', (_, { elements }) => {
    const refused = elements.filter(
      ({ name, attributes }) =>
        ['style', 'iframe', 'object', 'embed', 'base'].includes(name) ||
        (name === 'script' && attributes.type !== 'application/ld+json') ||
        Object.keys(attributes).some((attribute) => attribute === 'style' || attribute.startsWith('on')),
    )
    expect(refused).toEqual([])
  })

  test.each(pages)('%s: has one h1 and never skips a level of heading', (_, { elements }) => {
    const levels = elements.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name[1])] : []))
    expect(levels.filter((level) => level === 1)).toEqual([1])
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
  })

  test.each(pages)('%s: every picture has alt, width and height', (_, { elements }) => {
    for (const { attributes } of elements.filter(({ name }) => name === 'img'))
      expect(Object.keys(attributes)).toEqual(expect.arrayContaining(['alt', 'width', 'height']))
  })

  test.each(pages)(
    '%s: says what it is: doctype, language, title, description, landmarks',
    (_, page, html) => {
      expect(html).toMatch(/^<!doctype html><html lang="en">/)
      const names = page.elements.map(({ name }) => name)
      for (const once of ['title', 'main', 'h1', 'footer'])
        expect(names.filter((name) => name === once)).toHaveLength(1)
      expect(page.elements.filter(({ attributes }) => attributes.name === 'description')).toHaveLength(1)
      const ids = page.elements.flatMap(({ attributes }) => attributes.id ?? [])
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  test('the notice of invented data is on every page once while the demo catalog is loaded, and never otherwise', () => {
    const count = (html: string) => parse(html).text.split(DEMO_NOTICE).length - 1
    for (const html of Object.values(allPages('Tent', { ...site, demo: true }))) expect(count(html)).toBe(1)
    for (const html of Object.values(allPages('Tent'))) expect(count(html)).toBe(0)
  })
})
