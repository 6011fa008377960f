/** The home page: a search box, proof of what it finds, deals, the categories by group, and what else people can do. */
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { categoryPath, categoryPicturePath, productPath } from '../../catalog/profile.ts'
import { formatPriceRange, formatUsd } from '../../lib/money.ts'
import { Copyable } from '../components/copyable.tsx'
import { ExampleChips, hasExamples } from '../components/examples.tsx'
import { Picture } from '../components/picture.tsx'
import { PriceTag } from '../components/price.tsx'
import { ProductCard, Rating } from '../components/product-card.tsx'
import { SearchBox, searchPath } from '../components/search-box.tsx'
import { countOf, formatCount } from '../format.ts'
import { Layout } from '../layout.tsx'
import { DaySection, type ShownDay } from '../plans/day.section.tsx'
import type { Site } from '../site.ts'
import type { Front } from './front.ts'

const TITLE = 'One catalog for you and your agent'
const TEXT =
  'Describe what you need. Souk finds products that fit, explains why, and gets you quotes from every seller. Your agent can do the same.'
const FIRST_CARDS = 8
/** More of a group are listed by name. */
const TILES_A_GROUP = 8

type HomeCategory = CategorySummary & { reviews: number }

type HomePage = {
  categories: HomeCategory[]
  site: Site
  /** Null while there is no plan of the day. */
  day: ShownDay | null
  front: Front
}

export function renderHomePage({ categories, site, day, front }: HomePage): string {
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
          <div class="hero-more">
            <Copyable id="mcp-address" label="Give your agent this MCP address:" text={front.mcpUrl} />
            <p>
              <a href="/connect">What agents can do here</a> · <a href="/dashboard">Sell here</a> ·{' '}
              <a href="/docs">Run your own</a>
            </p>
          </div>
        </header>
        {(front.wish || front.quotes) && (
          <div class="proof">
            <WishSection wish={front.wish} />
            <QuotesSection quotes={front.quotes} />
          </div>
        )}
        {day && <DaySection {...day} about />}
        {front.deals.length > 0 && (
          <section aria-labelledby="deals">
            <div class="section-head">
              <h2 id="deals">Deals of today</h2>
              <p class="soft">Live offers from sellers, the largest cuts first</p>
            </div>
            <ul class="cards tiles">
              {front.deals.map((profile) => (
                <ProductCard profile={profile} lazy heading="h3" />
              ))}
            </ul>
          </section>
        )}
        <section aria-labelledby="categories">
          <div class="section-head">
            <h2 id="categories">Categories</h2>
            <p class="soft">{catalogSize(categories)}</p>
          </div>
          {groupsOf(categories).map(({ name, categories: inside }) => (
            <CategoryGroup name={name} categories={inside} />
          ))}
        </section>
        <Ways example={categories[0]} />
      </div>
    </Layout>,
  )
}

function WishSection({ wish }: Pick<Front, 'wish'>) {
  if (wish === null) return null
  return (
    <section aria-labelledby="wish">
      <h2 id="wish">Ask in your own words</h2>
      <p class="wish-words">
        <a href={searchPath(wish.text)}>“{wish.text}”</a>
      </p>
      <ol class="wish-found">
        {wish.found.map(({ profile, reason }) => (
          <li>
            <Picture profile={profile} lazy decorative />
            <div>
              <h3>
                <a href={productPath(profile)}>{profile.title}</a>
              </h3>
              {reason !== '' && (
                <p class="reason">
                  <span class="hidden">Why: </span>
                  {reason}
                </p>
              )}
              <p class="card-facts">
                <PriceTag {...profile} />
                <Rating {...profile} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Demo sellers answer at once, so the page can show what a request brings. */
function QuotesSection({ quotes }: Pick<Front, 'quotes'>) {
  if (quotes === null) return null
  const { profile, ranked } = quotes
  return (
    <section aria-labelledby="quotes">
      <h2 id="quotes">Every seller answers at once</h2>
      <p>
        One request for the <a href={`${productPath(profile)}#quotes`}>{profile.title}</a> brings these
        quotes, ranked and signed:
      </p>
      <ol class="front-quotes">
        {ranked.slice(0, QUOTES_SHOWN).map(({ org, answer, totalCents, rankReasons: [why] }) => (
          <li>
            <span class="price">{formatUsd(totalCents)}</span>
            <span>
              <strong>{org.name}</strong>
              {answer.estimatedShippingDays !== null &&
                `, delivers in ${countOf(answer.estimatedShippingDays, 'day')}`}
              {why !== undefined && <span class="soft"> · {why}</span>}
            </span>
          </li>
        ))}
      </ol>
      <p class="soft">Sellers and prices of the demo. Shipping is included where it is stated.</p>
    </section>
  )
}

const QUOTES_SHOWN = 3

type Group = { name: string | null; categories: HomeCategory[] }

/** By the outermost name of their path, the most reviewed first; those without one come last. */
function groupsOf(categories: HomeCategory[]): Group[] {
  const reviewsOf = (group: HomeCategory[]) => group.reduce((sum, { reviews }) => sum + reviews, 0)
  const byName = Map.groupBy(categories, ({ path: [name] }) => name ?? null)
  const groups = [...byName].map(([name, inside]) => ({
    name: byName.size === 1 && name === null ? null : (name ?? 'More categories'),
    isRest: name === null,
    categories: inside.toSorted((a, b) => b.reviews - a.reviews),
  }))
  return groups.sort(
    (a, b) => Number(a.isRest) - Number(b.isRest) || reviewsOf(b.categories) - reviewsOf(a.categories),
  )
}

function CategoryGroup({ name, categories }: Group) {
  const more = categories.slice(TILES_A_GROUP)
  return (
    <div class="category-group">
      {name !== null && <h3>{name}</h3>}
      <ul class="category-tiles">
        {categories.slice(0, TILES_A_GROUP).map((category, index) => (
          <CategoryCard
            category={category}
            lazy={index >= FIRST_CARDS}
            heading={name === null ? 'h3' : 'h4'}
          />
        ))}
      </ul>
      {more.length > 0 && (
        <details>
          <summary>
            {more.length === 1 ? '1 more category' : `${formatCount(more.length)} more categories`}
          </summary>
          <ul class="line">
            {more.map((category) => (
              <li>
                <a href={categoryPath(category)}>{category.label}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
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

function CategoryCard({
  category,
  lazy,
  heading: Heading,
}: {
  category: CategorySummary
  lazy: boolean
  heading: 'h3' | 'h4'
}) {
  const span = formatPriceRange(category.priceLowCents, category.priceHighCents)
  return (
    <li>
      <img
        class="picture drawing"
        src={categoryPicturePath(category)}
        alt=""
        width={96}
        height={72}
        loading={lazy ? 'lazy' : 'eager'}
      />
      <div>
        <Heading>
          <a href={categoryPath(category)}>{category.label}</a>
        </Heading>
        <p class="soft">
          {countOf(category.productCount, 'product')}
          {span !== null && `, ${span}`}
        </p>
      </div>
    </li>
  )
}
