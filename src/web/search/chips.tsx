/**
 * What narrows the results: requirements read from the query, and filters. Each is a chip with the address that does
 * without it. What else was understood of the query is a line of text.
 */
import { regionName } from '../../lib/regions.ts'
import type { Obeyed } from '../../search/obey.ts'
import type { Explanation } from '../../search/search.schema.ts'
import type { Shelf } from '../../search/shelf.ts'
import { capital } from '../format.ts'
import { addressOf, priceWords, type SearchAddress, toggled, withoutFilters } from './address.ts'
import type { Results } from './find-results.ts'

type DemandsProps = { address: SearchAddress; results: Pick<Results, 'obeyed' | 'takenBack' | 'explain'> }

export function Demands({ address, results }: DemandsProps) {
  const { obeyed, takenBack, explain } = results
  return (
    <>
      <Understood explain={explain} demands={[...obeyed, ...takenBack]} />
      {obeyed.length + takenBack.length > 0 && (
        <ul class="chips narrowing" aria-label="Requirements from your search">
          {obeyed.map(({ id, label }) => (
            <li>
              <a class="chip" href={addressWithout(address, id)}>
                <span class="hidden">Remove: </span>
                {capital(label)}
                <Cross />
              </a>
            </li>
          ))}
          {takenBack.map(({ id, label }) => (
            <li>
              <a
                class="chip taken-back"
                href={addressOf(address, { ignore: address.ignore.filter((other) => other !== id) })}
              >
                <span class="hidden">Restore: </span>
                <s>{capital(label)}</s>
                <Plus />
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The same search without one requirement. */
export function addressWithout(address: SearchAddress, id: string): string {
  return addressOf(address, { ignore: [...address.ignore, id] })
}

/** The phrases of the query, each with its meaning unless the phrase says it already. */
function Understood({ explain, demands }: { explain: Explanation; demands: readonly Obeyed[] }) {
  const rest = explain.understood.filter((note) => !demands.some((demand) => says(demand, note)))
  if (rest.length === 0) return null
  return (
    <p class="understood">
      <span class="soft">Understood: </span>
      {rest.map(({ phrase, meaning }, at) => (
        <>
          {at > 0 && ' · '}
          {phrase}
          {!saysItself(phrase, meaning) && <span class="soft"> ({meaning})</span>}
        </>
      ))}
    </p>
  )
}

type Note = Explanation['understood'][number]

/** True if the requirement's chip already says it. A note may cover several: "Not Tamrel or Kestwick". */
function says({ id, label }: Obeyed, { phrase, meaning }: Note): boolean {
  const [said, meant] = [label.toLowerCase(), meaning.toLowerCase()]
  if (id === 'order') return meant.endsWith(' first')
  if (id.startsWith('not'))
    return meant.startsWith('not ') && meant.includes(id.slice(id.indexOf(':') + 1).toLowerCase())
  return said === meant || id.endsWith(`:${phrase}`)
}

function saysItself(phrase: string, meaning: string): boolean {
  return /^(?:without|avoid|wanted): |^for /.test(meaning) || phrase.toLowerCase() === meaning.toLowerCase()
}

function Plus() {
  return (
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M5 0v10M0 5h10" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}

export type Chosen = { name: string; href: string }

export function chosenFilters(
  address: SearchAddress,
  categoryLabel: string | null,
  { specs, unread }: Pick<Shelf, 'specs' | 'unread'>,
): Chosen[] {
  const { q, category, brands, rating, picks, onSale, available, quoted, shipsTo } = address
  const without = (change: Partial<SearchAddress>) => addressOf(address, change)
  const prices = priceWords(address)
  // Specs are those of a category.
  const all = { category: null, picks: [] }
  return [
    ...(category === null || q === '' ? [] : [{ name: categoryLabel ?? category, href: without(all) }]),
    ...brands.map((name) => ({ name, href: without({ brands: brands.filter((other) => other !== name) }) })),
    ...(prices === null ? [] : [{ name: prices, href: without({ minCents: null, maxCents: null }) }]),
    ...(rating === null ? [] : [{ name: ratingWords(rating), href: without({ rating: null }) }]),
    ...picks
      .filter(({ key }) => !unread.includes(key))
      .flatMap(({ key, values }) =>
        values.map((value) => ({
          name: pickWords(specs, key, value),
          href: without({ picks: toggled(picks, key, value) }),
        })),
      ),
    ...(onSale ? [{ name: 'On sale', href: without({ onSale: false }) }] : []),
    ...(available ? [{ name: 'Available', href: without({ available: false }) }] : []),
    ...(quoted ? [{ name: 'Sellers quote it', href: without({ quoted: false }) }] : []),
    ...(shipsTo === null
      ? []
      : [{ name: `Ships to ${regionName(shipsTo)}`, href: without({ shipsTo: null }) }]),
  ]
}

export function ratingWords(stars: number): string {
  return `${stars.toFixed(1)} stars and up`
}

function pickWords(specs: Shelf['specs'], key: string, value: string): string {
  const spec = specs.find((one) => one.key === key)
  const option = spec?.options.find((one) => one.value.toLowerCase() === value.toLowerCase())
  return `${spec?.name ?? key}: ${option?.label ?? value}`
}

export function ChosenChips({ chosen, address }: { chosen: Chosen[]; address: SearchAddress }) {
  if (chosen.length === 0) return null
  return (
    <ul class="chips narrowing" aria-label="Active filters">
      {chosen.map(({ name, href }) => (
        <li>
          <a class="chip" href={href}>
            <span class="hidden">Remove filter: </span>
            {name}
            <Cross />
          </a>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <a class="clear" href={withoutFilters(address)}>
            Clear all filters
          </a>
        </li>
      )}
    </ul>
  )
}

/** Filters of the address that do not filter, so that nobody takes the list for what it is not. */
export function Unread({ shelf: { unread } }: { shelf: Pick<Shelf, 'unread'> }) {
  if (unread.length === 0) return null
  return <p class="aside">Ignored filters that these products don’t have: {unread.join(', ')}.</p>
}

function Cross() {
  return (
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M1 1l8 8M9 1l-8 8" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}
