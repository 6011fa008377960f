/**
 * Keeps every product embedded by the current model. One job at a time over all nodes works through whatever is stale,
 * in pieces that are found by every node as soon as they are stored. First every product as a whole, which is what finds
 * it by meaning; then the sentences, which refine the order. A new model simply makes everything stale.
 */
import { z } from 'zod'
import { getProfiles } from '../catalog/catalog.service.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import { defineJob, enqueue, type Job } from '../jobs/runner.ts'
import { awaitLater } from '../lib/background.ts'
import { createBreather } from '../lib/breathe.ts'
import type { Log } from '../lib/log.ts'
import type { Embedder } from './embed/embedder.ts'
import { PASSAGE_KINDS, type Passage, passagesOf, textHash, wholeHash, wholeTexts } from './product-text.ts'
import type { ProductVectors } from './vectors/meaning-index.ts'
import { NO_PASSAGES, type Passages, quantisePassages } from './vectors/passages.ts'
import { dropTablesOfOtherModels } from './vectors/pgvector-tables.queries.ts'
import {
  confirmVectors,
  countEmbedding,
  deleteVectorsOfOtherModels,
  findStale,
  findVectors,
  findWithoutSentences,
  listStale,
  listWithoutSentences,
  type StoredVectors,
  saveVectors,
} from './vectors.queries.ts'

type Context = { db: Db; log: Log }
type DocumentEmbedder = Pick<Embedder, 'id' | 'embedDocuments'>

/** What is made of products: their whole vectors, or all that they lack. */
type Stage = 'whole' | 'sentences'

export const EMBED_JOB = { kind: 'embed-products', maxAttempts: 20 }
/** Enough work for eight threads, and seconds of it at most for two. */
const PIECE = 128
const READY_PIECE = 200
/** So many or fewer are listed at once. */
const FEW = 10_000
/** Sentences wait while products are stale. Looking for those reads the whole catalog, so it takes this share of the time. */
const LOOKING_SHARE = 0.05

export function createEmbedJob(
  ctx: Context,
  /** Null while none is connected. */
  currentEmbedder: () => Embedder | null,
  onProgress: (stage: Stage, done: number, total: number) => void = () => {},
  lookingShare = LOOKING_SHARE,
): Job {
  return defineJob({
    ...EMBED_JOB,
    payload: z.object({}),
    leaseMs: 60_000,
    run: async (_, { signal }) => {
      const embedder = currentEmbedder()
      if (!embedder) return
      let pending = await countEmbedding(ctx.db, embedder.id)
      const { wholePending, sentencesPending } = pending
      const total = { whole: wholePending, sentences: sentencesPending }
      const done = { whole: 0, sentences: 0 }
      const count = (stage: Stage) => (products: number) => {
        done[stage] += products
        onProgress(stage, done[stage], Math.max(done[stage], total[stage]))
      }
      for (let lookedMs = 0; pending.sentencesPending > 0 && !signal.aborted; ) {
        const stage = pending.wholePending > 0 ? 'whole' : 'sentences'
        const until = stage === 'whole' ? Infinity : performance.now() + lookedMs / lookingShare
        const made = await embedStage(ctx, embedder, stage, signal, {
          pending: stage === 'whole' ? pending.wholePending : pending.sentencesPending,
          onPiece: count(stage),
          goOn: () => performance.now() < until,
        })
        if (made === 0) break
        const began = performance.now()
        pending = await countEmbedding(ctx.db, embedder.id)
        lookedMs = performance.now() - began
      }
      signal.throwIfAborted()
      // Tables first: each deleted row would be looked for in them.
      await dropTablesOfOtherModels(ctx.db, embedder)
      await deleteVectorsOfOtherModels(ctx.db, embedder.id)
      if (wholePending > 0) ctx.log.info({ products: wholePending, model: embedder.id }, 'embedded')
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

/** Embeds the next products, as wholes while any is stale; answers how many, and 0 when there is nothing left. */
export async function embedPiece(ctx: Context, embedder: DocumentEmbedder): Promise<number> {
  for (const stage of ['whole', 'sentences'] as const) {
    const piece = await readPiece(ctx, embedder.id, stage)
    if (!piece) continue
    await (await embedded(ctx, piece, embedder, stage))()
    return piece.profiles.length
  }
  return 0
}

/** All pieces once, in the order of ids. The next is read and the last is stored while one is embedded. */
async function embedStage(
  ctx: Context,
  embedder: DocumentEmbedder,
  stage: Stage,
  signal: AbortSignal,
  { pending, onPiece, goOn }: { pending: number; onPiece: (products: number) => void; goOn: () => boolean },
): Promise<number> {
  let made = 0
  let saving = Promise.resolve()
  const listed = pending > FEW ? null : await listAll(ctx, embedder.id, stage)
  const next = (after?: string) => awaitLater(readPiece(ctx, embedder.id, stage, { after, listed }))
  let reading = next()
  try {
    for (let piece = await reading; piece; piece = await reading) {
      reading = next(piece.last)
      const store = await embedded(ctx, piece, embedder, stage)
      await saving
      saving = awaitLater(store())
      made += piece.profiles.length
      onPiece(piece.profiles.length)
      if (signal.aborted || !goOn()) break
    }
  } finally {
    await Promise.allSettled([reading, saving])
  }
  await saving
  return made
}

type Piece = { profiles: ProductProfile[]; known: Map<string, StoredVectors>; last: string }

async function listAll({ db }: Context, model: string, stage: Stage): Promise<string[]> {
  const ids = await (stage === 'whole' ? listStale : listWithoutSentences)(db, model)
  return ids.sort()
}

/** The next after an id; of those that are listed, if they are. */
async function readPiece(
  ctx: Context,
  model: string,
  stage: Stage,
  { after = '', listed = null }: { after?: string; listed?: readonly string[] | null } = {},
): Promise<Piece | null> {
  const find = stage === 'whole' ? findStale : findWithoutSentences
  const ids = listed
    ? listed.filter((id) => id > after).slice(0, PIECE)
    : await find(ctx.db, model, { limit: PIECE, ...(after !== '' && { after }) })
  const last = ids.at(-1)
  if (last === undefined) return null
  const [profiles, known] = await Promise.all([getProfiles(ctx, ids), findVectors(ctx.db, model, ids)])
  return { profiles, known, last }
}

/** Answers what stores the vectors it has made. */
async function embedded(
  ctx: Context,
  { profiles, known }: Piece,
  embedder: DocumentEmbedder,
  stage: Stage,
): Promise<() => Promise<void>> {
  const made = await makeVectors(profiles, embedder, stage, known)
  const vectors = profiles.map((profile, index): StoredVectors => {
    const { hash, vectors, sentencesPending } = made[index] as MadeVectors
    return {
      ...vectors,
      productId: profile.id,
      textHash: hash,
      sentencesPending,
      sourceUpdatedAt: profile.updatedAt,
    }
  })
  const isKnown = ({ productId, textHash, sentencesPending }: StoredVectors) => {
    const before = known.get(productId)
    return before?.textHash.equals(textHash) === true && before.sentencesPending === sentencesPending
  }
  return async () => {
    await saveVectors(
      ctx.db,
      embedder.id,
      vectors.filter((one) => !isKnown(one)),
    )
    await confirmVectors(ctx.db, embedder.id, vectors.filter(isKnown))
  }
}

type MadeVectors = { hash: Buffer; vectors: ProductVectors; sentencesPending: boolean }

/** Embeds what the profiles lack for this stage, all their texts in one go. */
export async function makeVectors(
  profiles: ProductProfile[],
  embedder: Pick<Embedder, 'embedDocuments'>,
  stage: Stage = 'sentences',
  known: ReadonlyMap<string, StoredVectors> = new Map(),
): Promise<MadeVectors[]> {
  const breathe = createBreather()
  const plans: Plan[] = []
  for (const profile of profiles) {
    plans.push(planFor(profile, stage, known.get(profile.id)))
    await breathe()
  }
  const texts = plans.flatMap(({ whole, sentences }) => [
    ...(Array.isArray(whole) ? whole : []),
    ...(Array.isArray(sentences) ? sentences.map(({ text }) => text) : []),
  ])
  const embedded = (await embedder.embedDocuments(texts)).values()
  const made: MadeVectors[] = []
  for (const plan of plans) {
    made.push(carryOut(plan, embedded))
    await breathe()
  }
  return made
}

/** Texts are to be embedded; vectors are kept. */
type Plan = {
  hash: Buffer
  whole: [full: string, short: string] | Pick<ProductVectors, 'full' | 'short'>
  sentences: Passage[] | Passages | 'later'
}

/** A change of price makes a product stale but says nothing new: its vectors stay. */
function planFor(profile: ProductProfile, stage: Stage, known: StoredVectors | undefined): Plan {
  const [all, alone] = [textHash(profile), wholeHash(profile)]
  const passages = passagesOf(profile)
  const isSame = known?.textHash.equals(all) && !known.sentencesPending
  const hasWhole = isSame || known?.textHash.equals(alone)
  const isLater = !isSame && stage === 'whole' && passages.length > 0
  return {
    hash: isLater ? alone : all,
    whole: known && hasWhole ? known : wholeTexts(profile),
    sentences: known && isSame ? known.passages : isLater ? 'later' : passages,
  }
}

/** In the order of the texts. */
function carryOut({ hash, whole, sentences }: Plan, made: Iterator<Float32Array>): MadeVectors {
  const next = (): Float32Array => {
    const { value, done } = made.next()
    if (done) throw new Error('the embedder returned fewer vectors than texts')
    return value
  }
  const { full, short } = Array.isArray(whole) ? { full: next(), short: next() } : whole
  const sentencesPending = sentences === 'later'
  const passages = Array.isArray(sentences)
    ? quantisePassages(sentences.map(({ kind }) => ({ kind: PASSAGE_KINDS.indexOf(kind), vector: next() })))
    : sentences === 'later'
      ? NO_PASSAGES
      : sentences
  return { hash, vectors: { full, short, passages }, sentencesPending }
}
