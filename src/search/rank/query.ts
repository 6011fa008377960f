/** What ranking is given of a query; see prepare.ts for how it is made. */
import type { QueryTerm } from '../lexical/lexical-index.ts'
import type { Understood } from '../understand/understand.ts'
import type { Cosines } from '../vectors/meaning-index.ts'

/** A query as ranking sees it. */
export type RankQuery = {
  understood: Understood
  /** Of the query with its negations: products also say what they do without. */
  terms: QueryTerm[]
  /** The group of terms that names the thing asked for; -1 when none does. */
  head: number
  /** It names no thing: a limit alone, or "something nice". */
  anything: boolean
  /** Written in a script that nothing here reads. */
  unreadable: boolean
  /** Null when no embedder answers: then words alone decide. */
  vector: Float32Array | null
  /** Of the query without what the product must lack; null when nothing is negated. */
  plainVector: Float32Array | null
}

/** What is to be ordered, with its cosines; null when words alone decide. */
export type Candidates = { slots: Uint32Array; cosines: Cosines | null }
