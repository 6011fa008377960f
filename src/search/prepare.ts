/**
 * Reads a query once for all that follows: what it means, its words as the index knows them, and its vectors. Products
 * also say what they do without, so the vector keeps the negations; a second one leaves them out.
 */
import { awaitLater } from '../lib/background.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import type { RankQuery } from './rank/query.ts'
import { cutQuery } from './understand/cut-query.ts'
import { understand } from './understand/understand.ts'

/** `embed` is null when only words can be compared. */
export async function prepareQuery(
  index: CatalogIndex,
  asked: string,
  embed: ((text: string) => Promise<Float32Array>) | null,
): Promise<RankQuery> {
  const query = cutQuery(asked)
  const understood = understand(query, index.vocabulary())
  const said = understood.textWithNegations || query
  const plain = understood.text && understood.text !== said ? understood.text : null
  // Asked for before the words are looked up: the embedder works in another thread meanwhile.
  const vectors = embed
    ? awaitLater(Promise.all([embed(said), plain === null ? null : embed(plain)]))
    : [null, null]
  const terms = toQueryTerms(said, index.words)
  const [vector, plainVector] = await vectors
  return { understood, terms, vector: vector ?? null, plainVector: plainVector ?? null }
}
