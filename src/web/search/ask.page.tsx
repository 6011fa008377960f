/** The pages of a search that has no results to show: nothing was asked yet, it was too long, or cannot be answered. */
import type { Child } from 'hono/jsx'
import { categoryPath } from '../../catalog/profile.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { ExampleChips, hasExamples } from '../components/examples.tsx'
import { SEARCH_PATH, SearchBox } from '../components/search-box.tsx'
import { formatCount } from '../format.ts'
import { ErrorSummary, Field } from '../kit/fields.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { addressOf, type SearchAddress } from './address.ts'

type Category = { slug: string; label: string }

const TEXT = 'Say it as you would to a friend: what it is for, what it may cost, what it must not have.'
export const TOO_LONG = `Say it in at most ${formatCount(MAX_QUERY)} characters.`

type FrameProps = { site: Site; title: string; search: string | null; children?: Child }

function Frame({ site, title, search, children }: FrameProps) {
  return (
    <Layout site={site} title={`${title} · Souk`} description={TEXT} path={null} search={search}>
      {children}
    </Layout>
  )
}

export function renderAskPage(site: Site, categories: Category[]): string {
  return String(
    <Frame site={site} title="Search" search={null}>
      <header class="hero">
        <h1>What do you need?</h1>
        <p class="lead">{TEXT}</p>
        <SearchBox value="" large />
      </header>
      <div class="ask">
        {hasExamples(site) && (
          <section aria-labelledby="examples">
            <h2 id="examples">For example</h2>
            <ExampleChips />
          </section>
        )}
        {categories.length > 0 && (
          <section aria-labelledby="categories">
            <h2 id="categories">{hasExamples(site) ? 'Or look' : 'Look'} through a category</h2>
            <ul class="chips">
              {categories.map((category) => (
                <li>
                  <a class="chip" href={categoryPath(category)}>
                    {category.label}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Frame>,
  )
}

export function renderTooLongPage(site: Site, q: string): string {
  const errors = { q: TOO_LONG }
  return String(
    <Frame site={site} title="That is too long" search={null}>
      <div class="narrow">
        <header class="account-head">
          <h1>That is too long to search for</h1>
          <p class="soft">
            You wrote {formatCount(q.length)} characters. The words that matter most are enough.
          </p>
        </header>
        <ErrorSummary errors={errors} />
        <form class="fields" action={SEARCH_PATH}>
          <Field
            state={{ values: { q }, errors }}
            name="q"
            label="What do you need?"
            autocomplete="off"
            required
          />
          <p>
            <button class="button" type="submit">
              Search
            </button>
          </p>
        </form>
      </div>
    </Frame>,
  )
}

type UnknownCategory = { site: Site; address: SearchAddress; near: Category[] }

export function renderUnknownCategoryPage({ site, address, near }: UnknownCategory): string {
  return String(
    <Frame site={site} title="No such category" search={address.q}>
      <header class="page-head">
        <h1>There is no category “{address.category}”</h1>
        <p class="lead">
          <a href={addressOf(address, { category: null })}>Search all categories for: {address.q}</a>
        </p>
      </header>
      {near.length > 0 && (
        <section class="ask" aria-labelledby="near">
          <h2 id="near">Or in one of these</h2>
          <ul class="chips">
            {near.map(({ slug, label }) => (
              <li>
                <a class="chip" href={addressOf(address, { category: slug })}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Frame>,
  )
}

export function renderLoadingPage(site: Site, address: SearchAddress): string {
  return String(
    <LaterPage site={site} address={address} title="Search is starting" heading="Search is still starting">
      The catalog is being read. This takes a few seconds after a start.
    </LaterPage>,
  )
}

/** `text` says how many and when again. */
export function renderTooManyPage({
  site,
  address,
  text,
}: {
  site: Site
  address: SearchAddress
  text: string
}): string {
  return String(
    <LaterPage site={site} address={address} title="Too many searches" heading="Too many searches for now">
      {text}
    </LaterPage>,
  )
}

type LaterProps = { site: Site; address: SearchAddress; title: string; heading: string; children?: Child }

/** The same search can be asked again in a moment. */
function LaterPage({ site, address, title, heading, children }: LaterProps) {
  return (
    <Frame site={site} title={title} search={address.q}>
      <header class="page-head message">
        <h1>{heading}</h1>
        <p class="lead">{children}</p>
        <ul class="line">
          <li>
            <a class="button" href={addressOf(address, { page: address.page })}>
              Try again
            </a>
          </li>
          <li>
            <a href={CATEGORIES_PATH}>Browse the categories meanwhile</a>
          </li>
        </ul>
      </header>
    </Frame>
  )
}
