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
  listCategories,
  summarizeCategories,
} from '../catalog/catalog.service.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import { getPriceHistory } from '../catalog/changes.service.ts'
import { renderOffersJson, renderProductJsonLd } from '../catalog/profile.json.ts'
import { renderCategoryMarkdown, renderProductMarkdown } from '../catalog/profile.markdown.ts'
import { categoryPath, type ProductProfile, productPath } from '../catalog/profile.ts'
import { withOffers } from '../catalog/promoted-offer.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import { findVariant } from '../catalog/variants.ts'
import type { Db } from '../db/database.ts'
import { PAGE_HEADERS } from '../http/middleware.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import type { Clock } from '../lib/clock.ts'
import { formatPriceRange } from '../lib/money.ts'
import type { LiveOffers } from '../offers/live-offers.ts'
import type { DayPlan } from '../plans/plan-of-day.ts'
import type { LiveSellers } from '../pricing/live-sellers.ts'
import { buildGuide } from '../search/guide.ts'
import type { OnShelf, ShelfInput } from '../search/shelf.service.ts'
import { countShelf } from '../search/shelf.ts'
import { shortSpecsOf } from '../search/short-specs.ts'
import { sortBy } from '../search/sort.ts'
import { createSpecTable } from '../search/spec-table.ts'
import type { MaybePromise } from '../search/vectors/meaning-index.ts'
import { type CachedForm, createFormCache } from './form-cache.ts'
import { findOnward, type Onward } from './old-addresses.ts'
import { CATEGORY_PAGE, type CategoryPage, priceSpan, renderCategoryPage } from './pages/category.tsx'
import type { Front } from './pages/front.ts'
import { renderHomePage } from './pages/home.tsx'
import { type ProductPage, renderProductPage } from './pages/product.tsx'
import { readPicture, renderPicture } from './pictures/pictures.ts'
import { showDay } from './plans/day.section.tsx'
import {
  FIRST_PAGE,
  type Form,
  type ListView,
  MEDIA_TYPES,
  negotiate,
  parseReadPath,
  readCategoryAddress,
  readListView,
} from './read-address.ts'
import { filtersOf, type ReadAddress as ReadSearch } from './search/address.ts'
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
  /** `query` has the order, page and filters of a category's HTML form, or the variant of a product's. */
  read(path: string, accept: string | undefined, query?: URLSearchParams): Promise<Prepared | null>
  /** For an address where nothing was found. */
  onward(path: string, accept: string | undefined): Promise<Onward | null>
  home(): Promise<Prepared | null>
  /** `file` is all of the address after the category. */
  picture(category: string, file: string): Promise<Prepared | null>
  apply(events: ChangeEvent[]): void
}

/** Depends on everything: the home page counts all products. */
const WHOLE_CATALOG = 'catalog'
/** A product's forms depend on its category's label, but not on the category's other products. */
const labelOf = (categoryId: string) => `label ${categoryId}`
const NOINDEX = { 'X-Robots-Tag': 'noindex' }
const NO_QUERY = new URLSearchParams()

const SIMILAR_SHOWN = 4
/** Of a page's JSON-LD. */
const VARIANTS_IN_PAGE = 12
/** A page is rendered again after this time, because new products may be more similar; soon if none were known. */
const SIMILAR_KEPT_MS = 3_600_000
const SIMILAR_UNKNOWN_MS = 5_000

export function createReads(deps: {
  db: Db
  site: Site
  clock: Clock
  offers: OfferLookup
  similar: SimilarLookup
  /** A category's products under filters. Throws `unavailable` while the index is loading. */
  shelf: (input: ShelfInput) => MaybePromise<OnShelf>
  /** What there is of it now, without waiting. */
  planOfDay: () => DayPlan | null
  sellers: Pick<LiveSellers, 'countOf'>
  front: (categories: CategorySummary[]) => Promise<Front>
}): Reads {
  const { db, site, clock, offers } = deps
  const cache = createFormCache(clock)
  const pictures = createFormCache(clock, 8 * 1024 * 1024)

  const resolve = (path: string, accept: string | undefined, query = NO_QUERY) => {
    const address = parseReadPath(path)
    if (!address) return null
    const form =
      address.form ?? negotiate(accept, address.kind === 'product' ? ['html', 'md', 'json'] : ['html', 'md'])
    const plain = address.form === null
    const name = address.kind === 'category' ? address.category : `${address.category ?? ''}/${address.slug}`
    const view = address.kind === 'category' && form === 'html' ? readListView(query) : FIRST_PAGE
    const key = `${address.kind} ${name} ${form} ${plain}`
    return { address, form, plain, view, key: view === FIRST_PAGE ? key : `${key} ${view.sort} ${view.page}` }
  }

  // Each reads `validUntil` before the offers, so that a window that opens or closes meanwhile expires the form.
  async function makeProduct(
    category: string,
    slug: string,
    form: Form,
    plain: boolean,
    variantId?: string,
  ): Promise<CachedForm | null> {
    const found = await getProfile({ db }, { category, slug })
    if (!found) return null
    const validUntil = offers.nextChange(found.id)
    const profile = withOffers(found, offers)
    const near = form === 'html' ? await findSimilar(profile) : { products: [], until: null }
    const history = form === 'html' ? await getPriceHistory({ db }, profile, clock.now()) : null
    const sellers = deps.sellers.countOf(profile.id)
    const shown = [profile, ...near.products]
    const prepared = prepare({
      body: productBody({ profile, similar: near.products, history, sellers, variantId }, form),
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
    const products = (await getProfiles({ db }, ids)).map((near) => withOffers(near, offers))
    return { products, until: earliest([until, ...changes]) }
  }

  function productBody(page: Omit<ProductPage, 'jsonLd'>, form: Form): string {
    const { profile } = page
    if (form === 'md') return renderProductMarkdown(profile, site)
    if (form === 'json') return JSON.stringify(renderProductJsonLd(profile, site.baseUrl), null, 2)
    const jsonLd = JSON.stringify(
      renderProductJsonLd(profile, site.baseUrl, { mostVariants: VARIANTS_IN_PAGE }),
    )
    return renderProductPage({ ...page, jsonLd }, site)
  }

  /** Kept under the ids of variants alone: an address may say anything. Null if it names none. */
  async function readVariant(
    { address, plain, key }: { address: { category: string; slug: string }; plain: boolean; key: string },
    named: string,
  ): Promise<Prepared | null> {
    const { category, slug } = address
    const kept = cache.get(`${key} ${named}`)
    if (kept) return kept
    const profile = await getProfile({ db }, { category, slug })
    const variant = profile && findVariant(profile.variants, named)
    if (!variant) return null
    const { id } = variant
    return cache.getOrMake(`${key} ${id}`, () => makeProduct(category, slug, 'html', plain, id))
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

  /** The page of a category under filters: other products for each address, so it is made anew each time. */
  async function makeNarrowed(slug: string, { address, typed }: ReadSearch): Promise<Prepared | null> {
    const category = (await listCategories({ db })).find((one) => one.slug === slug)
    if (!category) return null
    const offset = (address.page - 1) * CATEGORY_PAGE
    const sort = address.sort ?? 'relevance'
    const input = { category: slug, filters: filtersOf(address), sort, limit: CATEGORY_PAGE, offset }
    const { productIds, total, shelf, shipsTo, inCategory, lowCents, highCents } = await deps.shelf(input)
    if (isPastEnd({ sort, page: address.page }, total)) return null
    const products = (await getProfiles({ db }, productIds)).map((profile) => withOffers(profile, offers))
    const span = formatPriceRange(lowCents, highCents)
    const page = { category, address, typed, products, total, inCategory, span, shelf, shipsTo, guide: null }
    return prepare({
      body: renderCategoryPage(page, site),
      contentType: MEDIA_TYPES.html,
      lastModified: newest([category.updatedAt, ...products.map((product) => product.updatedAt)]),
      headers: {
        ...formHeaders(true, 'html'),
        Link: alternates(categoryPath(category), ['html', 'md'], 'html'),
      },
    })
  }

  return {
    ready(path, accept) {
      const wanted = resolve(path, accept)
      return wanted ? cache.get(wanted.key) : undefined
    },
    async read(path, accept, query = NO_QUERY) {
      const wanted = resolve(path, accept, query)
      if (!wanted) return null
      const { address, form, plain, view, key } = wanted
      const variant = query.get('variant')
      if (address.kind === 'product' && form === 'html' && variant) {
        const selected = await readVariant({ address, plain, key }, variant)
        if (selected) return selected
      }
      if (address.kind === 'category' && form === 'html') {
        const asked = readCategoryAddress(address.category, query)
        if (asked.narrowed) return makeNarrowed(address.category, asked)
      }
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
        const categories = await summarizeCategories({ db })
        const front = await deps.front(categories)
        const day = await showDay({ db }, plan)
        const lastModified = newest(categories.map((category) => category.updatedAt))
        const prepared = prepare({
          body: renderHomePage({ categories, site, day, front }),
          contentType: MEDIA_TYPES.html,
          lastModified,
          headers: { Vary: 'Accept-Encoding', ...PAGE_HEADERS },
        })
        return { prepared, dependsOn: [WHOLE_CATALOG], validUntil: front.until }
      })
    },
    async picture(category, file) {
      const picture = readPicture(category, file)
      if (!picture) return null
      return pictures.getOrMake(Object.values(picture).join(' '), async () => {
        const prepared = prepare({
          body: renderPicture(picture),
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

function pageOf({ category, products }: CategoryWithProducts, view: ListView): CategoryPage {
  const from = (view.page - 1) * CATEGORY_PAGE
  const sorted = sortBy(products, view.sort, (product) => product)
  const table = createSpecTable()
  for (const product of products)
    table.add({ ...product, brand: product.brand?.name ?? null, shortSpecs: shortSpecsOf(product.specs) })
  const guide = view === FIRST_PAGE ? buildGuide(table) : null
  const { address, typed } = readCategoryAddress(category.slug, NO_QUERY)
  return {
    category,
    address: { ...address, sort: view.sort === FIRST_PAGE.sort ? null : view.sort, page: view.page },
    typed,
    products: sorted.slice(from, from + CATEGORY_PAGE),
    total: products.length,
    inCategory: products.length,
    span: priceSpan(products),
    shelf: countShelf(table, table.items, Uint32Array.from(products.keys()), {}),
    guide: guide && {
      ...guide,
      picks: guide.picks.flatMap(({ row, title, reason }) => {
        const profile = products[row]
        return profile ? [{ profile, title, reason }] : []
      }),
    },
  }
}

/** Drawings change only with the program. */
const PICTURES_DATE = new Date('2026-11-18T00:00:00Z')

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
