/** How far search has come on this node, for the operator's health page. */
import type { Db } from '../db/database.ts'
import { countProducts } from './facts.queries.ts'
import { countStale } from './vectors.queries.ts'

/** What a node knows of itself without asking the database. */
export type NodeSearch = {
  /** Null while no embedder is connected: words alone decide. */
  model: string | null
  /** Null until the index is filled. */
  indexed: { products: number; bytes: number } | null
}

export type SearchFacts = NodeSearch & { products: number; stale: number }

export async function searchFacts(ctx: { db: Db }, node: NodeSearch): Promise<SearchFacts> {
  const products = await countProducts(ctx.db)
  const stale = node.model === null ? products : await countStale(ctx.db, node.model)
  return { ...node, products, stale }
}
