/**
 * `/sitemap.xml` (sitemaps.org 0.9): the pages that are for everybody and for an index, products with the time of their
 * last change. Pages that list products tell none: they change with any of those and their offers, and when the product
 * that changed last is removed, a time made from the others would go back. The Markdown and JSON forms ask not to be indexed, so they are not here. Beyond 50,000 addresses or 50 MB the
 * protocol wants an index of files.
 */
import type { ProductAddress } from '../../../catalog/catalog.service.ts'
import { categoryPath, productPath } from '../../../catalog/profile.ts'
import type { Listing, ListingSite } from './listing.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const HEAD = `${DECLARATION}<urlset ${NAMESPACE}>\n`
const FIXED_PAGES = ['/', '/docs', '/sets']

export const SITEMAP: Listing = {
  path: '/sitemap.xml',
  contentType: 'application/xml; charset=utf-8',
  forSearchEngines: true,
  head: (site, { categories }) =>
    [
      HEAD,
      ...FIXED_PAGES.map((path) => urlEntry(site, path, null)),
      ...categories.map((category) => urlEntry(site, categoryPath(category), null)),
    ].join(''),
  entry: productEntry,
  addressEntry: productEntry,
  foot: () => '</urlset>\n',
  split: {
    maxEntries: 50_000,
    maxBytes: 50 * 1024 * 1024,
    headEntries: ({ categories }) => FIXED_PAGES.length + categories.length,
    partHead: () => HEAD,
    partPath: (part) => `/sitemaps/${part}.xml`,
    index: ({ baseUrl }, partPaths) => {
      const parts = partPaths.map((path) => `<sitemap><loc>${xmlText(baseUrl + path)}</loc></sitemap>\n`)
      return `${DECLARATION}<sitemapindex ${NAMESPACE}>\n${parts.join('')}</sitemapindex>\n`
    },
  },
}

function productEntry(site: ListingSite, product: ProductAddress): string {
  return urlEntry(site, productPath(product), product.updatedAt)
}

function urlEntry({ baseUrl }: ListingSite, path: string, changed: Date | null): string {
  const lastmod = changed === null ? '' : `<lastmod>${changed.toISOString()}</lastmod>`
  return `<url><loc>${xmlText(baseUrl + path)}</loc>${lastmod}</url>\n`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
