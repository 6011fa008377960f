/** Documents as they were embedded before: in one thread, one after the other, every text read to its end. */
import { Worker } from 'node:worker_threads'

export type Before = { embedDocuments(texts: string[]): Promise<Float32Array[]>; close(): Promise<unknown> }

export function startBefore(): Before {
  const worker = new Worker(new URL('./before.worker.ts', import.meta.url))
  const waiting: Array<(vector: Float32Array) => void> = []
  worker.on('message', (vector: Float32Array) => waiting.shift()?.(vector))
  const embed = (text: string) =>
    new Promise<Float32Array>((resolve) => {
      waiting.push(resolve)
      worker.postMessage(text)
    })
  return {
    async embedDocuments(texts) {
      const vectors: Float32Array[] = []
      let ahead: Promise<Float32Array> | null = null
      for (const text of texts) {
        const current = embed(text)
        if (ahead) vectors.push(await ahead)
        ahead = current
      }
      if (ahead) vectors.push(await ahead)
      return vectors
    },
    close: () => worker.terminate(),
  }
}
