/**
 * The search looks at catalog prices alone. These are the products that it passes over although a live offer sells them
 * within the price that is wanted, or is the only one who names a price: with their likeness to the words, best first,
 * so that they can be read side by side with what the search found.
 */
import { allowedSlots } from '../../search/filters.ts'
import { toQueryTerms } from '../../search/lexical/query-terms.ts'
import { MAX_OFFSET } from '../../tools/params.ts'
import { categoryCheck } from './browse.ts'
import type { UcpContext } from './context.ts'
import type { PriceBounds } from './filters.ts'
import { isWithin, type OfferPricesOf } from './offer-prices.ts'

export type Alike = { id: string; likeness: number }

/** Under every likeness: what is discontinued comes after everything that is not, from whichever list. */
export const DISCONTINUED = -1

export async function findByOffer(
  { search, offerPrices }: Pick<UcpContext, 'search'> & { offerPrices: OfferPricesOf },
  wanted: PriceBounds & { query: string; categories: readonly string[] | null },
): Promise<Alike[]> {
  const index = search.index()
  const asked = offerPrices(index)
  if (asked.size === 0) return []
  const understood = search.understand(wanted.query)
  const searched = allowedSlots(index, searchedPrices(wanted), understood, { isOnSale: () => false })
  // A budget in the words binds offers as it binds catalog prices.
  const { budget } = understood
  const isWanted = categoryCheck(index, wanted.categories)
  let found: Array<{ slot: number; id: string }> = []
  for (const [slot, prices] of asked) {
    const id = index.at(slot)?.id
    if (id === undefined || searched?.[slot] !== 0 || !isWanted(slot)) continue
    if (prices.some((cents) => isWithin(cents, wanted) && (!budget || isWithin(cents, budget))))
      found.push({ slot, id })
  }
  const fitting = found.length > 0 ? await fittingButForPrice(search, wanted) : new Set()
  found = found.filter(({ id }) => fitting.has(id))
  if (found.length === 0) return []
  const slots = Uint32Array.from(found, ({ slot }) => slot)
  const words = understood.textWithNegations || wanted.query
  const vector = await search.embed(words)
  const near = vector && (await search.byMeaning(() => index.meaning.cosines(vector, slots)))
  const likeness = near
    ? [near.full, near.short]
    : [index.words.explain(toQueryTerms(words, index.words), slots).coverage]
  return found
    .map(({ id, slot }, at) => {
      const alike = Math.max(0, ...likeness.map((scores) => scores[at] ?? 0))
      return { id, likeness: index.at(slot)?.discontinued ? DISCONTINUED : alike }
    })
    .sort((a, b) => b.likeness - a.likeness || (a.id < b.id ? -1 : 1))
}

/** What would answer the words at another price: an offer for anything else is no answer. */
async function fittingButForPrice(
  search: UcpContext['search'],
  { query, categories }: { query: string; categories: readonly string[] | null },
): Promise<Set<string>> {
  const answers = await Promise.all(
    (categories ?? [null]).map((category) =>
      search.search({
        ...{ query, limit: MAX_OFFSET, ignore: ['price'], face: 'ucp', unlogged: true },
        ...(category !== null && { filters: { category } }),
      }),
    ),
  )
  return new Set(answers.flatMap(({ productIds }) => productIds))
}

/** Always a filter: without a price a product cannot be shown, and 0 is none. */
export function searchedPrices({ minCents, maxCents }: PriceBounds): {
  minPriceCents: number
  maxPriceCents?: number
} {
  return {
    minPriceCents: Math.max(1, minCents ?? 1),
    ...(maxCents !== null && { maxPriceCents: maxCents }),
  }
}
