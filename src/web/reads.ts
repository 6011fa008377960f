/**
 * The public reads: a product as HTML, Markdown or JSON-LD, its offers, a category as HTML or Markdown, the home page
 * and the drawings. Each address has one prepared response, made on the first request and kept until the catalog or
 * its offers change, or until the next offer starts or ends.
 */
import type { CategorySummary, CategoryWithProducts } from '../catalog/catalog.service.ts'
import {
  countProductsIn,
  getCategory,
  getProfile,
  getProfiles,
  summarizeCategories,
} from '../catalog/catalog.service.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import { renderOffersJson, renderProductJsonLd } from '../catalog/profile.json.ts'
import { renderCategoryMarkdown, renderProductMarkdown } from '../catalog/profile.markdown.ts'
import { categoryPath, type ProductProfile, productPath } from '../catalog/profile.ts'
import { withOffers } from '../catalog/promoted-offer.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { PAGE_HEADERS } from '../http/middleware.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import type { Clock } from '../lib/clock.ts'
import type { LiveOffers } from '../offers/live-offers.ts'
import type { DayPlan } from '../plans/plan-of-day.ts'
import { sortBy } from '../search/sort.ts'
import { type CachedForm, createFormCache } from './form-cache.ts'
import { findOnward, type Onward } from './old-addresses.ts'
import { CATEGORY_PAGE, type CategoryPage, priceSpan, renderCategoryPage } from './pages/category.tsx'
import { renderHomePage } from './pages/home.tsx'
import { renderProductPage } from './pages/product.tsx'
import { renderPicture } from './pictures/pictures.ts'
import { showDay } from './plans/day.section.tsx'
import {
  FIRST_PAGE,
  type Form,
  type ListView,
  MEDIA_TYPES,
  negotiate,
  parseReadPath,
  readListView,
} from './read-address.ts'
import type { Site } from './site.ts'

export type OfferLookup = Pick<LiveOffers, 'of' | 'nextChange' | 'changedAt'>

/** Ids of the most similar products, nearest first; null while the index is loading. */
export type SimilarLookup = (
  product: { slug: string },
  limit: number,
) => string[] | null | Promise<string[] | null>

export type Reads = {
  /** The cached response, without waiting. */
  ready(path: string, accept: string | undefined): Prepared | undefined
  /** `view` is for the HTML form of a category. */
  read(
    path: string,
    accept: string | undefined,
    view?: { sort?: string; page?: string },
  ): Promise<Prepared | null>
  /** For an address where nothing was found. */
  onward(path: string, accept: string | undefined): Promise<Onward | null>
  home(): Promise<Prepared | null>
  picture(category: string, brand: string): Promise<Prepared | null>
  apply(events: ChangeEvent[]): void
}

/** Depends on everything: the home page counts all products. */
const WHOLE_CATALOG = 'catalog'
/** A product's forms depend on its category's label, but not on the category's other products. */
const labelOf = (categoryId: string) => `label ${categoryId}`
const NOINDEX = { 'X-Robots-Tag': 'noindex' }

const SIMILAR_SHOWN = 4
/** A page is rendered again after this time, because new products may be more similar; soon if none were known. */
const SIMILAR_KEPT_MS = 3_600_000
const SIMILAR_UNKNOWN_MS = 5_000

export function createReads(deps: {
  db: Db
  site: Site
  clock: Clock
  offers: OfferLookup
  similar: SimilarLookup
  /** What there is of it now, without waiting. */
  planOfDay: () => DayPlan | null
}): Reads {
  const { db, site, clock, offers } = deps
  const cache = createFormCache(clock)
  const pictures = createFormCache(clock, 8 * 1024 * 1024)

  const resolve = (
    path: string,
    accept: string | undefined,
    asked: { sort?: string; page?: string } = {},
  ) => {
    const address = parseReadPath(path)
    if (!address) return null
    const form =
      address.form ?? negotiate(accept, address.kind === 'product' ? ['html', 'md', 'json'] : ['html', 'md'])
    const plain = address.form === null
    const name = address.kind === 'category' ? address.category : `${address.category ?? ''}/${address.slug}`
    const view = address.kind === 'category' && form === 'html' ? readListView(asked) : FIRST_PAGE
    const key = `${address.kind} ${name} ${form} ${plain}`
    return { address, form, plain, view, key: view === FIRST_PAGE ? key : `${key} ${view.sort} ${view.page}` }
  }

  // Each reads `validUntil` before the offers, so that a window that opens or closes meanwhile expires the form.
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
    const near = form === 'html' ? await findSimilar(profile) : { products: [], until: null }
    const shown = [profile, ...near.products]
    const prepared = prepare({
      body: productBody(profile, near.products, form),
      contentType: MEDIA_TYPES[form],
      lastModified: newest(shown.map(({ updatedAt }) => updatedAt)),
      headers: {
        ...formHeaders(plain, form),
        Link: alternates(productPath(profile), ['html', 'md', 'json'], form),
      },
    })
    const dependsOn = shown.flatMap(({ id, categoryId }) => [id, labelOf(categoryId)])
    return { prepared, dependsOn, validUntil: earliest([validUntil, near.until]) }
  }

  /** Reads profiles from the database, because the index may be a moment behind. */
  async function findSimilar(
    profile: ProductProfile,
  ): Promise<{ products: ProductProfile[]; until: Date | null }> {
    const ids = await deps.similar(profile, SIMILAR_SHOWN)
    const keptMs = ids === null ? SIMILAR_UNKNOWN_MS : SIMILAR_KEPT_MS
    const until = new Date(clock.now().getTime() + keptMs)
    if (ids === null || ids.length === 0) return { products: [], until }
    const changes = ids.map((id) => offers.nextChange(id))
    const byId = new Map((await getProfiles({ db }, ids)).map((near) => [near.id, near]))
    const products = ids.flatMap((id) => byId.get(id) ?? []).map((near) => withOffers(near, offers))
    return { products, until: earliest([until, ...changes]) }
  }

  function productBody(profile: ProductProfile, similar: ProductProfile[], form: Form): string {
    if (form === 'md') return renderProductMarkdown(profile, site)
    const jsonLd = JSON.stringify(renderProductJsonLd(profile, site.baseUrl), null, form === 'json' ? 2 : 0)
    return form === 'json' ? jsonLd : renderProductPage({ profile, similar, jsonLd }, site)
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

  async function makeCategory(
    slug: string,
    form: Form,
    plain: boolean,
    view: ListView,
  ): Promise<CachedForm | null> {
    // Checked first, because an address may name any page, and a missing page is not cached.
    if (isPastEnd(view, view.page === 1 ? 0 : await countProductsIn({ db }, slug))) return null
    const stored = await getCategory({ db }, slug)
    if (!stored || isPastEnd(view, stored.products.length)) return null
    const ids = stored.products.map((product) => product.id)
    const validUntil = earliest(ids.map((id) => offers.nextChange(id)))
    const products = stored.products.map((product) => withOffers(product, offers))
    const found = { category: stored.category, products }
    const prepared = prepare({
      body:
        form === 'md' ? renderCategoryMarkdown(found, site) : renderCategoryPage(pageOf(found, view), site),
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
    async read(path, accept, asked) {
      const wanted = resolve(path, accept, asked)
      if (!wanted) return null
      const { address, form, plain, view, key } = wanted
      return cache.getOrMake(key, () => {
        if (address.kind === 'offers') return makeOffers(address.category, address.slug)
        return address.kind === 'product'
          ? makeProduct(address.category, address.slug, form, plain)
          : makeCategory(address.category, form, plain, view)
      })
    },
    onward: (path, accept) => findOnward({ db, site }, path, accept),
    home() {
      const plan = deps.planOfDay()
      return cache.getOrMake(`home ${plan?.version ?? ''}`, async () => {
        const categories: CategorySummary[] = await summarizeCategories({ db })
        const day = await showDay({ db }, plan)
        const lastModified = newest(categories.map((category) => category.updatedAt))
        const prepared = prepare({
          body: renderHomePage({ categories, site, day }),
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
      // New vectors change search, not pages.
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

function isPastEnd({ page }: ListView, total: number): boolean {
  return page > 1 && (page - 1) * CATEGORY_PAGE >= total
}

function pageOf({ category, products }: CategoryWithProducts, { sort, page }: ListView): CategoryPage {
  const from = (page - 1) * CATEGORY_PAGE
  const sorted = sortBy(products, sort, (product) => product)
  const shown = sorted.slice(from, from + CATEGORY_PAGE)
  return { category, products: shown, total: products.length, span: priceSpan(products), sort, page }
}

/** Drawings change only with the program. */
const PICTURES_DATE = new Date('2026-11-01T00:00:00Z')

/** Markdown and JSON are kept out of search engines (interface 4). */
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

// With reduce, because a category may have more products than a call takes arguments.
function newest(dates: Date[]): Date {
  return new Date(dates.reduce((latest, date) => Math.max(latest, date.getTime()), 0))
}

function earliest(dates: Array<Date | null>): Date | null {
  return dates.reduce((first, date) => (date && (!first || date < first) ? date : first), null)
}
