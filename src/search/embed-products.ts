/**
 * Keeps every product embedded by the current model. One job at a time over all nodes works through whatever is stale,
 * in small pieces that are found by every node as soon as they are stored. A new model simply makes everything stale.
 */
import { z } from 'zod'
import { getProfiles } from '../catalog/catalog.service.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import { defineJob, enqueue, type Job } from '../jobs/runner.ts'
import type { Log } from '../lib/log.ts'
import type { Embedder } from './embed/embedder.ts'
import { PASSAGE_KINDS, passagesOf, textHash, textsOf } from './product-text.ts'
import type { ProductVectors } from './vectors/meaning-index.ts'
import { quantisePassages } from './vectors/passages.ts'
import { dropTablesOfOtherModels } from './vectors/pgvector-tables.queries.ts'
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
const READY_PIECE = 200

export function createEmbedJob(
  ctx: Context,
  /** Null while none is connected. */
  currentEmbedder: () => Embedder | null,
  onProgress: (done: number, total: number) => void = () => {},
): Job {
  return defineJob({
    ...EMBED_JOB,
    payload: z.object({}),
    leaseMs: 60_000,
    run: async (_, { signal }) => {
      const embedder = currentEmbedder()
      if (!embedder) return
      const total = await countStale(ctx.db, embedder.id)
      for (let done = 0; !signal.aborted; ) {
        const embedded = await embedPiece(ctx, embedder)
        if (embedded === 0) break
        done += embedded
        onProgress(done, Math.max(done, total))
      }
      signal.throwIfAborted()
      // Tables first: each deleted row would be looked for in them.
      await dropTablesOfOtherModels(ctx.db, embedder)
      await deleteVectorsOfOtherModels(ctx.db, embedder.id)
      if (total > 0) ctx.log.info({ products: total, model: embedder.id }, 'embedded')
    },
  })
}

/** Asked for by every node that sees a product change; one waiting job stands for all. */
export async function requestEmbedding(ctx: Context): Promise<void> {
  await enqueue(ctx.db, EMBED_JOB, {}, { dedupeKey: 'all' })
}

/** Vectors that need not be made: those that come with the demo catalog. */
export type ReadyVectors = { find(textHash: Buffer): ProductVectors | null }

/** Stores what is ready for stale products; the others are left to the job. */
export async function takeReadyVectors(
  ctx: Context,
  model: string,
  /** Called only when something is stale: reading them takes a moment. */
  readReady: () => ReadyVectors | null,
): Promise<void> {
  let ready: ReadyVectors | null | undefined
  for (let after: string | undefined; ; ) {
    const ids = await findStale(ctx.db, model, { limit: READY_PIECE, after })
    after = ids.at(-1)
    if (after === undefined) return
    ready ??= readReady()
    if (!ready) return
    const found = (await getProfiles(ctx, ids)).flatMap((profile): StoredVectors[] => {
      const hash = textHash(profile)
      const vectors = ready?.find(hash)
      return vectors
        ? [{ ...vectors, productId: profile.id, textHash: hash, sourceUpdatedAt: profile.updatedAt }]
        : []
    })
    await saveVectors(ctx.db, model, found)
  }
}

/** Returns how many products it brought up to date; 0 when there is nothing left. */
export async function embedPiece(
  ctx: Context,
  embedder: Pick<Embedder, 'id' | 'embedDocuments'>,
): Promise<number> {
  const ids = await findStale(ctx.db, embedder.id, { limit: PIECE })
  if (ids.length === 0) return 0
  const [profiles, known] = await Promise.all([getProfiles(ctx, ids), findVectors(ctx.db, embedder.id, ids)])
  const made = await makeVectors(profiles, embedder, (profile, hash) => {
    const old = known.get(profile.id)
    // A change of price makes a product stale but says nothing new: its vectors stay.
    return old?.textHash.equals(hash) ? old : null
  })
  const vectors = profiles.map((profile, index): StoredVectors => {
    const { hash, vectors } = made[index] as HashedVectors
    return { ...vectors, productId: profile.id, textHash: hash, sourceUpdatedAt: profile.updatedAt }
  })
  await saveVectors(ctx.db, embedder.id, vectors)
  return profiles.length
}

type HashedVectors = { hash: Buffer; vectors: ProductVectors }

/** Embeds the profiles for which `known` has no vectors, all their texts in one go. */
export async function makeVectors(
  profiles: ProductProfile[],
  embedder: Pick<Embedder, 'embedDocuments'>,
  known: (profile: ProductProfile, hash: Buffer) => ProductVectors | null = () => null,
): Promise<HashedVectors[]> {
  const planned = profiles.map((profile) => {
    const hash = textHash(profile)
    return { profile, hash, vectors: known(profile, hash) }
  })
  const texts = planned.flatMap(({ profile, vectors }) => (vectors ? [] : textsOf(profile)))
  const made = (await embedder.embedDocuments(texts)).values()
  return planned.map(({ profile, hash, vectors }) => ({
    hash,
    vectors: vectors ?? takeVectors(profile, made),
  }))
}

/** In the order of `textsOf`. */
function takeVectors(profile: ProductProfile, made: Iterator<Float32Array>): ProductVectors {
  const next = (): Float32Array => {
    const { value, done } = made.next()
    if (done) throw new Error('the embedder answered with fewer vectors than it was given texts')
    return value
  }
  const full = next()
  const short = next()
  const passages = passagesOf(profile).map(({ kind }) => ({
    kind: PASSAGE_KINDS.indexOf(kind),
    vector: next(),
  }))
  return { full, short, passages: quantisePassages(passages) }
}
