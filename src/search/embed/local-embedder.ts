/**
 * The built-in embedder: MiniLM in worker threads. Queries have a thread that stays; documents get one of their own
 * while there are any, so that filling a catalog never stands before a shopper, and its memory is given back after.
 */

import { Worker } from 'node:worker_threads'
import { awaitLater } from '../../lib/background.ts'
import { type Embedder, rememberQueries } from './embedder.ts'
import { MINILM_DIMS, minilmId, QUERY_TOKENS } from './minilm.ts'
import type { WorkerAnswer, WorkerRequest } from './minilm.worker.ts'

const REMEMBERED_QUERIES = 5_000
const KEEP_DOCUMENT_THREAD_MS = 5_000
const RESTART_AFTER_MS = 10_000

export function createLocalEmbedder(): Embedder {
  let queries: Thread | null = null
  let id: string | null = null
  let documents: Thread | null = null
  let idle: NodeJS.Timeout | undefined
  let startedAt = 0

  async function embedDocuments(texts: string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    clearTimeout(idle)
    if (documents?.broken()) documents = null
    documents ??= startThread()
    const thread = documents
    // Two under way: the thread never waits for us, and a node that stops has little to abandon.
    const vectors: Float32Array[] = []
    let ahead: Promise<Float32Array> | null = null
    for (const text of texts) {
      // If the one before fails, nobody waits for this one any more: that it fails too is then no news.
      const current = awaitLater(thread.embed(text))
      if (ahead) vectors.push(await ahead)
      ahead = current
    }
    if (ahead) vectors.push(await ahead)
    idle = setTimeout(() => {
      documents = null
      thread.close().catch(() => {})
    }, KEEP_DOCUMENT_THREAD_MS)
    idle.unref()
    return vectors
  }

  /** Started by the first query. One that has died is replaced by the next, but not more than once in a while. */
  function queryThread(): Thread {
    if (!queries || (queries.broken() && performance.now() - startedAt > RESTART_AFTER_MS)) {
      queries = startThread()
      startedAt = performance.now()
    }
    return queries
  }

  return {
    get id() {
      id ??= minilmId()
      return id
    },
    dims: MINILM_DIMS,
    embedQuery: rememberQueries((text) => queryThread().embed(text, QUERY_TOKENS), REMEMBERED_QUERIES),
    embedDocuments,
    async close() {
      clearTimeout(idle)
      await Promise.all([queries?.close(), documents?.close()])
    },
  }
}

type Thread = {
  embed(text: string, mostTokens?: number): Promise<Float32Array>
  broken(): boolean
  close(): Promise<void>
}

function startThread(): Thread {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./minilm.worker${extension}`, import.meta.url))
  const waiting = new Map<number, { resolve(vector: Float32Array): void; reject(error: Error): void }>()
  let next = 0
  let broken: Error | null = null
  const fail = (error: Error) => {
    broken = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('message', (answer: WorkerAnswer) => {
    const asker = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) asker?.reject(new Error(answer.error))
    else asker?.resolve(answer.vector)
  })
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => fail(new Error('the embedding thread has ended')))
  // A thread that waits for work must not keep a finished program alive.
  worker.unref()
  return {
    embed(text, mostTokens) {
      if (broken) return Promise.reject(broken)
      return new Promise<Float32Array>((resolve, reject) => {
        const id = next++
        waiting.set(id, { resolve, reject })
        worker.ref()
        worker.postMessage({ id, text, mostTokens } satisfies WorkerRequest)
      }).finally(() => {
        if (waiting.size === 0) worker.unref()
      })
    },
    broken: () => broken !== null,
    async close() {
      if (broken) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.ref()
      worker.postMessage('close' satisfies WorkerRequest)
      await ended
    },
  }
}
