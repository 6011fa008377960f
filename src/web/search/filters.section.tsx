/**
 * Filters of a list of products. Counted values are links that keep the rest of the address: choosing one more is a
 * click, with or without scripts. Prices, places and sellers are one form. On a narrow screen all of it is a sheet: a
 * `<details>` that covers the screen while it is open. With the script, the list follows every change at once.
 */

import type { Child } from 'hono/jsx'
import { formatUsd } from '../../lib/money.ts'
import { MAX_REGION } from '../../lib/regions.ts'
import { type Facets, SORTS, type Sort } from '../../search/search.schema.ts'
import type { PriceBars, Shelf, ShelfSpec } from '../../search/shelf.ts'
import { countOf, formatCount } from '../format.ts'
import { Field, type FormState, Hidden } from '../kit/fields.tsx'
import { Fields, type FormSpec } from '../kit/form.tsx'
import { Submit } from '../kit/parts.tsx'
import { addressOf, pathOf, queryOf, type SearchAddress, sortWords, toggled } from './address.ts'
import { ratingWords } from './chips.tsx'

const SHIPS_TO: FormSpec = {
  ships_to: { kind: 'region', label: 'Delivers to', hint: 'A state or country.', max: MAX_REGION },
}

const FORM = 'filter-form'
/** What the form has fields for; the rest of the address goes with it unseen. */
const FIELDS = new Set([
  'min_price',
  'max_price',
  'on_sale',
  'available',
  'quoted',
  'ships_to',
  'sort',
  'page',
])
/** Values shown before "more". */
const FIRST = 8
/** Facets of specs that are open from the start. */
const OPEN_SPECS = 4

type FiltersProps = {
  address: SearchAddress
  typed: FormState
  shelf: Shelf
  /** Of a search in all categories, those that fit best first. */
  categories?: Facets['category']
  /** The category that all results are in. */
  only?: string | null
  /** Filters that are on. */
  chosen: number
  total: number
}

export function FiltersSection(props: FiltersProps) {
  const { address, typed, shelf, categories = [], only = address.category, chosen, total } = props
  const to = (change: Partial<SearchAddress>) => addressOf(address, change)
  const { brands, rating, picks } = address
  const isChosen = (name: string) => brands.some((other) => other.toLowerCase() === name.toLowerCase())
  return (
    <section class="filters" aria-labelledby="filters">
      <h2 class="hidden" id="filters">
        Filters
      </h2>
      <details open={Object.keys(typed.errors).length > 0}>
        <summary>
          <span class="to-open">Filters{chosen > 0 && ` (${chosen})`}</span>
          <span class="to-close">Show {countOf(total, 'product')}</span>
        </summary>
        <div class="sheet">
          <FilterForm address={address} typed={typed} prices={shelf.prices} />
          <Facet
            title="Category"
            values={categories.map(({ slug, label, count }) => ({
              name: label,
              count,
              href: to({ category: slug, picks: [] }),
            }))}
          />
          {shelf.specs.map((spec, at) => (
            <SpecFacet
              spec={spec}
              open={at < OPEN_SPECS}
              href={(value) => to({ category: only, picks: toggled(picks, spec.key, value) })}
            />
          ))}
          <Facet
            title="Brand"
            always={brands.length > 0}
            values={shelf.brands.map(({ name, count }) => ({
              name,
              count,
              chosen: isChosen(name),
              href: to({
                brands: isChosen(name)
                  ? brands.filter((other) => other.toLowerCase() !== name.toLowerCase())
                  : [...brands, name],
              }),
            }))}
          />
          <Facet
            title="Rating"
            always={shelf.ratings.length > 0}
            values={shelf.ratings.map(({ from, count }) => ({
              name: ratingWords(from),
              count,
              chosen: rating === from,
              href: to({ rating: rating === from ? null : from }),
            }))}
          />
        </div>
      </details>
    </section>
  )
}

/** Beside the list, and part of the form of filters. */
export function SortField({ address, sort }: { address: SearchAddress; sort: Sort }) {
  // The words of a search may ask for an order, so there each is chosen by its name.
  const isDefault = (value: Sort) => value === 'relevance' && address.q === ''
  return (
    <p class="sort">
      <label for="field-sort">Sort by</label>
      <select id="field-sort" name="sort" form={FORM}>
        {SORTS.map((value) => (
          <option value={isDefault(value) ? '' : value} selected={value === sort}>
            {sortWords(value, address)}
          </option>
        ))}
      </select>
      <button class="button plain no-script" type="submit" form={FORM}>
        Sort
      </button>
    </p>
  )
}

function FilterForm({
  address,
  typed,
  prices,
}: Pick<FiltersProps, 'address' | 'typed'> & { prices: PriceBars | null }) {
  const { onSale, available, quoted } = address
  return (
    <form class="fields" id={FORM} action={pathOf(address)}>
      {[...queryOf(address)]
        .filter(([name]) => !FIELDS.has(name))
        .map(([name, value]) => (
          <Hidden name={name} value={value} />
        ))}
      <fieldset class="facet">
        <legend>Price</legend>
        {prices && <Bars {...prices} address={address} />}
        <div class="from-to">
          <Field state={typed} name="min_price" label="Min price" autocomplete="off" />
          <Field state={typed} name="max_price" label="Max price" autocomplete="off" />
        </div>
      </fieldset>
      <Tick name="on_sale" checked={onSale} label="On sale" />
      <Tick name="available" checked={available} label="Available from a shop or seller" />
      <Tick name="quoted" checked={quoted} label="A seller gives quotes" />
      <Fields of={SHIPS_TO} state={typed} />
      <p class="no-script">
        <Submit kind="plain">Apply</Submit>
      </p>
    </form>
  )
}

function Tick({ name, checked, label }: { name: string; checked: boolean; label: string }) {
  return (
    <label class="tick">
      <input id={`field-${name}`} type="checkbox" name={name} value="1" checked={checked} />
      {label}
    </label>
  )
}

const BAR = 10
const TALLEST = 40

/** How many products cost what: a bar each step of price, those within the chosen prices in colour. */
function Bars({
  address,
  fromCents,
  stepCents,
  counts,
  lowCents,
  highCents,
}: PriceBars & { address: SearchAddress }) {
  const most = counts.reduce((a, b) => Math.max(a, b), 1)
  const [least, limit] = [address.minCents ?? 0, address.maxCents ?? Number.POSITIVE_INFINITY]
  const busiest = counts.indexOf(most)
  const words = `Prices from ${formatUsd(lowCents)} to ${formatUsd(highCents)}. Most products, ${most}, cost ${stepWords(
    fromCents + busiest * stepCents,
    busiest === counts.length - 1 ? null : fromCents + (busiest + 1) * stepCents,
  )}.`
  return (
    <>
      <svg
        class="bars"
        viewBox={`0 0 ${counts.length * BAR} ${TALLEST}`}
        width={counts.length * BAR}
        height={TALLEST}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        {counts.map((count, at) => {
          const [from, below] = [fromCents + at * stepCents, fromCents + (at + 1) * stepCents]
          const isIn = from <= limit && (below > least || at === counts.length - 1)
          const height = count === 0 ? 1 : Math.max(3, (count / most) * TALLEST)
          return (
            <rect
              class={isIn ? 'in' : undefined}
              x={at * BAR + 1}
              y={TALLEST - height}
              width={BAR - 2}
              height={height}
            />
          )
        })}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{formatUsd(lowCents)}</span>
        <span>{formatUsd(highCents)}</span>
      </p>
    </>
  )
}

function stepWords(fromCents: number, belowCents: number | null): string {
  return belowCents === null
    ? `${formatUsd(fromCents)} and up`
    : `${formatUsd(fromCents)} to ${formatUsd(belowCents)}`
}

type FacetValue = { name: string; count: number; href: string; chosen?: boolean }

/** Hidden when there is only one value, because it narrows nothing, unless it is chosen or `always` is set. */
function Facet({ title, values, always = false }: { title: string; values: FacetValue[]; always?: boolean }) {
  if (values.length < (always ? 1 : 2)) return null
  return (
    <div class="facet">
      <h3>{title}</h3>
      <FacetValues title={title} values={values} />
    </div>
  )
}

function SpecFacet({
  spec,
  open,
  href,
}: {
  spec: ShelfSpec
  open: boolean
  href: (value: string) => string
}) {
  const { name, options, unknown } = spec
  const isChosen = options.some(({ chosen }) => chosen)
  return (
    <details class="facet" open={open || isChosen}>
      <summary>
        <h3>{name}</h3>
      </summary>
      <FacetValues
        title={name}
        values={options.map(({ value, label, count, chosen }) => ({
          name: label,
          count,
          chosen,
          href: href(value),
        }))}
      />
      {isChosen && unknown > 0 && (
        <p class="soft">
          {formatCount(unknown)} {unknown === 1 ? 'does' : 'do'} not say.
        </p>
      )}
    </details>
  )
}

function FacetValues({ title, values }: { title: string; values: FacetValue[] }) {
  const rest = values.slice(FIRST)
  return (
    <>
      <FacetList values={values.slice(0, FIRST)} />
      {rest.length > 0 && (
        <details open={rest.some(({ chosen }) => chosen)}>
          <summary>
            {formatCount(rest.length)} more<span class="hidden"> under {title}</span>
          </summary>
          <FacetList values={rest} />
        </details>
      )}
    </>
  )
}

function FacetList({ values }: { values: FacetValue[] }) {
  return (
    <ul>
      {values.map(({ name, count, href, chosen }) => (
        <li>
          <a
            class={chosen === undefined ? undefined : 'option'}
            href={href}
            rel="nofollow"
            aria-current={chosen ? 'true' : undefined}
          >
            {name}{' '}
            <span class="soft">
              {formatCount(count)}
              <span class="hidden"> {count === 1 ? 'result' : 'results'}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The script announces the new count in the line above. */
export function Live({ children }: { children: Child }) {
  return (
    <>
      <p class="hidden" id="live-said" role="status" />
      <div class="found" id="found">
        {children}
      </div>
    </>
  )
}

type ListHeadProps = { address: SearchAddress; sort: Sort; total: number; pages: number }

export function ListHead({ address, sort, total, pages }: ListHeadProps) {
  return (
    <div class="list-head">
      <h2 id="results">
        {countOf(total, 'product')}
        {pages > 1 && (
          <span class="soft">
            {' '}
            · page {address.page} of {pages}
          </span>
        )}
      </h2>
      <SortField address={address} sort={sort} />
    </div>
  )
}
