/** Runs the model in a thread of its own: a query costs more than a millisecond of pure computation. */
import { parentPort } from 'node:worker_threads'
import { loadMinilm } from './minilm.ts'

export type WorkerRequest = { id: number; text: string }
export type WorkerAnswer = { id: number; vector: Float32Array } | { id: number; error: string }

const loading = loadMinilm()

parentPort?.on('message', async ({ id, text }: WorkerRequest) => {
  try {
    const embed = await loading
    const answer: WorkerAnswer = { id, vector: await embed(text) }
    parentPort?.postMessage(answer, [answer.vector.buffer as ArrayBuffer])
  } catch (error) {
    const answer: WorkerAnswer = { id, error: error instanceof Error ? error.message : String(error) }
    parentPort?.postMessage(answer)
  }
})
