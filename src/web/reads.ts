/**
 * The public reads: a product as HTML, Markdown or JSON-LD, its offers, a category as HTML or Markdown, the home page
 * and the drawings. Each address has one prepared answer, made from the catalog and the live offers when first asked
 * for and kept until either changes; one that shows offers, no longer than until the next of them starts or ends.
 */
import type { CategorySummary } from '../catalog/catalog.service.ts'
import { getCategory, getProfile, summarizeCategories } from '../catalog/catalog.service.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import { renderProductJsonLd } from '../catalog/profile.jsonld.ts'
import { renderCategoryMarkdown, renderProductMarkdown } from '../catalog/profile.markdown.ts'
import { renderOffersJson } from '../catalog/profile.offers.ts'
import { categoryPath, type ProductProfile, productPath } from '../catalog/profile.ts'
import { withOffers } from '../catalog/promoted-offer.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { PAGE_HEADERS } from '../http/middleware.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import type { Clock } from '../lib/clock.ts'
import type { LiveOffers } from '../offers/live-offers.ts'
import { type CachedForm, createFormCache } from './form-cache.ts'
import { renderCategoryPage } from './pages/category.tsx'
import { renderHomePage } from './pages/home.tsx'
import { renderProductPage } from './pages/product.tsx'
import { renderPicture } from './pictures/pictures.ts'
import type { Site } from './site.ts'

export type Form = 'html' | 'md' | 'json'

export const MEDIA_TYPES: Record<Form, string> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/ld+json; charset=utf-8',
}

export type ReadAddress =
  | { kind: 'product'; category: string; slug: string; form: Form | null }
  | { kind: 'category'; category: string; form: Form | null }
  | { kind: 'offers'; category: string | null; slug: string; form: 'json' }

/** What the reads ask of the live offers. */
export type OfferLookup = Pick<LiveOffers, 'of' | 'nextChange' | 'changedAt'>

export type Reads = {
  /** The prepared answer if it is at hand; no database, no waiting. */
  ready(path: string, accept: string | undefined): Prepared | undefined
  read(path: string, accept: string | undefined): Promise<Prepared | null>
  home(): Promise<Prepared | null>
  picture(category: string, brand: string): Promise<Prepared | null>
  apply(events: ChangeEvent[]): void
}

/** Depends on everything: the home page counts all products. */
const WHOLE_CATALOG = 'catalog'
/** A product's forms show its category's label, but must not go stale whenever a neighbour changes. */
const labelOf = (categoryId: string) => `label ${categoryId}`
const PATH = /^\/(?:p\/([a-z0-9-]+)\/([a-z0-9-]+)|c\/([a-z0-9-]+))(?:\.(md|json))?\/?$/
const OFFERS_PATH = /^\/offers\/(?:([a-z0-9-]+)\/)?([a-z0-9-]+)\.json\/?$/
const NOINDEX = { 'X-Robots-Tag': 'noindex' }

export function parseReadPath(path: string): ReadAddress | null {
  const match = PATH.exec(path)
  if (!match) return parseOffersPath(path)
  const [, category, slug, categoryPage, extension] = match
  const form = (extension ?? null) as Form | null
  if (categoryPage !== undefined)
    return form === 'json' ? null : { kind: 'category', category: categoryPage, form }
  return category !== undefined && slug !== undefined ? { kind: 'product', category, slug, form } : null
}

function parseOffersPath(path: string): ReadAddress | null {
  const [, category = null, slug] = OFFERS_PATH.exec(path) ?? []
  return slug === undefined ? null : { kind: 'offers', category, slug, form: 'json' }
}

/** What the plain address answers with: the form the client likes best, the first named of equals, HTML for no wish. */
export function negotiate(accept: string | undefined, offered: readonly Form[]): Form {
  if (!accept) return 'html'
  const wants: Record<string, Form> = {
    'text/html': 'html',
    'text/markdown': 'md',
    'application/ld+json': 'json',
  }
  let best: { form: Form; quality: number } = { form: 'html', quality: 0 }
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const form = wants[type]
    if (!form || !offered.includes(form)) continue
    const quality = Number(
      /^\s*q=([\d.]+)/.exec(parameters.find((parameter) => /^\s*q=/.test(parameter)) ?? 'q=1')?.[1] ?? 1,
    )
    if (quality > best.quality) best = { form, quality }
  }
  return best.form
}

export function createReads(deps: { db: Db; site: Site; clock: Clock; offers: OfferLookup }): Reads {
  const { db, site, clock, offers } = deps
  const cache = createFormCache(clock)
  const pictures = createFormCache(clock, 8 * 1024 * 1024)

  const resolve = (path: string, accept: string | undefined) => {
    const address = parseReadPath(path)
    if (!address) return null
    const form =
      address.form ?? negotiate(accept, address.kind === 'product' ? ['html', 'md', 'json'] : ['html', 'md'])
    const plain = address.form === null
    const name = address.kind === 'category' ? address.category : `${address.category}/${address.slug}`
    return { address, form, plain, key: `${address.kind} ${name} ${form} ${plain}` }
  }

  // In each of these, how long a form is valid is asked before what it shows: a window that opens or closes while it is
  // made leaves a form that is over at once, never one that outlives what it shows.
  async function makeProduct(
    category: string,
    slug: string,
    form: Form,
    plain: boolean,
  ): Promise<CachedForm | null> {
    const found = await getProfile({ db }, { category, slug })
    if (!found) return null
    const validUntil = offers.nextChange(found.id)
    const profile = withOffers(found, offers)
    const prepared = prepare({
      body: productBody(profile, form, site),
      contentType: MEDIA_TYPES[form],
      lastModified: profile.updatedAt,
      headers: {
        ...formHeaders(plain, form),
        Link: alternates(productPath(profile), ['html', 'md', 'json'], form),
      },
    })
    const dependsOn = [profile.id, labelOf(profile.categoryId)]
    return { prepared, dependsOn, validUntil }
  }

  async function makeOffers(category: string | null, slug: string): Promise<CachedForm | null> {
    const product = await findProduct({ db }, { category, slug })
    if (!product) return null
    const validUntil = offers.nextChange(product.id)
    const shown = withOffers(product, offers)
    const prepared = prepare({
      body: JSON.stringify(renderOffersJson(shown, site.baseUrl), null, 2),
      contentType: 'application/json; charset=utf-8',
      lastModified: shown.updatedAt,
      headers: formHeaders(false, 'json'),
    })
    const dependsOn = [product.id, labelOf(product.categoryId)]
    return { prepared, dependsOn, validUntil }
  }

  async function makeCategory(slug: string, form: Form, plain: boolean): Promise<CachedForm | null> {
    const stored = await getCategory({ db }, slug)
    if (!stored) return null
    const ids = stored.products.map((product) => product.id)
    const nextChanges = ids.flatMap((id) => offers.nextChange(id)?.getTime() ?? [])
    const validUntil = nextChanges.length === 0 ? null : new Date(Math.min(...nextChanges))
    const products = stored.products.map((product) => withOffers(product, offers))
    const found = { category: stored.category, products }
    const prepared = prepare({
      body: form === 'md' ? renderCategoryMarkdown(found, site) : renderCategoryPage(found, site),
      contentType: MEDIA_TYPES[form],
      lastModified: newest([found.category.updatedAt, ...found.products.map((product) => product.updatedAt)]),
      headers: {
        ...formHeaders(plain, form),
        Link: alternates(categoryPath(found.category), ['html', 'md'], form),
      },
    })
    return { prepared, dependsOn: [found.category.id, ...ids], validUntil }
  }

  return {
    ready(path, accept) {
      const wanted = resolve(path, accept)
      return wanted ? cache.get(wanted.key) : undefined
    },
    async read(path, accept) {
      const wanted = resolve(path, accept)
      if (!wanted) return null
      const { address, form, plain, key } = wanted
      return cache.getOrMake(key, () => {
        if (address.kind === 'offers') return makeOffers(address.category, address.slug)
        return address.kind === 'product'
          ? makeProduct(address.category, address.slug, form, plain)
          : makeCategory(address.category, form, plain)
      })
    },
    home() {
      return cache.getOrMake('home', async () => {
        const categories: CategorySummary[] = await summarizeCategories({ db })
        const lastModified = newest(categories.map((category) => category.updatedAt))
        const prepared = prepare({
          body: renderHomePage(categories, site),
          contentType: MEDIA_TYPES.html,
          lastModified,
          headers: { Vary: 'Accept-Encoding', ...PAGE_HEADERS },
        })
        return { prepared, dependsOn: [WHOLE_CATALOG] }
      })
    },
    picture(category, brand) {
      return pictures.getOrMake(`${category} ${brand}`, async () => {
        const prepared = prepare({
          body: renderPicture({ category, brand: brand === 'plain' ? null : brand }),
          contentType: 'image/svg+xml; charset=utf-8',
          lastModified: PICTURES_DATE,
          headers: { 'Cache-Control': 'public, max-age=86400', Vary: 'Accept-Encoding' },
        })
        return { prepared, dependsOn: [] }
      })
    },
    apply(all) {
      // New vectors change what is found, not what is shown.
      const events = all.filter((event) => event.aspect !== 'embedded')
      if (events.length === 0) return
      const labels = events.flatMap((event) =>
        event.productId === null && event.categoryId ? [labelOf(event.categoryId)] : [],
      )
      const ids = events
        .flatMap(({ productId, categoryId }) => [productId, categoryId])
        .filter((id) => id !== null)
      cache.invalidate([WHOLE_CATALOG, ...labels, ...ids])
    },
  }
}

/** Drawings change only with the program. */
const PICTURES_DATE = new Date('2026-11-01T00:00:00Z')

function productBody(profile: ProductProfile, form: Form, site: Site): string {
  if (form === 'md') return renderProductMarkdown(profile, site)
  const jsonLd = JSON.stringify(renderProductJsonLd(profile, site.baseUrl), null, form === 'json' ? 2 : 0)
  return form === 'json' ? jsonLd : renderProductPage(profile, site, jsonLd)
}

/** Machines' forms are for readers, not for the index of a search engine (interface 4). */
function formHeaders(plain: boolean, form: Form): Record<string, string> {
  return {
    Vary: plain ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    ...(form === 'html' ? PAGE_HEADERS : NOINDEX),
  }
}

function alternates(path: string, forms: readonly Form[], shown: Form): string {
  return forms
    .filter((form) => form !== shown)
    .map(
      (form) =>
        `<${path}${form === 'html' ? '' : `.${form}`}>; rel="alternate"; type="${MEDIA_TYPES[form].split(';')[0]}"`,
    )
    .join(', ')
}

function newest(dates: Date[]): Date {
  return new Date(Math.max(0, ...dates.map((date) => date.getTime())))
}
