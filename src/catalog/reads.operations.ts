/**
 * The public reads as they are published: a product in its forms, its promoted offers, a category. All are kept by caches
 * and asked about each time, so each may be answered with 304. What is unknown is a static line, no JSON (interface 4).
 */
import { z } from 'zod'
import type { Answer, Operation } from '../http/operation.ts'
import { ProductJsonLd, ProductOffers } from './profile.schema.ts'

const slug = z.string().regex(/^[a-z0-9-]+$/)

const CATEGORY = { schema: slug, description: 'Slug of the category', example: 'coffee-grinders' }
const PRODUCT = { schema: slug, description: 'Slug of the product', example: 'grindel-conic-40' }

const markdown = z.string().describe('Markdown')
const page = z.string().describe('An HTML page')

const FRESHNESS = {
  ETag: 'Identifies these exact bytes; send it back in `If-None-Match`',
  'Last-Modified': 'Last change to anything shown',
}
const FOR_READERS = {
  ...FRESHNESS,
  'X-Robots-Tag': '`noindex`: not for search engines',
}
const NEGOTIATED = { ...FRESHNESS, Link: 'The other forms, as `rel="alternate"`' }

const UNCHANGED: Answer = {
  status: 304,
  description: 'Your copy is current (`If-None-Match`)',
  content: {},
  headers: { ETag: FRESHNESS.ETag },
}

const MOVED: Answer = {
  status: 301,
  description: 'Moved to another address',
  content: {},
  headers: { Location: 'The new address, in the same format' },
}

const UNKNOWN = { product: 'there is no such product', category: 'there is no such category' }

type Read = Pick<Operation, 'id' | 'path' | 'summary' | 'description'> & {
  of: keyof typeof UNKNOWN
  /** What the answer is. */
  gives: string
  content: Answer['content']
  tag?: Operation['tag']
  /** The form is chosen by `Accept`; then what is unknown is a page, and so is what was removed. */
  negotiated?: true
}

function read({ of, gives, content, tag = 'Products', negotiated, ...read }: Read): Operation {
  const headers = negotiated ? NEGOTIATED : FOR_READERS
  return {
    ...{ ...read, tag, method: 'get', caller: 'anyone' },
    parameters: {
      ...(read.path.includes('{category}') && { category: CATEGORY }),
      ...(read.path.includes('{slug}') && { slug: PRODUCT }),
    },
    answers: [{ status: 200, description: gives, content, headers }, UNCHANGED, MOVED],
    refusals: [
      { status: 404, when: UNKNOWN[of], form: negotiated ? 'page' : 'text' },
      ...(negotiated ? [{ status: 410, when: `the ${of} was removed`, form: 'page' } as const] : []),
    ],
  }
}

export const READ_OPERATIONS: Operation[] = [
  read({
    ...{ id: 'getProductJsonLd', path: '/p/{category}/{slug}.json', of: 'product', gives: 'The product' },
    summary: 'Get a product as JSON-LD',
    description:
      'Schema.org JSON-LD. Fields without a value are left out: there are no nulls and no empty lists.',
    content: { 'application/ld+json': ProductJsonLd },
  }),
  read({
    ...{ id: 'getProductMarkdown', path: '/p/{category}/{slug}.md', of: 'product', gives: 'The profile' },
    summary: 'Get a product as Markdown',
    description:
      'The whole profile: verdict, facts, review themes, specifications, images, offers, where to buy, and sources.',
    content: { 'text/markdown': markdown },
  }),
  read({
    ...{ id: 'getProduct', path: '/p/{category}/{slug}', of: 'product', gives: 'The product' },
    summary: 'Get a product in the format you accept',
    description: '`Accept` chooses HTML (the default), Markdown or Schema.org JSON-LD.',
    content: { 'text/html': page, 'text/markdown': markdown, 'application/ld+json': ProductJsonLd },
    negotiated: true,
  }),
  read({
    ...{ id: 'getCategoryMarkdown', path: '/c/{category}.md', of: 'category', gives: 'The category' },
    summary: 'Get a category as Markdown',
    description: 'A table of its products, then the whole profile of each under a level 3 heading.',
    content: { 'text/markdown': markdown },
  }),
  read({
    ...{ id: 'getCategory', path: '/c/{category}', of: 'category', gives: 'The category' },
    summary: 'Get a category in the format you accept',
    description: '`Accept` chooses HTML (the default) or Markdown.',
    content: { 'text/html': page, 'text/markdown': markdown },
    negotiated: true,
  }),
  read({
    ...{ id: 'getProductOffers', path: '/offers/{slug}.json', of: 'product', tag: 'Offers' },
    gives: 'The offers that are live now',
    summary: "Get a product's live offers",
    description:
      'The offers that are live now, in dollars, lowest price first. `/offers/{category}/{slug}.json` returns the same.',
    content: { 'application/json': ProductOffers },
  }),
]
