/**
 * How another product comes into the comparison: by words, by its slug, by a link to its page, or from what is like those
 * that are there. A GET form and links, because what is compared is in the address.
 */
import { canonicalSlug } from '../../catalog/profile.ts'
import { MAX_QUERY, type SearchResult } from '../../search/search.schema.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import { Field, Hidden } from '../kit/fields.tsx'
import { comparePath } from './compare.address.ts'

export type Adding = {
  words: string
  /** Where the words are looked for; null for everywhere. */
  within: { slug: string; label: string } | null
  /** Null when nobody asked. */
  found: SearchResult[] | null
  error: string | null
}

type Props = { adding: Adding; slugs: string[]; differencesOnly: boolean; similar: SearchResult[] }

export function AddProduct({ adding, slugs, differencesOnly, similar }: Props) {
  const { words, found, error } = adding
  return (
    <section class="compare-add" id="add" aria-labelledby="add-title">
      <h2 id="add-title">{slugs.length === 0 ? 'Find the first product' : 'Add a product'}</h2>
      <form class="fields" action={COMPARE_PATH}>
        {slugs.map((slug) => (
          <Hidden name="p" value={slug} />
        ))}
        <Hidden name="differences" value={differencesOnly ? '1' : null} />
        <Field
          state={{ values: { add: words }, errors: error === null ? {} : { add: error } }}
          name="add"
          label="Which one?"
          hint="A name, a link to its page, or what it should do"
          autocomplete="off"
          maxlength={MAX_QUERY}
          required
        />
        <p>
          <button class="button" type="submit">
            Find
          </button>
        </p>
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
        {results.length === 0 ? 'Nothing found' : 'Found'} for <strong>“{words}”</strong>
        {where}
      </p>
      <AddLinks results={results} slugs={slugs} differencesOnly={differencesOnly} />
      {within && (
        <p>
          <a href={comparePath(slugs, { differencesOnly, more: { add: words, anywhere: '1' } })}>
            Look in all categories
          </a>
        </p>
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
