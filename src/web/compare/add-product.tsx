/** Adds a product to the comparison: by words, slug or link, or from similar products. The address holds the result. */

import { canonicalSlug } from '../../catalog/profile.ts'
import { MAX_QUERY, type SearchResult } from '../../search/search.schema.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import { Field, Hidden } from '../kit/fields.tsx'
import { LinkLine, Submit } from '../kit/parts.tsx'
import { comparePath } from './compare.address.ts'

export type Adding = {
  words: string
  /** The category to search; null for all. */
  within: { slug: string; label: string } | null
  /** Null if nothing was searched for. */
  found: SearchResult[] | null
  error: string | null
}

type Props = { adding: Adding; slugs: string[]; differencesOnly: boolean; similar: SearchResult[] }

export function AddProduct({ adding, slugs, differencesOnly, similar }: Props) {
  const { words, found, error } = adding
  return (
    <section class="compare-add" id="add" aria-labelledby="add-title">
      <h2 id="add-title">{slugs.length === 0 ? 'Add your first product' : 'Add a product'}</h2>
      <form class="fields" action={COMPARE_PATH}>
        {slugs.map((slug) => (
          <Hidden name="p" value={slug} />
        ))}
        <Hidden name="differences" value={differencesOnly ? '1' : null} />
        <Field
          state={{ values: { add: words }, errors: error === null ? {} : { add: error } }}
          name="add"
          label="Product"
          hint="Name, link or description"
          autocomplete="off"
          maxlength={MAX_QUERY}
          required
        />
        <Submit line>Find product</Submit>
      </form>
      {found && <Found {...{ adding, slugs, differencesOnly }} results={found} />}
      {found === null && similar.length > 0 && (
        <>
          <h3>Similar products</h3>
          <AddLinks results={similar} slugs={slugs} differencesOnly={differencesOnly} />
        </>
      )}
    </section>
  )
}

function Found({
  adding,
  slugs,
  differencesOnly,
  results,
}: Omit<Props, 'similar'> & { results: SearchResult[] }) {
  const { words, within } = adding
  const where = within ? ` in ${within.label}` : ''
  return (
    <>
      <p role="status">
        {results.length === 0 ? 'No results' : 'Results'} for <strong>“{words}”</strong>
        {where}
      </p>
      <AddLinks results={results} slugs={slugs} differencesOnly={differencesOnly} />
      {within && (
        <LinkLine to={comparePath(slugs, { differencesOnly, more: { add: words, anywhere: '1' } })}>
          Search all categories
        </LinkLine>
      )}
    </>
  )
}

function AddLinks({
  results,
  slugs,
  differencesOnly,
}: Omit<Props, 'adding' | 'similar'> & { results: SearchResult[] }) {
  if (results.length === 0) return null
  return (
    <ul class="compare-links">
      {results.map(({ category, slug, title, price_range }) => (
        <li>
          <a href={comparePath([...slugs, canonicalSlug({ category, slug })], { differencesOnly })}>
            Add {title}
          </a>
          <span class="row-note">{price_range ?? 'See sellers'}</span>
        </li>
      ))}
    </ul>
  )
}
