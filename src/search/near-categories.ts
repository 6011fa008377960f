/** The categories someone may have meant by a slug that is none: those that share words with it, or letters. */

import { AppError } from '../lib/errors.ts'
import { type CatalogIndex, stemsOf } from './catalog-index.ts'
import { editDistance } from './lexical/edit-distance.ts'

const MOST = 10
const FAR = 99

export function requireCategory(index: CatalogIndex, slug: string, field: string): void {
  if (index.categoryNumber(slug) !== undefined) return
  throw new AppError('invalid', `${field}: there is no category ${slug}`, {
    field,
    valid: nearCategories(index.categories(), slug),
  })
}

export function nearCategories(categories: Array<{ slug: string; label: string }>, asked: string): string[] {
  const words = stemsOf(asked.replaceAll('-', ' '))
  return categories
    .map(({ slug, label }) => {
      const own = stemsOf(`${slug.replaceAll('-', ' ')} ${label}`)
      const shared = words.filter((word) => own.includes(word)).length
      const apart = editDistance(asked.slice(0, 60), slug.slice(0, 60), 4)
      return { slug, shared, apart: apart > 4 ? FAR : apart }
    })
    .sort((a, b) => b.shared - a.shared || a.apart - b.apart || (a.slug < b.slug ? -1 : 1))
    .slice(0, MOST)
    .map(({ slug }) => slug)
}
