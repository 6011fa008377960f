/**
 * How much is still to be embedded, for `/metrics`. It takes a look at the whole catalog, so it is asked for now and then
 * however often somebody looks, and not waited for when the database is slow: then there is no figure.
 */
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { awaitLater } from '../lib/background.ts'
import { gauge } from '../lib/metrics.ts'
import { countEmbedding, type EmbeddingCounts } from './vectors.queries.ts'

const KEPT_MS = 15_000
const LONGEST_MS = 3_000
const TOO_LONG = { message: 'counting products to embed took too long' }

export function observeEmbedding(db: Db, currentModel: () => string | null): void {
  let asked: { at: number; counts: Promise<EmbeddingCounts> } | null = null

  function count(): Promise<EmbeddingCounts> {
    const now = performance.now()
    if (!asked || now - asked.at > KEPT_MS) {
      const model = currentModel() ?? ''
      asked = {
        at: now,
        counts: awaitLater(withinTime(db, TOO_LONG, (tx) => countEmbedding(tx, model), LONGEST_MS)),
      }
    }
    return asked.counts
  }

  gauge(
    'souk_embedding_pending',
    'Products without vectors, of all nodes, by stage: whole (semantic search) or sentences (ranking).',
    ['stage'],
    async () => {
      const { wholePending, sentencesPending } = await count()
      return [
        [['whole'], wholePending],
        [['sentences'], sentencesPending],
      ]
    },
  )
}
