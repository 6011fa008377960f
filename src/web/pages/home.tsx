/** The home page: a search box, the categories, and what else people can do here. */
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { categoryPath } from '../../catalog/profile.ts'
import { formatPriceRange } from '../../lib/money.ts'
import { ExampleChips, hasExamples } from '../components/examples.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { countOf, formatCount } from '../format.ts'
import { Layout } from '../layout.tsx'
import { DaySection, type ShownDay } from '../plans/day.section.tsx'
import type { Site } from '../site.ts'

const TITLE = 'One catalog for you and your agent'
const TEXT =
  'Describe what you need. Souk finds products that fit, explains why, and gets you quotes from every seller. Your agent can do the same.'
const FIRST_CARDS = 10

type HomePage = {
  categories: CategorySummary[]
  site: Site
  /** Null while there is no plan of the day. */
  day: ShownDay | null
}

export function renderHomePage({ categories, site, day }: HomePage): string {
  return String(
    <Layout site={site} title={`Souk · ${TITLE}`} description={TEXT} path="/">
      <div class="home">
        <header class="hero">
          <h1>{TITLE}</h1>
          <p class="lead">{TEXT}</p>
          <SearchBox value="" large />
          {hasExamples(site) && (
            <>
              <p class="hidden" id="examples">
                Try searching for
              </p>
              <ExampleChips />
            </>
          )}
        </header>
        {day && <DaySection {...day} about />}
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
        <Ways example={categories[0]} />
      </div>
    </Layout>,
  )
}

function catalogSize(categories: CategorySummary[]): string {
  if (categories.length === 0) return 'No products yet'
  const products = categories.reduce((sum, { productCount }) => sum + productCount, 0)
  const kinds = categories.length === 1 ? '1 category' : `${formatCount(categories.length)} categories`
  return `${countOf(products, 'product')} in ${kinds}`
}

function Ways({ example }: { example: CategorySummary | undefined }) {
  return (
    <section aria-labelledby="ways">
      <div class="section-head">
        <h2 id="ways">What you can do with Souk</h2>
      </div>
      <ul class="ways-in">
        <li>
          <h3>
            <a href="/connect">Connect your agent</a>
          </h3>
          <p>Let Claude, ChatGPT, Cursor or another agent search, compare and request quotes for you.</p>
        </li>
        <li>
          <h3>
            <a href="/sets">Plan a bundle</a>
          </h3>
          <p>A desk, a chair and a monitor on one budget, chosen to work together.</p>
        </li>
        <li>
          <h3>
            <a href="/verify-quote">Verify a quote</a>
          </h3>
          <p>Every quote is signed. Paste a quote to check that it’s genuine.</p>
        </li>
        <li>
          <h3>
            <a href="/docs">Build with Souk</a>
          </h3>
          <p>
            Every page is also machine-readable:{' '}
            {example ? (
              <a href={`${categoryPath(example)}.md`}>{`${categoryPath(example)}.md`}</a>
            ) : (
              'Markdown'
            )}
            , JSON-LD, REST, MCP and A2A.
          </p>
        </li>
      </ul>
    </section>
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
