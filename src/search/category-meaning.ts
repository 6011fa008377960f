/**
 * Which category of the catalog holds what some titles mean, for categories of a file that are called otherwise. The mean
 * of the titles' vectors is held against the mean of each category's. Asked only where somebody looks at a file before it
 * is imported, and bounded: a preview must not wait long.
 */
import type { Db } from '../db/database.ts'
import { findVectorsOfCategories } from './category-meaning.queries.ts'
import { type Embedder, normalize } from './embed/embedder.ts'

const MOST_GROUPS = 20
const MOST_TITLES = 10
const MOST_CATEGORIES = 500
const VECTORS_EACH = 10

/**
 * Measured with the demo catalog and exports of shops: titles of one half of a category come to 0.76 or more with its other
 * half, those of shops to 0.57 or more with the category they belong to, and to 0.55 at most with one they do not.
 */
const LIKE_ENOUGH = 0.56
/** Nearer than this to a second one, it is a guess. */
const APART = 0.1

/** For each group of titles the slug of a category, or null. */
export async function categoriesLike(
  { db }: { db: Db },
  embedder: Pick<Embedder, 'id' | 'embedDocuments'>,
  groups: readonly (readonly string[])[],
): Promise<Array<string | null>> {
  const nothing = groups.map(() => null)
  const asked = groups.slice(0, MOST_GROUPS).map((titles) => titles.slice(0, MOST_TITLES))
  if (asked.every((titles) => titles.length === 0)) return nothing
  const stored = await findVectorsOfCategories(db, embedder.id, {
    categories: MOST_CATEGORIES,
    each: VECTORS_EACH,
  })
  if (stored.length === 0) return nothing
  const centres = [...Map.groupBy(stored, ({ slug }) => slug)].map(([slug, some]) => ({
    slug,
    centre: meanOf(some.map(({ vector }) => vector)),
  }))
  const vectors = await embedder.embedDocuments(asked.flat())
  let from = 0
  const found = asked.map((titles) => {
    const own = vectors.slice(from, from + titles.length)
    from += titles.length
    return own.length === 0 ? null : nearest(meanOf(own), centres)
  })
  return groups.map((_, at) => found[at] ?? null)
}

function nearest(
  vector: Float32Array,
  centres: readonly { slug: string; centre: Float32Array }[],
): string | null {
  const [best, second] = centres
    .map(({ slug, centre }) => ({ slug, likeness: dot(vector, centre) }))
    .sort((a, b) => b.likeness - a.likeness)
  if (!best || best.likeness < LIKE_ENOUGH) return null
  return best.likeness - (second?.likeness ?? 0) < APART ? null : best.slug
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  return normalize(sum)
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
