/** How far search has come: on this node for the operator's health page, and in the catalog for people who wait for an import. */
import type { Db } from '../db/database.ts'
import { minilmId } from './embed/minilm.ts'
import { countEmbedding, type EmbeddingCounts, findEmbeddingPace, findModels } from './vectors.queries.ts'

/** What a node knows of itself without asking the database. */
export type NodeSearch = {
  /** Null while no embedder is connected: words alone decide. */
  model: string | null
  /** Null until the index is filled. `embedded` of its products are found by meaning. */
  indexed: { products: number; embedded: number; bytes: number } | null
}

export type SearchFacts = NodeSearch & EmbeddingCounts

export async function searchFacts(ctx: { db: Db }, node: NodeSearch): Promise<SearchFacts> {
  return { ...node, ...(await countEmbedding(ctx.db, node.model ?? '')) }
}

export type EmbeddingStatus = EmbeddingCounts & {
  /** Null when nothing has been embedded by a remote model yet. */
  model: string | null
  /** What is made at the moment; null when all is done. Whole vectors come first. */
  stage: 'whole' | 'sentences' | null
  /** Products of this stage, in the last minute; null when less than two pieces were stored in it. */
  perSecond: number | null
  /** Until this stage is done. */
  secondsLeft: number | null
}

export async function embeddingStatus(
  ctx: { db: Db },
  embedder: { url: string; model: string } | null,
): Promise<EmbeddingStatus> {
  const model = await currentModel(ctx.db, embedder)
  const counts = await countEmbedding(ctx.db, model ?? '')
  const { wholePending, sentencesPending } = counts
  const stage = wholePending > 0 ? 'whole' : sentencesPending > 0 ? 'sentences' : null
  const perSecond = stage && (await findEmbeddingPace(ctx.db))
  const pending = stage === 'whole' ? wholePending : sentencesPending
  return { ...counts, model, stage, perSecond, secondsLeft: perSecond && pending / perSecond }
}

/** A remote one is named with its number of dimensions, which only its vectors tell. */
async function currentModel(db: Db, embedder: { url: string; model: string } | null): Promise<string | null> {
  if (!embedder) return minilmId()
  const begin = `${embedder.model}@${new URL(embedder.url).host}/`
  return (await findModels(db)).find((model) => model.startsWith(begin)) ?? null
}
