/**
 * Keeps every product embedded by the current model. One job at a time over all nodes works through whatever is stale,
 * in small pieces that are found by every node as soon as they are stored. A new model simply makes everything stale.
 */
import { z } from 'zod'
import { getProfiles } from '../catalog/catalog.service.ts'
import type { Db } from '../db/database.ts'
import { defineJob, enqueue, type Job } from '../jobs/runner.ts'
import type { Log } from '../lib/log.ts'
import type { Embedder } from './embed/embedder.ts'
import { fullText, shortText, textHash } from './product-text.ts'
import {
  countStale,
  deleteVectorsOfOtherModels,
  findStale,
  findVectors,
  type StoredVectors,
  saveVectors,
} from './vectors.queries.ts'

type Context = { db: Db; log: Log }

export const EMBED_JOB = { kind: 'embed-products', maxAttempts: 20 }
const PIECE = 32

export function createEmbedJob(
  ctx: Context,
  embedder: Embedder,
  onProgress: (done: number, total: number) => void = () => {},
): Job {
  return defineJob({
    ...EMBED_JOB,
    payload: z.object({}),
    leaseMs: 60_000,
    run: async (_, { signal }) => {
      const total = await countStale(ctx.db, embedder.id)
      for (let done = 0; !signal.aborted; ) {
        const embedded = await embedPiece(ctx, embedder)
        if (embedded === 0) break
        done += embedded
        onProgress(done, Math.max(done, total))
      }
      signal.throwIfAborted()
      await deleteVectorsOfOtherModels(ctx.db, embedder.id)
      if (total > 0) ctx.log.info({ products: total, model: embedder.id }, 'embedded')
    },
  })
}

/** Asked for by every node that sees a product change; one waiting job stands for all. */
export async function requestEmbedding(ctx: Context): Promise<void> {
  await enqueue(ctx.db, EMBED_JOB, {}, { dedupeKey: 'all' })
}

/** Returns how many products it brought up to date; 0 when there is nothing left. */
export async function embedPiece(ctx: Context, embedder: Embedder): Promise<number> {
  const ids = await findStale(ctx.db, embedder.id, PIECE)
  if (ids.length === 0) return 0
  const [profiles, known] = await Promise.all([getProfiles(ctx, ids), findVectors(ctx.db, embedder.id, ids)])
  const hashes = profiles.map(textHash)
  // A change of price makes a product stale but says nothing new: its vectors stay.
  const unchanged = profiles.map(
    (profile, index) => known.get(profile.id)?.textHash.equals(hashes[index] ?? Buffer.alloc(0)) ?? false,
  )
  const texts = profiles.flatMap((profile, index) =>
    unchanged[index] ? [] : [fullText(profile), shortText(profile)],
  )
  const made = await embedder.embedDocuments(texts)
  let next = 0
  const vectors = profiles.map((profile, index): StoredVectors => {
    const old = known.get(profile.id)
    const base = {
      productId: profile.id,
      textHash: hashes[index] ?? Buffer.alloc(0),
      sourceUpdatedAt: profile.updatedAt,
    }
    if (unchanged[index] && old) return { ...base, full: old.full, short: old.short }
    const [full = new Float32Array(embedder.dims), short = new Float32Array(embedder.dims)] = made.slice(
      next,
      next + 2,
    )
    next += 2
    return { ...base, full, short }
  })
  await saveVectors(ctx.db, embedder.id, vectors)
  return profiles.length
}
