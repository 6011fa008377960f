/**
 * What searching needs of vectors, wherever they are kept: in this process (memory-meaning.ts, the default) or in
 * PostgreSQL with pgvector (pgvector-meaning.ts). Each question is one that a ranking asks as a whole, so that a
 * database answers it in one round trip. Memory answers at once and never by a promise: a search under way is then not
 * disturbed by a change of the catalog. After awaiting, a slot may be gone.
 */
import type { PassageKind } from '../product-text.ts'
import type { Passages } from './passages.ts'
import type { Hits } from './vector-index.ts'

export type MaybePromise<T> = T | Promise<T>

export type ProductVectors = { full: Float32Array; short: Float32Array; passages: Passages }
/** Of a product whose vectors are in the database: the number of their row. */
export type VectorRow = { row: number }

/** A product is read as a whole, and by what it is and whom it is for. */
export type Reading = 'full' | 'short'
export type QueryVectors = { vector: Float32Array; plainVector: Float32Array | null }

/** A value for each slot, in their order; 0 where nothing is known. */
export type ByReading = { full: Float32Array; short: Float32Array }
export type Cosines = ByReading & {
  /** With the query's second vector; null when it has none. */
  plain: Float32Array | null
  /** The best sentence of each kind and of all; NaN where a product has none. */
  passages: Record<PassageKind | 'any', Float32Array>
}
export type Gathered = { slots: Uint32Array; cosines: Cosines }

/** A byte a slot: 0 leaves it out. */
export type Allowed = Uint8Array | undefined

export type MeaningIndex = {
  readonly dims: number
  /** For the next slot: 0, 1, 2 … */
  add(vectors: ProductVectors | VectorRow | null): void
  /** Of a product that had none, or others, under this slot. */
  set(slot: number, vectors: ProductVectors | VectorRow): void
  /** The slot is never found again. */
  remove(slot: number): void
  /** The k nearest by each reading together with the slots that were found otherwise, in the order of slots. */
  gather(query: QueryVectors, k: number, found: Iterable<number>, allowed: Allowed): MaybePromise<Gathered>
  nearest(reading: Reading, vector: Float32Array, k: number, allowed?: Uint8Array): MaybePromise<Hits>
  /** The first k of all that are allowed, by the whole product: the same order whatever k is, for pages to be cut from. */
  inOrder(vector: Float32Array, k: number, allowed: Allowed): MaybePromise<Uint32Array>
  cosines(vector: Float32Array, slots: Uint32Array): MaybePromise<ByReading>
  /** The k nearest to a slot's own vectors by each reading, in the order of slots. */
  around(slot: number, k: number, allowed: Uint8Array): MaybePromise<ByReading & { slots: Uint32Array }>
  /** The mean of the short vectors of each group of slots. */
  means(groups: ReadonlyArray<readonly number[]>): MaybePromise<Float32Array[]>
  /** What it takes of this process's memory. */
  bytes(): number
}

/** The vectors cannot be asked at the moment; words still can. */
export class MeaningUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database did not answer the vector query', { cause })
  }
}

/** At once when the value is there: a promise would let other work come between. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
