/** The front page: what Souk is in two lines, then the way into the catalog. */
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { categoryPath } from '../../catalog/profile.ts'
import { formatPriceRange } from '../../lib/money.ts'
import { countOf, formatCount } from '../format.ts'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

const TITLE = 'One catalog for you and your agent'
const TEXT =
  'Souk puts what is known about a product on one plain page: the verdict, what reviews say, specs and prices. Agents read the same facts as Markdown and JSON-LD.'
const FIRST_CARDS = 12

export function renderHomePage(categories: CategorySummary[], site: Site): string {
  return String(
    <Layout site={site} title={`Souk · ${TITLE}`} description={TEXT} path="/">
      <div class="home">
        <header class="page-head">
          <h1>{TITLE}</h1>
          <p class="lead">{TEXT}</p>
        </header>
        <ForAgents example={categories[0]} />
        <section aria-labelledby="categories">
          <div class="section-head">
            <h2 id="categories">Categories</h2>
            <p class="soft">{catalogSize(categories)}</p>
          </div>
          <ul class="cards tiles">
            {categories.map((category, index) => (
              <CategoryCard category={category} lazy={index >= FIRST_CARDS} />
            ))}
          </ul>
        </section>
      </div>
    </Layout>,
  )
}

function catalogSize(categories: CategorySummary[]): string {
  if (categories.length === 0) return 'The catalog is empty so far.'
  const products = categories.reduce((sum, { productCount }) => sum + productCount, 0)
  const kinds = categories.length === 1 ? '1 category' : `${formatCount(categories.length)} categories`
  return `${countOf(products, 'product')} in ${kinds}`
}

function ForAgents({ example }: { example: CategorySummary | undefined }) {
  return (
    <div class="panel">
      <h2>For agents</h2>
      <p>Every product and category has a plain form. Add to its address:</p>
      <dl>
        <div class="form">
          <dt>
            <code>.md</code>
          </dt>
          <dd>Markdown, for products and categories</dd>
        </div>
        <div class="form">
          <dt>
            <code>.json</code>
          </dt>
          <dd>JSON-LD, for products</dd>
        </div>
      </dl>
      {example && (
        <p>
          Try <a href={`${categoryPath(example)}.md`}>{`${categoryPath(example)}.md`}</a>
        </p>
      )}
    </div>
  )
}

function CategoryCard({ category, lazy }: { category: CategorySummary; lazy: boolean }) {
  const span = formatPriceRange(category.priceLowCents, category.priceHighCents)
  return (
    <li class="card">
      <img
        class="picture drawing"
        src={`/pictures/${category.slug}/plain.svg`}
        alt=""
        width={320}
        height={240}
        loading={lazy ? 'lazy' : 'eager'}
      />
      <div class="card-body">
        <h3 class="card-title">
          <a href={categoryPath(category)}>{category.label}</a>
        </h3>
        <p class="soft">
          {countOf(category.productCount, 'product')}
          {span !== null && (
            <>
              <br />
              {span}
            </>
          )}
        </p>
      </div>
    </li>
  )
}
