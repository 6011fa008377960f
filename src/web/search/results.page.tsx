/**
 * The page of results: what was understood, the plan of a set where there is one, the filters, the cards. A plan that is
 * still being made is written behind the results when it comes, and shown above them: the template gives the parts their
 * places, which readers, keyboards and screen readers all follow. A browser that does not know it shows the plan below.
 */
import { shorten } from '../../lib/text.ts'
import type { Explanation } from '../../search/search.schema.ts'
import { CompareForm } from '../components/compare-bar.tsx'
import { Paging } from '../components/paging.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { countOf } from '../format.ts'
import { ErrorSummary, type FormState } from '../forms/fields.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { Hole } from '../stream-page.tsx'
import { addressOf, type SearchAddress } from './address.ts'
import { type Chosen, ChosenChips, chosenFilters } from './chosen.tsx'
import { FiltersSection } from './filters.section.tsx'
import type { Results } from './find-results.ts'
import { PlanBox, Planning } from './plan.box.tsx'
import type { PlanStanding } from './plan.ts'

export type ResultsPage = {
  site: Site
  address: SearchAddress
  prices: FormState
  results: Results
  plan: PlanStanding | { kind: 'planning' }
}

const FIRST_CARDS = 6
const TITLE_LENGTH = 120

export function renderResultsPage(props: ResultsPage): string {
  const { site, address, prices, results, plan } = props
  const { q, page } = address
  const words = shorten(q, TITLE_LENGTH)
  const chosen = chosenFilters(address, results.categoryLabel)
  const isPlanning = plan.kind === 'planning'
  return String(
    <Layout
      site={site}
      title={page > 1 ? `${words} · page ${page} · Souk` : `${words} · Souk`}
      description={`What Souk finds for: ${words}`}
      path={null}
      search={q}
    >
      <header class="search-head">
        <h1>{words}</h1>
        <Understood explain={results.explain} />
        <ChosenChips chosen={chosen} address={address} />
      </header>
      <ErrorSummary errors={prices.errors} />
      <div class="answer">
        {isPlanning && <Places />}
        {isPlanning ? <Planning /> : <PlanBox standing={plan} address={address} />}
        <div class="found">
          <FiltersSection
            address={address}
            prices={prices}
            facets={results.facets}
            shown={results.products.map(({ profile }) => profile.category.slug)}
          />
          <Found address={address} results={results} chosen={chosen} />
        </div>
        {isPlanning && <Hole />}
      </div>
    </Layout>,
  )
}

/** What is written into the page when the plan is there. */
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

/** In the words of the query, with what they were taken for where that does not go without saying. */
function Understood({ explain: { understood, mode } }: { explain: Explanation }) {
  return (
    <>
      {understood.length > 0 && (
        <p class="understood">
          <span class="soft">Understood: </span>
          {understood.map(({ phrase, meaning }, at) => (
            <>
              {at > 0 && ' · '}
              {phrase}
              {!saysItself(phrase, meaning) && <span class="soft"> ({meaning})</span>}
            </>
          ))}
        </p>
      )}
      {mode === 'keyword' && (
        <p class="aside" role="status">
          These were found by words alone, because meaning cannot be compared just now. Other words may find
          more.
        </p>
      )}
    </>
  )
}

function saysItself(phrase: string, meaning: string): boolean {
  if (/^(?:without|avoid): |^for /.test(meaning)) return true
  if (/^(?:at (?:most|least)|about) |^\$/.test(meaning)) return phrase.includes('$') || !meaning.includes('$')
  return phrase.toLowerCase() === meaning.toLowerCase()
}

type FoundProps = { address: SearchAddress; results: Results; chosen: Chosen[] }

function Found({ address, results, chosen }: FoundProps) {
  const { products, total, pages, queryId } = results
  if (total === 0) return <Nothing address={address} results={results} chosen={chosen} />
  return (
    <section aria-labelledby="results">
      <h2 id="results">
        {countOf(total, 'product')}
        {pages > 1 && (
          <span class="soft">
            {' '}
            · page {address.page} of {pages}
          </span>
        )}
      </h2>
      <Obeyed address={address} obeyed={results.obeyed} />
      <CompareForm>
        <ul class="cards">
          {products.map(({ profile, reason }, index) => (
            <ProductCard
              profile={profile}
              reason={reason}
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

/** What the words demand and the list obeys; each can be taken back. */
function Obeyed({ address, obeyed }: { address: SearchAddress; obeyed: Results['obeyed'] }) {
  if (obeyed.length === 0) return null
  return (
    <ul class="chips" aria-label="Obeyed">
      {obeyed.map(({ id, label }) => (
        <li>
          <a
            href={addressOf(address, { ignore: [...address.ignore, id] })}
            title={`Search without "${label}"`}
          >
            {label} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

function NoProducts() {
  return (
    <section class="nothing" aria-labelledby="results">
      <h2 id="results">The catalog is empty so far</h2>
      <p>There is nothing to find yet, whatever the words. Come back when products have been added.</p>
    </section>
  )
}

function Nothing({ address, results, chosen }: FoundProps) {
  if (results.noProducts) return <NoProducts />
  const { budget, understood } = results.explain
  const money =
    budget && understood.find(({ meaning }) => /^(?:at (?:most|least) |about )?.*\$/.test(meaning))
  const freer = money ? address.q.replace(money.phrase, ' ').replace(/\s+/g, ' ').trim() : ''
  return (
    <section class="nothing" aria-labelledby="results">
      <h2 id="results">Nothing fits all of this</h2>
      {chosen.length > 0 && (
        <>
          <p>
            {chosen.length === 1 ? 'One filter is in use.' : 'Each filter leaves out products.'} Try without:
          </p>
          <ul class="plain-list">
            {chosen.map(({ name, href }) => (
              <li>
                <a href={href}>
                  <span class="hidden">Search without the filter </span>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {money && freer !== '' && (
        <p>
          Your words set a limit: {money.meaning}.{' '}
          <a href={addressOf(address, { q: freer, bundle: false })}>Search without it: {freer}</a>
        </p>
      )}
      <p>
        Or look through <a href={CATEGORIES_PATH}>the categories</a>.
      </p>
    </section>
  )
}
