/** Suggests categories for an unknown slug: those that share a word with it, or nearly all letters. */

import { AppError } from '../lib/errors.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { editDistance } from './lexical/dictionary.ts'
import { stemsOf } from './lexical/tokenize.ts'

const MOST = 5
const LONGEST = 60
/** Of so many letters one may be wrong. */
const PER_TYPO = 3
const MOST_TYPOS = 4
/** Shorter words stand inside too many others. */
const LEAST_PART = 4

export function requireCategory(index: CatalogIndex, slug: string, field: string): void {
  if (index.categoryNumber(slug) !== undefined) return
  const valid = nearCategories(index.categories(), slug)
  const next = valid.length > 0 ? '' : '; see /llms.txt, list_categories or category-browse'
  throw new AppError('invalid', `${field}: there is no category ${slug}${next}`, {
    field,
    ...(valid.length > 0 && { valid }),
  })
}

export function nearCategories(categories: Array<{ slug: string; label: string }>, asked: string): string[] {
  const words = wordsOf(asked)
  const stems = stemsOf(words.join(' '))
  return categories
    .map(({ slug, label }) => {
      const own = stemsOf(`${wordsOf(slug).join(' ')} ${label}`)
      const shared = stems.filter((stem) => own.includes(stem)).length
      return { slug, shared, typos: typosBetween(asked.toLowerCase(), words, slug) }
    })
    .filter(({ shared, typos }) => shared > 0 || typos !== null)
    .sort((a, b) => b.shared - a.shared || cost(a.typos) - cost(b.typos) || (a.slug < b.slug ? -1 : 1))
    .slice(0, MOST)
    .map(({ slug }) => slug)
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, LONGEST)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** How many letters are wrong, in the whole or in the word that comes nearest; null for too many to be a slip. */
function typosBetween(asked: string, words: readonly string[], slug: string): number | null {
  const parts = wordsOf(slug)
  const whole = slips(asked.slice(0, LONGEST), slug.slice(0, LONGEST))
  const single = words.flatMap((word) =>
    parts.map((part) => (word.length >= LEAST_PART && part.includes(word) ? 1 : slips(word, part))),
  )
  const least = Math.min(...[whole, ...single].map(cost))
  return Number.isFinite(least) ? least : null
}

function slips(a: string, b: string): number | null {
  const most = Math.min(MOST_TYPOS, Math.floor(Math.min(a.length, b.length) / PER_TYPO))
  const apart = editDistance(a, b, most)
  return apart > most ? null : apart
}

function cost(typos: number | null): number {
  return typos ?? Number.POSITIVE_INFINITY
}
