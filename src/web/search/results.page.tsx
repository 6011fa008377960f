/**
 * The results page: what was understood, the bundle plan if there is one, filters and cards. A plan still being made is
 * streamed after the results and shown above them by a declarative shadow root's slots, which keyboards and screen
 * readers follow too. A browser without shadow roots shows the plan below.
 */

import { categoryPath } from '../../catalog/profile.ts'
import { shorten } from '../../lib/text.ts'
import { shipsToLines } from '../../search/results-text.ts'
import { Chips } from '../components/chips.tsx'
import { CompareForm } from '../components/compare-bar.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { capital } from '../format.ts'
import { ErrorSummary, type FormState } from '../kit/fields.tsx'
import { Paging } from '../kit/paging.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { Hole } from '../stream-page.tsx'
import { addressOf, type SearchAddress } from './address.ts'
import { addressWithout, type Chosen, ChosenChips, chosenFilters, Demands, Unread } from './chips.tsx'
import { FiltersSection, ListHead, Live } from './filters.section.tsx'
import type { Results } from './find-results.ts'
import { PlanBox, Planning } from './plan.box.tsx'
import type { PlanStanding } from './plan.ts'

type ResultsPage = {
  site: Site
  address: SearchAddress
  typed: FormState
  results: Results
  plan: PlanStanding | { kind: 'planning' }
}

const FIRST_CARDS = 6
const TITLE_LENGTH = 120

export function renderResultsPage(props: ResultsPage): string {
  const { site, address, typed, results, plan } = props
  const { q, page } = address
  const words = shorten(q, TITLE_LENGTH)
  const chosen = chosenFilters(address, results.categoryLabel, results.shelf)
  const isPlanning = plan.kind === 'planning'
  return String(
    <Layout
      site={site}
      title={page > 1 ? `${words} · page ${page} · Souk` : `${words} · Souk`}
      description={`Search results for ${words}`}
      path={null}
      search={q}
    >
      <header class="search-head" id="search-head">
        <h1>{words}</h1>
        <Demands address={address} results={results} />
        {results.explain.mode === 'keyword' && <WordsAlone />}
      </header>
      <ErrorSummary errors={typed.errors} />
      <div class="answer">
        {isPlanning && <Places />}
        {isPlanning ? <Planning /> : <PlanBox standing={plan} address={address} />}
        <Live>
          <FiltersSection
            address={address}
            typed={typed}
            shelf={results.shelf}
            categories={address.category === null ? nearCategories(results) : []}
            only={onlyCategory(address, results)}
            chosen={chosen.length}
            total={results.total}
          />
          <Found address={address} results={results} chosen={chosen} />
        </Live>
        {isPlanning && <Hole />}
      </div>
    </Layout>,
  )
}

/** Categories on this page come first: they fit the query best. */
function nearCategories({ facets, products }: Results): Results['facets']['category'] {
  const seen = (slug: string) => products.filter(({ profile }) => profile.category.slug === slug).length
  return facets.category.toSorted((a, b) => seen(b.slug) - seen(a.slug))
}

/** A spec is one of a category: to filter by it is to choose the category, too. */
function onlyCategory({ category }: SearchAddress, { facets }: Results): string | null {
  return category ?? (facets.category.length === 1 ? (facets.category[0]?.slug ?? null) : null)
}

/** The piece that is streamed into the page when the plan is ready. */
export function renderPlanPart(standing: PlanStanding, address: SearchAddress): string {
  return String(
    <div class="plan-part" slot="plan">
      <PlanBox standing={standing} address={address} />
    </div>,
  )
}

function Places() {
  return (
    <template shadowrootmode="open">
      <slot name="plan" />
      <slot />
    </template>
  )
}

function WordsAlone() {
  return (
    <p class="aside" role="status">
      Showing keyword matches only, because semantic search is unavailable right now. Try other words to find
      more.
    </p>
  )
}

type FoundProps = { address: SearchAddress; results: Results; chosen: Chosen[] }

function Found({ address, results, chosen }: FoundProps) {
  const { products, total, pages, queryId, shipsTo } = results
  if (total === 0) return <Nothing address={address} results={results} chosen={chosen} />
  return (
    <section aria-labelledby="results">
      <ListHead address={address} sort={results.sort} total={total} pages={pages} />
      <ChosenChips chosen={chosen} address={address} />
      <Unread shelf={results.shelf} />
      {shipsToLines(shipsTo).map((line) => (
        <p class="soft">{line}</p>
      ))}
      <CompareForm>
        <ul class="cards">
          {products.map(({ profile, reason, variant }, index) => (
            <ProductCard
              profile={profile}
              reason={reason}
              variant={variant}
              queryId={queryId}
              lazy={index >= FIRST_CARDS}
              heading="h3"
              comparable
            />
          ))}
        </ul>
      </CompareForm>
      <Paging page={address.page} pages={pages} href={(page) => addressOf(address, { page })} />
    </section>
  )
}

function NoProducts() {
  return (
    <section class="nothing" aria-labelledby="results">
      <h2 id="results">The catalog is empty</h2>
      <p>There are no products to search yet. Check back later.</p>
    </section>
  )
}

/** No results: offers what to leave out, and the closest products. */
function Nothing({ address, results, chosen }: FoundProps) {
  if (results.noProducts) return <NoProducts />
  const { note, nearest, obeyed, shipsTo } = results
  const ways = [
    ...chosen.map(({ name, href }) => ({ name, what: 'filter ', href })),
    ...obeyed.map(({ id, label }) => ({ name: capital(label), what: '', href: addressWithout(address, id) })),
  ]
  return (
    <section class="nothing" aria-labelledby="results">
      <h2 id="results">No results</h2>
      <Unread shelf={results.shelf} />
      {note !== null && <p role="status">{note}</p>}
      {shipsToLines(shipsTo, 0).map((line) => (
        <p>{line}</p>
      ))}
      {ways.length > 0 && (
        <>
          <p>Try removing:</p>
          <ul class="plain-list">
            {ways.map(({ name, what, href }) => (
              <li>
                <a href={href}>
                  <span class="hidden">Remove {what}</span>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {nearest.length > 0 && <Closest results={results} />}
      <NearCategories nearest={nearest} />
    </section>
  )
}

function Closest({ results: { nearest, queryId } }: Pick<FoundProps, 'results'>) {
  return (
    <>
      <h2 id="closest">Closest products</h2>
      <ul class="cards" aria-labelledby="closest">
        {nearest.map(({ profile, reason }) => (
          <ProductCard
            profile={profile}
            reason={reason}
            queryId={queryId}
            lazy={false}
            heading="h3"
            mark="Not a match"
          />
        ))}
      </ul>
    </>
  )
}

function NearCategories({ nearest }: Pick<Results, 'nearest'>) {
  const near = new Map(nearest.map(({ profile: { category } }) => [category.slug, category.label]))
  return (
    <nav aria-labelledby="near-categories">
      <p id="near-categories">Or browse:</p>
      <Chips
        chips={[
          ...[...near].map(([slug, label]) => ({ href: categoryPath({ slug }), words: label })),
          { href: CATEGORIES_PATH, words: 'All categories' },
        ]}
      />
    </nav>
  )
}
