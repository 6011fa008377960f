/** From the contract's words to the service's: a search as a REST body, or anything shaped like one, asks for it. */
import type { SearchRequest } from './search.schema.ts'
import type { SearchInput } from './search.service.ts'

export function toInput(request: SearchRequest, ip?: string | null): SearchInput {
  const { category, brand, exclude_brands, specs, min_price, max_price } = request.filters ?? {}
  const { on_sale, available, ships_to } = request.filters ?? {}
  return {
    query: request.query,
    filters: {
      ...(category !== undefined && { category }),
      ...(brand !== undefined && { brand }),
      ...(exclude_brands && { excludeBrands: exclude_brands }),
      ...(specs && { specs: Object.entries(specs).map(([name, value]) => ({ name, value })) }),
      ...(min_price !== undefined && { minPriceCents: toCents(min_price) }),
      ...(max_price !== undefined && { maxPriceCents: toCents(max_price) }),
      ...(on_sale && { onSale: true }),
      ...(available && { available: true }),
      ...(ships_to !== undefined && { shipsTo: ships_to }),
    },
    limit: request.limit,
    offset: request.offset,
    ...(request.sort !== 'relevance' && { sort: request.sort }),
    facets: request.include.includes('facets'),
    explain: request.include.includes('explain'),
    face: 'rest',
    sessionId: request.session_id ?? null,
    ip,
  }
}

/** 19.99 × 100 is a little less than 1999 in binary, and would shut out what costs exactly that. */
function toCents(dollars: number): number {
  return Math.round(dollars * 100)
}
