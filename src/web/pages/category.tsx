/**
 * A category's page: its description, a buying guide made of its facts, and its products as cards beside the filters that
 * a search in it has.
 */
import type { Category } from '../../catalog/catalog.schema.ts'
import { categoryPath, type ProductProfile, productPath } from '../../catalog/profile.ts'
import { formatPriceRange } from '../../lib/money.ts'
import type { Guide } from '../../search/guide.ts'
import { shipsToLines } from '../../search/results-text.ts'
import type { ShipsTo } from '../../search/search.schema.ts'
import type { Shelf } from '../../search/shelf.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { CompareForm } from '../components/compare-bar.tsx'
import { Picture } from '../components/picture.tsx'
import { PriceTag } from '../components/price.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { countOf } from '../format.ts'
import { ErrorSummary, type FormState } from '../kit/fields.tsx'
import { Paging } from '../kit/paging.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import { categoryPreviewPath } from '../previews/preview-path.ts'
import { addressOf, hasNarrowing, type SearchAddress } from '../search/address.ts'
import { type Chosen, ChosenChips, chosenFilters, Unread } from '../search/chips.tsx'
import { FiltersSection, ListHead, Live } from '../search/filters.section.tsx'
import type { Site } from '../site.ts'

/** About one row of cards on a wide screen. Their images are not lazy. */
const FIRST_CARDS = 4
export const CATEGORY_PAGE = 48

/** `picks` with the products that `rows` meant. */
export type ShownGuide = Pick<Guide, 'prices' | 'differences'> & {
  picks: Array<{ profile: ProductProfile; title: string; reason: string }>
}

export type CategoryPage = {
  category: Pick<Category, 'slug' | 'label' | 'description'>
  /** The category with an empty query, filters, order and page. */
  address: SearchAddress
  typed: FormState
  /** On this page. */
  products: ProductProfile[]
  /** On all pages, under the filters. */
  total: number
  /** In the category. */
  inCategory: number
  span: string | null
  shelf: Shelf
  shipsTo?: ShipsTo
  /** Of the first page without filters. */
  guide: ShownGuide | null
}

export function renderCategoryPage(shown: CategoryPage, site: Site): string {
  const { category, address, inCategory, span, guide } = shown
  const path = categoryPath(category)
  const isPlain = addressOf(address, { page: address.page }) === path
  const more = address.page === 1 ? '' : `, page ${address.page}`
  return String(
    <Layout
      site={site}
      title={`${category.label}${more} · Souk`}
      description={category.description || `${category.label}: specs, prices and reviews.`}
      path={isPlain ? path : null}
      image={categoryPreviewPath(category)}
      alternates={[{ type: 'text/markdown', path: `${path}.md` }]}
    >
      <Breadcrumbs trail={[{ name: 'Categories', href: CATEGORIES_PATH }]} />
      <header class="page-head category-head">
        <h1>{category.label}</h1>
        {category.description !== '' && <p class="lead">{category.description}</p>}
        <ul class="line">
          <li>{countOf(inCategory, 'product')}</li>
          {span !== null && <li>{span}</li>}
          <li>
            <a href={`${path}.md`}>Markdown</a>
          </li>
        </ul>
        {inCategory > 0 && <SearchBox within={category} />}
      </header>
      <ErrorSummary errors={shown.typed.errors} />
      {guide && <GuideSection guide={guide} label={category.label} />}
      {inCategory > 0 ? (
        <ShelfOf {...shown} />
      ) : (
        <p>
          No products in this category yet. <a href={CATEGORIES_PATH}>Browse other categories</a>
        </p>
      )}
    </Layout>,
  )
}

function ShelfOf({ category, address, typed, products, total, shelf, shipsTo }: CategoryPage) {
  const chosen = chosenFilters(address, category.label, shelf)
  const pages = Math.max(1, Math.ceil(total / CATEGORY_PAGE))
  return (
    <Live>
      <FiltersSection address={address} typed={typed} shelf={shelf} chosen={chosen.length} total={total} />
      <section aria-labelledby="results">
        <ListHead address={address} sort={address.sort ?? 'relevance'} total={total} pages={pages} />
        <ChosenChips chosen={chosen} address={address} />
        <Unread shelf={shelf} />
        {shipsToLines(shipsTo).map((line) => (
          <p class="soft">{line}</p>
        ))}
        {total === 0 && hasNarrowing(address) && <Nothing chosen={chosen} />}
        {products.length > 0 && (
          <CompareForm>
            <ul class="cards">
              {products.map((profile, index) => (
                <ProductCard profile={profile} lazy={index >= FIRST_CARDS} heading="h3" comparable />
              ))}
            </ul>
          </CompareForm>
        )}
        <Paging page={address.page} pages={pages} href={(page) => addressOf(address, { page })} />
      </section>
    </Live>
  )
}

function Nothing({ chosen }: { chosen: Chosen[] }) {
  return (
    <>
      <p>No products have all of this. Try removing:</p>
      <ul class="plain-list">
        {chosen.map(({ name, href }) => (
          <li>
            <a href={href}>
              <span class="hidden">Remove filter </span>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** On a narrow screen it opens on request, so that the products stay near. */
function GuideSection({ guide, label }: { guide: ShownGuide; label: string }) {
  const { prices, differences, picks } = guide
  return (
    <section class="guide-box" aria-labelledby="guide">
      <h2 class="hidden" id="guide">
        Buying guide
      </h2>
      <details>
        <summary>Buying guide</summary>
        <div class="buying">
          <div>
            <h3>What differs</h3>
            {prices !== null && <p>{prices}</p>}
            {differences.length > 0 && (
              <dl class="differences">
                {differences.map(({ name, words }) => (
                  <div>
                    <dt>{name}</dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            )}
          </div>
          {picks.length > 0 && (
            <div>
              <h3>
                Picks<span class="hidden"> of {label}</span>
              </h3>
              <ul class="picks">
                {picks.map(({ profile, title, reason }) => (
                  <li>
                    <Picture profile={profile} decorative />
                    <div>
                      <p class="pick-title">{title}</p>
                      <p>
                        <a href={productPath(profile)}>{profile.title}</a> <PriceTag {...profile} />
                      </p>
                      <p class="soft">{reason}</p>
                    </div>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
      </details>
    </section>
  )
}

/** From the lowest price to the highest. */
export function priceSpan(products: ProductProfile[]): string | null {
  const prices = products.flatMap(({ priceLowCents, priceHighCents }) =>
    [priceLowCents, priceHighCents].filter((cents) => cents !== null),
  )
  const [low, high] = [
    prices.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    prices.reduce((a, b) => Math.max(a, b), 0),
  ]
  return prices.length === 0 ? null : formatPriceRange(low, high)
}
