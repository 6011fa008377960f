/** A category's page: its description, then its products as cards. */
import type { Category } from '../../catalog/catalog.schema.ts'
import { categoryPath, type ProductProfile } from '../../catalog/profile.ts'
import { formatPriceRange } from '../../lib/money.ts'
import type { Sort } from '../../search/search.schema.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { CompareForm } from '../components/compare-bar.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { countOf } from '../format.ts'
import { Paging } from '../kit/paging.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import { categoryPreviewPath } from '../previews/preview-path.ts'
import { SORT_WORDS } from '../search/address.ts'
import type { Site } from '../site.ts'

/** About one row of cards on a wide screen. Their images are not lazy. */
const FIRST_CARDS = 4
export const CATEGORY_PAGE = 48

/** The first is the default. Without a query there is no best match. */
export const CATEGORY_SORTS = [
  'popular',
  'rating',
  'price_asc',
  'price_desc',
  'newest',
] as const satisfies readonly Sort[]
export type CategorySort = (typeof CATEGORY_SORTS)[number]

export type CategoryPage = {
  category: Pick<Category, 'slug' | 'label' | 'description'>
  /** On this page. */
  products: ProductProfile[]
  /** On all pages. */
  total: number
  span: string | null
  sort: CategorySort
  page: number
}

export function renderCategoryPage(shown: CategoryPage, site: Site): string {
  const { category, products, total, span, sort, page } = shown
  const path = categoryPath(category)
  const isFirst = page === 1 && sort === 'popular'
  const more = page === 1 ? '' : `, page ${page}`
  return String(
    <Layout
      site={site}
      title={`${category.label}${more} · Souk`}
      description={category.description || `${category.label}: specs, prices and reviews.`}
      path={isFirst ? path : null}
      image={categoryPreviewPath(category)}
      alternates={[{ type: 'text/markdown', path: `${path}.md` }]}
    >
      <Breadcrumbs trail={[{ name: 'Categories', href: CATEGORIES_PATH }]} />
      <header class="page-head category-head">
        <h1>{category.label}</h1>
        {category.description !== '' && <p class="lead">{category.description}</p>}
        <ul class="line">
          <li>{countOf(total, 'product')}</li>
          {span !== null && <li>{span}</li>}
          <li>
            <a href={`${path}.md`}>Markdown</a>
          </li>
        </ul>
      </header>
      {products.length > 0 ? (
        <>
          <Tools {...shown} />
          <CompareForm>
            <ul class="cards">
              {products.map((profile, index) => (
                <ProductCard profile={profile} lazy={index >= FIRST_CARDS} comparable />
              ))}
            </ul>
          </CompareForm>
          <Paging
            page={page}
            pages={Math.ceil(total / CATEGORY_PAGE)}
            href={(number) => categoryAddress(category, { sort, page: number })}
          />
        </>
      ) : (
        <p>
          No products in this category yet. <a href={CATEGORIES_PATH}>Browse other categories</a>
        </p>
      )}
    </Layout>,
  )
}

function Tools({ category, sort }: CategoryPage) {
  return (
    <div class="list-tools">
      <SearchBox within={category} />
      <nav aria-label="Sort by">
        <ul class="orders">
          {CATEGORY_SORTS.map((name) => (
            <li>
              <a
                class="chip"
                href={categoryAddress(category, { sort: name, page: 1 })}
                aria-current={name === sort ? 'true' : undefined}
              >
                {SORT_WORDS[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}

function categoryAddress(
  category: { slug: string },
  { sort, page }: { sort: CategorySort; page: number },
): string {
  const query = new URLSearchParams({
    ...(sort !== 'popular' && { sort }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size === 0 ? categoryPath(category) : `${categoryPath(category)}?${query}`
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
