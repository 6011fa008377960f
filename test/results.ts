/** A page of results with somebody's words wherever words can stand: what was typed, what was found, what was understood. */
import type { ProductProfile } from '../src/catalog/profile.ts'
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
