/**
 * The public reads as they are published: a product in its forms, its promoted offers, a category. All are kept by caches
 * and asked about each time, so each may be answered with 304. What is unknown is a static line, no JSON (interface 4).
 */
import { z } from 'zod'
import type { Answer, Operation, Refusal } from '../http/operation.ts'
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

const UNKNOWN_PRODUCT: Refusal = { status: 404, when: 'there is no such product', form: 'text' }
const UNKNOWN_CATEGORY: Refusal = { status: 404, when: 'there is no such category', form: 'text' }

export const READ_OPERATIONS: Operation[] = [
  {
    id: 'getProductJsonLd',
    method: 'get',
    path: '/p/{category}/{slug}.json',
    tag: 'Products',
    summary: 'Read a product as Schema.org JSON-LD',
    description: 'A field whose condition fails is left out: there are no nulls and no empty lists.',
    caller: 'anyone',
    parameters: { category: CATEGORY, slug: PRODUCT },
    answers: [
      {
        status: 200,
        description: 'The product',
        content: { 'application/ld+json': ProductJsonLd },
        headers: FOR_READERS,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [UNKNOWN_PRODUCT],
  },
  {
    id: 'getProductMarkdown',
    method: 'get',
    path: '/p/{category}/{slug}.md',
    tag: 'Products',
    summary: 'Read a product as Markdown',
    description:
      'Verdict, facts, review themes, specifications, images, offers, where to buy, and who said what: the whole profile.',
    caller: 'anyone',
    parameters: { category: CATEGORY, slug: PRODUCT },
    answers: [
      {
        status: 200,
        description: 'The profile',
        content: { 'text/markdown': markdown },
        headers: FOR_READERS,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [UNKNOWN_PRODUCT],
  },
  {
    id: 'getProduct',
    method: 'get',
    path: '/p/{category}/{slug}',
    tag: 'Products',
    summary: 'Read a product in the form the caller likes best',
    description:
      'By `Accept`: a page in HTML, which is also what no wish gives, Markdown, or Schema.org JSON-LD.',
    caller: 'anyone',
    parameters: { category: CATEGORY, slug: PRODUCT },
    answers: [
      {
        status: 200,
        description: 'The product',
        content: { 'text/html': page, 'text/markdown': markdown, 'application/ld+json': ProductJsonLd },
        headers: NEGOTIATED,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [
      { ...UNKNOWN_PRODUCT, form: 'page' },
      { status: 410, when: 'the product was removed', form: 'page' },
    ],
  },
  {
    id: 'getCategoryMarkdown',
    method: 'get',
    path: '/c/{category}.md',
    tag: 'Products',
    summary: 'Read a category as Markdown',
    description: 'A table of its products, then the whole profile of each under a heading of level 3.',
    caller: 'anyone',
    parameters: { category: CATEGORY },
    answers: [
      {
        status: 200,
        description: 'The category',
        content: { 'text/markdown': markdown },
        headers: FOR_READERS,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [UNKNOWN_CATEGORY],
  },
  {
    id: 'getCategory',
    method: 'get',
    path: '/c/{category}',
    tag: 'Products',
    summary: 'Read a category in the form the caller likes best',
    description: 'By `Accept`: a page in HTML, which is also what no wish gives, or Markdown.',
    caller: 'anyone',
    parameters: { category: CATEGORY },
    answers: [
      {
        status: 200,
        description: 'The category',
        content: { 'text/html': page, 'text/markdown': markdown },
        headers: NEGOTIATED,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [
      { ...UNKNOWN_CATEGORY, form: 'page' },
      { status: 410, when: 'the category was removed', form: 'page' },
    ],
  },
  {
    id: 'getProductOffers',
    method: 'get',
    path: '/offers/{slug}.json',
    tag: 'Offers',
    summary: "Read a product's promoted offers",
    description:
      'What sellers promote at this moment, in dollars, lowest price first. `/offers/{category}/{slug}.json` answers the same.',
    caller: 'anyone',
    parameters: { slug: PRODUCT },
    answers: [
      {
        status: 200,
        description: 'The offers that are live now',
        content: { 'application/json': ProductOffers },
        headers: FOR_READERS,
      },
      UNCHANGED,
      MOVED,
    ],
    refusals: [UNKNOWN_PRODUCT],
  },
]
