/** The search form of every page. It leads to the results, in the catalog or in what `scope` names. */

import { MAX_QUERY } from '../../search/search.schema.ts'
import { Submit } from '../kit/parts.tsx'

export const SEARCH_PATH = '/search'

type SearchBoxProps = {
  value?: string
  large?: boolean
  /** Limits the search to this category. */
  within?: { slug: string; label: string }
  /** Something else to search. The script filters the element with the id `filters` while you type. */
  scope?: { action: string; label: string; filters: string }
}

export function SearchBox({ value, large = false, within, scope }: SearchBoxProps) {
  const id = within ? 'search-within' : large ? 'search-large' : 'search-box'
  return (
    <search class={large ? 'search-box large' : 'search-box'}>
      <form action={scope?.action ?? SEARCH_PATH}>
        <label class="hidden" for={id}>
          {scope?.label ?? (within ? `Search in ${within.label}` : 'Search the catalog')}
        </label>
        <input
          id={id}
          type="search"
          name="q"
          value={value || undefined}
          placeholder={scope?.label ?? placeholderOf({ large, within })}
          maxlength={MAX_QUERY}
          autocomplete="off"
          autocapitalize="none"
          enterkeyhint="search"
          data-filter={scope?.filters}
          required
        />
        {within && <input type="hidden" name="category" value={within.slug} />}
        <Submit>
          <SearchIcon />
          <span class={large ? undefined : 'hidden'}>{within ? `Search in ${within.label}` : 'Search'}</span>
        </Submit>
      </form>
    </search>
  )
}

function placeholderOf({ large, within }: Pick<SearchBoxProps, 'large' | 'within'>): string {
  if (within) return `Search in ${within.label.toLowerCase()}`
  return large ? 'Describe what you need' : 'Search products'
}

export function searchPath(query: string): string {
  return `${SEARCH_PATH}?${new URLSearchParams({ q: query })}`
}

function SearchIcon() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path
        d="M13.2 13.2 18 18M15 8.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
      />
    </svg>
  )
}
