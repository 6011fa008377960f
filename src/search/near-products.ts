/**
 * Suggests products for an unknown slug: the same slug under another category, then those that
 * share its words. Asked of the index itself, so that the query log has only real searches.
 */

import { canonicalSlug } from '../catalog/profile.ts'
import { AppError } from '../lib/errors.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import type { Search } from './search.service.ts'

const MOST = 5
const MAX_WORDS = 200

/** `<category>/<slug>` each, nearest first; none while the index is loading. */
export async function nearProducts(search: Pick<Search, 'reading'>, slug: string): Promise<string[]> {
  try {
    return await search.reading((index) => nearIn(index, slug))
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return []
    throw error
  }
}

function nearIn(index: CatalogIndex, slug: string): string[] {
  const name = slug.trim().slice(slug.trim().lastIndexOf('/') + 1)
  const words = name.slice(0, MAX_WORDS).replace(/[^\p{L}\p{N}]+/gu, ' ')
  const found = [
    index.findBySlug(name),
    ...index.words.search(toQueryTerms(words, index.words), MOST).slots,
  ].flatMap((slot) => (slot === undefined ? [] : (index.at(slot) ?? [])))
  const slugs = found.map((product) => canonicalSlug({ category: product.category.slug, slug: product.slug }))
  return [...new Set(slugs)].slice(0, MOST)
}
