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
  ETag: 'Names exactly these bytes; send it back in `If-None-Match`',
  'Last-Modified': 'The last change of anything that is shown',
}
const FOR_READERS = {
  ...FRESHNESS,
  'X-Robots-Tag': '`noindex`: for readers, not for the index of a search engine',
}
const NEGOTIATED = { ...FRESHNESS, Link: 'The other forms, as `rel="alternate"`' }

const UNCHANGED: Answer = {
  status: 304,
  description: 'What the caller has is still right (`If-None-Match`)',
  content: {},
  headers: { ETag: FRESHNESS.ETag },
}

const MOVED: Answer = {
  status: 301,
  description: 'It stands at another address now',
  content: {},
  headers: { Location: 'The same form there' },
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
    summary: 'Read a product as Schema.org JSON-LD',
    description: 'A field whose condition fails is left out: there are no nulls and no empty lists.',
    content: { 'application/ld+json': ProductJsonLd },
  }),
  read({
    ...{ id: 'getProductMarkdown', path: '/p/{category}/{slug}.md', of: 'product', gives: 'The profile' },
    summary: 'Read a product as Markdown',
    description:
      'Verdict, facts, review themes, specifications, images, offers, where to buy, and who said what: the whole profile.',
    content: { 'text/markdown': markdown },
  }),
  read({
    ...{ id: 'getProduct', path: '/p/{category}/{slug}', of: 'product', gives: 'The product' },
    summary: 'Read a product in the form the caller likes best',
    description:
      'By `Accept`: a page in HTML, which is also what no wish gives, Markdown, or Schema.org JSON-LD.',
    content: { 'text/html': page, 'text/markdown': markdown, 'application/ld+json': ProductJsonLd },
    negotiated: true,
  }),
  read({
    ...{ id: 'getCategoryMarkdown', path: '/c/{category}.md', of: 'category', gives: 'The category' },
    summary: 'Read a category as Markdown',
    description: 'A table of its products, then the whole profile of each under a heading of level 3.',
    content: { 'text/markdown': markdown },
  }),
  read({
    ...{ id: 'getCategory', path: '/c/{category}', of: 'category', gives: 'The category' },
    summary: 'Read a category in the form the caller likes best',
    description: 'By `Accept`: a page in HTML, which is also what no wish gives, or Markdown.',
    content: { 'text/html': page, 'text/markdown': markdown },
    negotiated: true,
  }),
  read({
    ...{ id: 'getProductOffers', path: '/offers/{slug}.json', of: 'product', tag: 'Offers' },
    gives: 'The offers that are live now',
    summary: "Read a product's promoted offers",
    description:
      'What sellers promote at this moment, in dollars, lowest price first. `/offers/{category}/{slug}.json` answers the same.',
    content: { 'application/json': ProductOffers },
  }),
]
