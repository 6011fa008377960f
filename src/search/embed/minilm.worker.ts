/** Runs the model in a thread of its own: a query costs more than a millisecond of pure computation. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { loadMinilm } from './minilm.ts'

/** Given as its data. */
export type WorkerRole = 'queries' | 'documents'

export type WorkerRequest = { id: number; text: string; mostTokens?: number } | 'close'
export type WorkerAnswer = { id: number; vector: Float32Array } | { id: number; error: string }

/** A third of what others get of a busy core. */
const BEHIND_OTHERS = 5

if ((workerData as WorkerRole) === 'documents') stepBack()
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

/**
 * Lets queries and requests go first on a busy core. On Linux a priority is that of one thread, elsewhere that of the whole
 * process, which must keep its own.
 */
function stepBack(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(path.basename(fs.readlinkSync('/proc/thread-self')))
    os.setPriority(thread, BEHIND_OTHERS)
  } catch {
    // Some containers do not allow it. Then the scheduler shares the cores evenly.
  }
}
