/**
 * How well each category serves a goal that no table knows, judged by the products that a search for it finds: by the best
 * few of each category, and by how many of all there are.
 */
import { byText } from '../lib/text.ts'
import type { Search } from '../search/search.service.ts'
import { termOf } from '../search/understand/names.ts'
import { wordsOf } from './wish-words.ts'

export type Relevance = {
  slug: string
  label: string
  /** The word for what it is; categories that share it stand in for each other. */
  head: string
  score: number
}

const FOUND = 100
const BEST_OF_CATEGORY = 3

/** Best first. */
export async function rateCategories(search: Search, query: string): Promise<Relevance[]> {
  const found = await search.candidates({ query, limit: FOUND })
  // Without vectors only the order tells.
  const byOrder = found.every(({ similarity }) => similarity === 0)
  const nearness = new Map(
    found.map((one, at) => [one, byOrder ? 1 - at / found.length : one.similarity] as const),
  )
  return Map.groupBy(found, ({ product }) => product.category.slug)
    .values()
    .map((products) => {
      const { slug, label } = products[0]?.product.category ?? { slug: '', label: '' }
      const near = products
        .map((one) => nearness.get(one) ?? 0)
        .sort((a, b) => b - a)
        .slice(0, BEST_OF_CATEGORY)
      const score = near.reduce((sum, one) => sum + one, 0) / BEST_OF_CATEGORY
      return { slug, label, head: headOf(label), score }
    })
    .toArray()
    .sort((a, b) => b.score - a.score || byText(a.slug, b.slug))
}

/** The last word of the label. */
export function headOf(label: string): string {
  return wordsOf(label).map(termOf).at(-1) ?? ''
}
