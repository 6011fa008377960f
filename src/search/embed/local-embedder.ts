/**
 * The built-in embedder: MiniLM in worker threads. Queries have a thread that stays; documents get one of their own
 * while there are any, so that filling a catalog never stands before a shopper, and its memory is given back after.
 */
import { Worker } from 'node:worker_threads'
import { type Embedder, rememberQueries } from './embedder.ts'
import { MINILM_DIMS, minilmId } from './minilm.ts'
import type { WorkerAnswer, WorkerRequest } from './minilm.worker.ts'

const REMEMBERED_QUERIES = 5_000
const KEEP_DOCUMENT_THREAD_MS = 5_000

export function createLocalEmbedder(): Embedder {
  const queries = startThread()
  let documents: Thread | null = null
  let idle: NodeJS.Timeout | undefined

  async function embedDocuments(texts: string[]): Promise<Float32Array[]> {
    clearTimeout(idle)
    documents ??= startThread()
    const thread = documents
    // Two under way: the thread never waits for us, and a node that stops has little to abandon.
    const vectors: Float32Array[] = []
    let ahead: Promise<Float32Array> | null = null
    for (const text of texts) {
      const current = thread.embed(text)
      if (ahead) vectors.push(await ahead)
      ahead = current
    }
    if (ahead) vectors.push(await ahead)
    idle = setTimeout(() => {
      documents = null
      void thread.close()
    }, KEEP_DOCUMENT_THREAD_MS)
    idle.unref()
    return vectors
  }

  return {
    id: minilmId(),
    dims: MINILM_DIMS,
    embedQuery: rememberQueries((text) => queries.embed(text), REMEMBERED_QUERIES),
    embedDocuments,
    async close() {
      clearTimeout(idle)
      await Promise.all([queries.close(), documents?.close()])
    },
  }
}

type Thread = { embed(text: string): Promise<Float32Array>; close(): Promise<void> }

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
    embed(text) {
      if (broken) return Promise.reject(broken)
      return new Promise<Float32Array>((resolve, reject) => {
        const id = next++
        waiting.set(id, { resolve, reject })
        worker.ref()
        worker.postMessage({ id, text } satisfies WorkerRequest)
      }).finally(() => {
        if (waiting.size === 0) worker.unref()
      })
    },
    async close() {
      await worker.terminate()
    },
  }
}
