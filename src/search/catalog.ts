/**
 * The catalog as a question reads it: a piece of code is given an index in which everything is that it asks for. Over an
 * index in memory that is one call. Where products are fetched for each question (fetched/), the same code is called
 * again until nothing is missing; so it must do nothing but read.
 */
import { unavailable } from '../lib/errors.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { MaybePromise } from './vectors/meaning-index.ts'

/** What is fetched of one category for one question. */
export const MOST_OF_CATEGORY = 2_000

export type Catalog = {
  /** Grows with every change, so that answers made before it are known to be old. */
  readonly version: number
  /** At once when the index is in memory. */
  read<T>(look: (index: CatalogIndex) => MaybePromise<T>): MaybePromise<T>
}

export function wholeCatalog(index: CatalogIndex): Catalog {
  return { version: index.version, read: (look) => look(index) }
}

/** What passes over all products is refused where they are fetched for each question: of a part it would be wrong. */
export function requireWhole({ fetched }: CatalogIndex, what: string): void {
  if (fetched) throw needsWhole(what)
}

/** Of one category all products are fetched, unless they are too many. */
export function requireCategoryWhole({ fetched }: CatalogIndex, category: string, what: string): void {
  if (fetched && !fetched.category(category))
    throw needsWhole(`${what} of more than ${MOST_OF_CATEGORY} products`)
}

export function needsWhole(what: string): Error {
  return unavailable(
    `${what} need a node that holds the catalog; this one runs with SOUK_SEARCH=postgres`,
    3_600,
  )
}
