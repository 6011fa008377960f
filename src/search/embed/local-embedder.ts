/**
 * The built-in embedder: MiniLM in worker threads. Queries have a thread that stays. Documents get one for each core while
 * there are any, at a lower priority, so that filling a catalog never stands before a shopper; their memory is given back
 * after.
 */
import os from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Embedder, rememberQueries } from './embedder.ts'
import { MINILM_DIMS, minilmId, QUERY_TOKENS } from './minilm.ts'
import type { WorkerAnswer, WorkerRequest, WorkerRole } from './minilm.worker.ts'

const REMEMBERED_QUERIES = 5_000
const KEEP_DOCUMENT_THREADS_MS = 5_000
const RESTART_AFTER_MS = 10_000
/** Each has the weights in memory. */
const MOST_THREADS = 8
const THREAD_BYTES = 150 * 1024 * 1024
/** Loading the weights takes as long as embedding this many: for fewer, another thread is not worth starting. */
const TEXTS_A_THREAD = 32
/** Under way in a thread: it never waits for us, and a node that stops has little to abandon. */
const AHEAD = 2

export function createLocalEmbedder(mostThreads = threadsForDocuments()): Embedder {
  let queries: Thread | null = null
  let id: string | null = null
  let documents: Thread[] = []
  let batches = 0
  let idle: NodeJS.Timeout | undefined
  let startedAt = 0

  async function embedDocuments(texts: string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    clearTimeout(idle)
    batches++
    try {
      // Variants of a product share most of their sentences. The longest first, so that all threads end together.
      const distinct = [...new Set(texts)].sort((a, b) => b.length - a.length)
      const vectors = await embedAll(distinct, documentThreads(distinct.length))
      return texts.map((text) => vectors.get(text) as Float32Array)
    } finally {
      if (--batches === 0) closeDocumentsLater()
    }
  }

  function documentThreads(texts: number): Thread[] {
    const wanted = Math.min(mostThreads, Math.ceil(texts / TEXTS_A_THREAD))
    documents = documents.filter((thread) => !thread.broken())
    while (documents.length < wanted) documents.push(startThread('documents'))
    return documents
  }

  function closeDocumentsLater(): void {
    idle = setTimeout(() => {
      for (const thread of documents) thread.close().catch(() => {})
      documents = []
    }, KEEP_DOCUMENT_THREADS_MS)
    idle.unref()
  }

  /** Started by the first query. One that has died is replaced by the next, but not more than once in a while. */
  function queryThread(): Thread {
    if (!queries || (queries.broken() && performance.now() - startedAt > RESTART_AFTER_MS)) {
      queries = startThread('queries')
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
      await Promise.all([queries, ...documents].map((thread) => thread?.close()))
    },
  }
}

/** One for each core, as far as a quarter of the free memory goes. */
function threadsForDocuments(): number {
  const byMemory = Math.floor(process.availableMemory() / 4 / THREAD_BYTES)
  return Math.max(1, Math.min(os.availableParallelism(), MOST_THREADS, byMemory))
}

/** Each thread takes the next text when it has finished one. */
async function embedAll(texts: string[], threads: Thread[]): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  let next = 0
  const work = async (thread: Thread): Promise<void> => {
    try {
      for (let text = texts[next++]; text !== undefined; text = texts[next++])
        vectors.set(text, await thread.embed(text))
    } catch (error) {
      // Nobody waits for the rest any more.
      next = texts.length
      throw error
    }
  }
  await Promise.all(threads.flatMap((thread) => Array.from({ length: AHEAD }, () => work(thread))))
  return vectors
}

type Thread = {
  embed(text: string, mostTokens?: number): Promise<Float32Array>
  broken(): boolean
  close(): Promise<void>
}

function startThread(role: WorkerRole): Thread {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const worker = new Worker(new URL(`./minilm.worker${extension}`, import.meta.url), { workerData: role })
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
