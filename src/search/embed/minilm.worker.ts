/** Runs the model in a thread of its own: a query costs more than a millisecond of pure computation. */
import { parentPort, workerData } from 'node:worker_threads'
import { stepBackThread } from '../../lib/step-back.ts'
import { loadMinilm } from './minilm.ts'

/** Given as its data. */
export type WorkerRole = 'queries' | 'documents'

export type WorkerRequest = { id: number; text: string; mostTokens?: number } | 'close'
export type WorkerAnswer = { id: number; vector: Float32Array } | { id: number; error: string }

if ((workerData as WorkerRole) === 'documents') stepBackThread()
const loading = loadMinilm()
let work: Promise<void> = loading.then(
  () => {},
  () => {},
)

parentPort?.on('message', (request: WorkerRequest) => {
  // Ended from outside in the middle of its work, the native library would take the whole process down.
  work = work.then(() => (request === 'close' ? parentPort?.close() : answer(request)))
})

async function answer({ id, text, mostTokens }: Exclude<WorkerRequest, 'close'>): Promise<void> {
  try {
    const embed = await loading
    const made: WorkerAnswer = { id, vector: await embed(text, mostTokens) }
    parentPort?.postMessage(made, [made.vector.buffer as ArrayBuffer])
  } catch (error) {
    const failed: WorkerAnswer = { id, error: error instanceof Error ? error.message : String(error) }
    parentPort?.postMessage(failed)
  }
}
