/** Search pages without results: no query yet, a query that is too long, or a search that cannot run. */

import type { Child } from 'hono/jsx'
import { categoryPath } from '../../catalog/profile.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { Chips } from '../components/chips.tsx'
import { ExampleChips, hasExamples } from '../components/examples.tsx'
import { SEARCH_PATH, SearchBox } from '../components/search-box.tsx'
import { formatCount } from '../format.ts'
import { ErrorSummary, Field } from '../kit/fields.tsx'
import { LinkButton, Submit } from '../kit/parts.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { addressOf, type SearchAddress } from './address.ts'

type Category = { slug: string; label: string }

const TEXT = 'Describe it in your own words: what it’s for, your budget, and anything you want to avoid.'
export const TOO_LONG = `Use at most ${formatCount(MAX_QUERY)} characters.`

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
        <h1>What are you looking for?</h1>
        <p class="lead">{TEXT}</p>
        <SearchBox value="" large />
      </header>
      <div class="ask">
        {hasExamples(site) && (
          <section aria-labelledby="examples">
            <h2 id="examples">Try searching for</h2>
            <ExampleChips />
          </section>
        )}
        {categories.length > 0 && (
          <section aria-labelledby="categories">
            <h2 id="categories">Browse categories</h2>
            <Chips
              chips={categories.map((category) => ({ href: categoryPath(category), words: category.label }))}
            />
          </section>
        )}
      </div>
    </Frame>,
  )
}

export function renderTooLongPage(site: Site, q: string): string {
  const errors = { q: TOO_LONG }
  return String(
    <Frame site={site} title="Search too long" search={null}>
      <div class="narrow">
        <header class="account-head">
          <h1>Your search is too long</h1>
          <p class="soft">It has {formatCount(q.length)} characters. Try only the most important words.</p>
        </header>
        <ErrorSummary errors={errors} />
        <form class="fields" action={SEARCH_PATH}>
          <Field
            state={{ values: { q }, errors }}
            name="q"
            label="What are you looking for?"
            autocomplete="off"
            required
          />
          <Submit line>Search</Submit>
        </form>
      </div>
    </Frame>,
  )
}

type UnknownCategory = { site: Site; address: SearchAddress; near: Category[] }

export function renderUnknownCategoryPage({ site, address, near }: UnknownCategory): string {
  return String(
    <Frame site={site} title="Category not found" search={address.q}>
      <header class="page-head">
        <h1>Category “{address.category}” not found</h1>
        <p class="lead">
          <a href={addressOf(address, { category: null })}>Search all categories for “{address.q}”</a>
        </p>
      </header>
      {near.length > 0 && (
        <section class="ask" aria-labelledby="near">
          <h2 id="near">Similar categories</h2>
          <Chips
            chips={near.map(({ slug, label }) => ({
              href: addressOf(address, { category: slug }),
              words: label,
            }))}
          />
        </section>
      )}
    </Frame>,
  )
}

/** For a search that cannot run now: the same search again, or the categories. */
export function renderLaterPage(page: {
  site: Site
  address: SearchAddress
  title: string
  text: string
}): string {
  const { site, address, title, text } = page
  return String(
    <Frame site={site} title={title} search={address.q}>
      <header class="page-head message">
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <ul class="line">
          <li>
            <LinkButton to={addressOf(address, { page: address.page })} primary label="Try again" />
          </li>
          <li>
            <a href={CATEGORIES_PATH}>Browse categories</a>
          </li>
        </ul>
      </header>
    </Frame>,
  )
}
