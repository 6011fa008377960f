/** Which category somebody means by a few words. Knows no database, so that a file can be checked in any thread. */
import { slugify } from '../lib/text.ts'
import type { Category } from './catalog.schema.ts'

/** Where rows go that name no category. */
export const UNCATEGORIZED = 'Uncategorized'

/** As much of a category as its words need. */
export type NamedCategory = Pick<Category, 'slug' | 'label'>

export type CategoryIndex<Known extends NamedCategory = Category> = {
  find(text: string): Known | null
  near(text: string): string[]
}

/** A category is named by its slug, its label, or words that make its slug. */
export function indexCategories<Known extends NamedCategory>(
  categories: readonly Known[],
): CategoryIndex<Known> {
  const bySlug = new Map(categories.map((category) => [category.slug, category]))
  const byLabel = new Map(categories.map((category) => [slugify(category.label), category]))
  return {
    find(text) {
      const slug = slugify(text)
      return bySlug.get(slug) ?? byLabel.get(slug) ?? bySlug.get(`${slug}s`) ?? null
    },
    near: (text) => slugsNear(text, bySlug.keys()),
  }
}

/** Slugs that share the start of a word with the text. */
export function slugsNear(text: string, slugs: Iterable<string>): string[] {
  const words = slugify(text)
    .split('-')
    .filter((word) => word.length > 2)
  return [...slugs].filter((slug) => words.some((word) => slug.includes(word.slice(0, 5)))).slice(0, 5)
}
