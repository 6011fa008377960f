/** The orders of a list in words: the same wherever a list can be put in order. */
import type { Sort } from '../../search/search.schema.ts'

export const SORT_WORDS: Record<Sort, string> = {
  relevance: 'Best match',
  popular: 'Most reviewed',
  price_asc: 'Lowest price',
  price_desc: 'Highest price',
  rating: 'Best rated',
  newest: 'Newest',
}
