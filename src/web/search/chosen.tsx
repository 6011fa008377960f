/** The filters that are set, each with the address that does without it: as chips, and as the way out of an empty page. */
import { addressOf, NO_FILTERS, priceWords, type SearchAddress } from './address.ts'

export type Chosen = { name: string; href: string }

export function chosenFilters(address: SearchAddress, categoryLabel: string | null): Chosen[] {
  const { category, brand, onSale } = address
  const without = (change: Partial<SearchAddress>) => addressOf(address, change)
  const prices = priceWords(address)
  return [
    ...(category === null ? [] : [{ name: categoryLabel ?? category, href: without({ category: null }) }]),
    ...(brand === null ? [] : [{ name: brand, href: without({ brand: null }) }]),
    ...(prices === null ? [] : [{ name: prices, href: without({ minCents: null, maxCents: null }) }]),
    ...(onSale ? [{ name: 'on sale', href: without({ onSale: false }) }] : []),
  ]
}

export function ChosenChips({ chosen, address }: { chosen: Chosen[]; address: SearchAddress }) {
  if (chosen.length === 0) return null
  return (
    <ul class="chips chosen" aria-label="Filters in use">
      {chosen.map(({ name, href }) => (
        <li>
          <a class="chip" href={href}>
            <span class="hidden">Remove filter </span>
            {name}
            <Cross />
          </a>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <a class="clear" href={addressOf(address, NO_FILTERS)}>
            Remove all filters
          </a>
        </li>
      )}
    </ul>
  )
}

export function Cross() {
  return (
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M1 1l8 8M9 1l-8 8" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}
