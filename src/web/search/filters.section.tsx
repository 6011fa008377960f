/**
 * Sort and filters. Counted values are links that keep the rest of the address; the other filters are one form. All of
 * it is in a `<details>` that the stylesheet shows open on wide screens.
 */
import { formatUsd } from '../../lib/money.ts'
import { MAX_REGION } from '../../lib/regions.ts'
import { type Facets, SORTS, type Sort } from '../../search/search.schema.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { formatCount } from '../format.ts'
import { Field, type FormState, Hidden } from '../kit/fields.tsx'
import { Fields, type FormSpec } from '../kit/form.tsx'
import { addressOf, type SearchAddress, SORT_WORDS } from './address.ts'

const SHIPS_TO: FormSpec = {
  ships_to: { kind: 'region', label: 'Ships to', hint: 'A state or country.', max: MAX_REGION },
}

/** Values shown before "more". */
const FIRST = 8

type FiltersProps = {
  address: SearchAddress
  typed: FormState
  /** Chosen, or implied by the query. */
  sort: Sort
  facets: Facets
  /** Category slugs of the products on this page. */
  shown: string[]
}

export function FiltersSection({ address, typed, sort, facets, shown }: FiltersProps) {
  const to = (change: Partial<SearchAddress>) => addressOf(address, change)
  const seen = (slug: string) => shown.filter((other) => other === slug).length
  // Categories on this page come first: they fit the query best.
  const near = facets.category.toSorted((a, b) => seen(b.slug) - seen(a.slug))
  const categories = near.map(({ slug, label, count }) => ({
    name: label,
    count,
    href: to({ category: slug }),
  }))
  const brands = facets.brand.map(({ name, count }) => ({ name, count, href: to({ brand: name }) }))
  const steps = facets.price.map(({ min, max, count }) => ({
    name: stepWords(min, max),
    count,
    href: to({ minCents: min === 0 ? null : min * 100, maxCents: max === null ? null : max * 100 }),
  }))
  const isPriced = address.minCents !== null || address.maxCents !== null
  return (
    <section class="filters" aria-labelledby="filters">
      <h2 class="hidden" id="filters">
        Filters
      </h2>
      <details open={Object.keys(typed.errors).length > 0}>
        <summary>Sort and filter</summary>
        <FilterForm address={address} typed={typed} sort={sort} />
        {address.category === null && <Facet title="Category" values={categories} />}
        {address.brand === null && <Facet title="Brand" values={brands} />}
        {!isPriced && <Facet title="Price range" values={steps} />}
      </details>
    </section>
  )
}

function FilterForm({ address, typed, sort }: Pick<FiltersProps, 'address' | 'typed' | 'sort'>) {
  const { q, category, brand, onSale, available, ignore, bundle } = address
  return (
    <form class="fields" action={SEARCH_PATH}>
      <Hidden name="q" value={q} />
      <Hidden name="category" value={category} />
      <Hidden name="brand" value={brand} />
      {ignore.map((id) => (
        <Hidden name="ignore" value={id} />
      ))}
      <Hidden name="bundle" value={bundle ? '1' : null} />
      <div class="field">
        <label for="field-sort">Sort by</label>
        <select id="field-sort" name="sort">
          {SORTS.map((value) => (
            <option value={value} selected={value === sort}>
              {SORT_WORDS[value]}
            </option>
          ))}
        </select>
      </div>
      <div class="from-to">
        <Field state={typed} name="min_price" label="Min price" autocomplete="off" />
        <Field state={typed} name="max_price" label="Max price" autocomplete="off" />
      </div>
      <label class="tick">
        <input type="checkbox" name="on_sale" value="1" checked={onSale} />
        On sale
      </label>
      <label class="tick">
        <input type="checkbox" name="available" value="1" checked={available} />
        Available from a shop or seller
      </label>
      <Fields of={SHIPS_TO} state={typed} />
      <p>
        <button class="button plain" type="submit">
          Apply
        </button>
      </p>
    </form>
  )
}

type FacetValue = { name: string; count: number; href: string }

/** Hidden when there is only one value, because it narrows nothing. */
function Facet({ title, values }: { title: string; values: FacetValue[] }) {
  if (values.length < 2) return null
  const rest = values.slice(FIRST)
  return (
    <div class="facet">
      <h3>{title}</h3>
      <FacetList values={values.slice(0, FIRST)} />
      {rest.length > 0 && (
        <details>
          <summary>
            {formatCount(rest.length)} more<span class="hidden"> under {title}</span>
          </summary>
          <FacetList values={rest} />
        </details>
      )}
    </div>
  )
}

function FacetList({ values }: { values: FacetValue[] }) {
  return (
    <ul>
      {values.map(({ name, count, href }) => (
        <li>
          <a href={href} rel="nofollow">
            {name}{' '}
            <span class="soft">
              {formatCount(count)}
              <span class="hidden"> results</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}

function stepWords(min: number, max: number | null): string {
  if (max === null) return `${formatUsd(min * 100)} and up`
  return min === 0 ? `Up to ${formatUsd(max * 100)}` : `${formatUsd(min * 100)} to ${formatUsd(max * 100)}`
}
