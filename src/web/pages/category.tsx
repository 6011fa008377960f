/** A category's page: what to look for in this kind of thing, then every product in it as a card. */
import type { CategoryWithProducts } from '../../catalog/catalog.service.ts'
import { categoryPath, type ProductProfile } from '../../catalog/profile.ts'
import { formatPriceRange } from '../../lib/money.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { countOf } from '../format.ts'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

/** About one row of cards on a wide screen: what is seen at once is not loaded late. */
const FIRST_CARDS = 4

export function renderCategoryPage({ category, products }: CategoryWithProducts, site: Site): string {
  const path = categoryPath(category)
  const span = priceSpan(products)
  return String(
    <Layout
      site={site}
      title={`${category.label} · Souk`}
      description={category.description || `${category.label}: facts, prices and reviews.`}
      path={path}
      alternates={[{ type: 'text/markdown', path: `${path}.md` }]}
    >
      <Breadcrumbs trail={[{ name: 'Categories', href: CATEGORIES_PATH }]} />
      <header class="page-head category-head">
        <h1>{category.label}</h1>
        {category.description !== '' && <p class="lead">{category.description}</p>}
        <ul class="line">
          <li>{countOf(products.length, 'product')}</li>
          {span !== null && <li>{span}</li>}
          <li>
            <a href={`${path}.md`}>Markdown</a>
          </li>
        </ul>
      </header>
      {products.length > 0 ? (
        <ul class="cards">
          {products.map((profile, index) => (
            <ProductCard profile={profile} lazy={index >= FIRST_CARDS} />
          ))}
        </ul>
      ) : (
        <p>
          Nothing here yet. <a href={CATEGORIES_PATH}>See the other categories</a>
        </p>
      )}
    </Layout>,
  )
}

function priceSpan(products: ProductProfile[]): string | null {
  const prices = products.flatMap(({ priceLowCents, priceHighCents }) =>
    [priceLowCents, priceHighCents].filter((cents) => cents !== null),
  )
  return prices.length === 0 ? null : formatPriceRange(Math.min(...prices), Math.max(...prices))
}
