/** A page of results with somebody's words wherever words can stand: what was typed, what was found, what was understood. */
import type { ProductProfile } from '../src/catalog/profile.ts'
import type { Shelf } from '../src/search/shelf.ts'
import { readAddress } from '../src/web/search/address.ts'

export function resultsOf(profile: ProductProfile, text: string) {
  const { address, typed } = readAddress(
    new URLSearchParams({ q: text, category: text, brand: text, min_price: text, max_price: '5', page: '2' }),
  )
  const results = {
    queryId: '1',
    products: [{ profile: profile, reason: text }],
    total: 49,
    obeyed: [{ id: text, label: text }],
    takenBack: [{ id: 'price', label: text }],
    sort: 'relevance' as const,
    match: 'good' as const,
    note: null,
    shipsTo: undefined,
    nearest: [],
    pages: 3,
    noProducts: false,
    facets: {
      category: [1, 2].map((count) => ({ slug: text, label: text, count })),
      brand: [1, 2].map((count) => ({ name: text, count })),
      price: [{ min: 0, max: 25, count: 2 }],
    },
    shelf: shelfOf(text),
    explain: {
      mode: 'keyword' as const,
      understood: [{ phrase: text, meaning: text }],
      budget: { min: null, max: 5, firm: true },
      candidates: 49,
      matching: 49,
      embedded: 1,
    },
    categoryLabel: text,
  }
  return { address, typed: { ...typed, errors: { ...typed.errors, max_price: text } }, results }
}

/** What narrows a list, with the text wherever a name can stand. */
export function shelfOf(text: string): Shelf {
  const optionOf = (count: number) => ({ value: `${text} ${count}`, label: `${text} ${count}`, count })
  return {
    brands: [1, 2].map((count) => ({ name: `${text} ${count}`, count })),
    ratings: [{ from: 4, count: 1 }],
    prices: { stepCents: 1_000, fromCents: 0, counts: [1, 0, 2], lowCents: 500, highCents: 2_900 },
    specs: [
      {
        key: text,
        name: text,
        options: [
          { ...optionOf(1), chosen: true },
          { ...optionOf(2), chosen: false },
        ],
        unknown: 3,
      },
    ],
    unread: [text],
  }
}
