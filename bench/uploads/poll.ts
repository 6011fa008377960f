/** Asks for /healthz again and again in a thread of its own, where nothing that the bench does can hold it up. */
import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export type Polled = { asked: number; p50Ms: number; worstMs: number }

const { port } = workerData as { port: number }
const EVERY_MS = 5
const agent = new http.Agent({ keepAlive: true })
let waits: number[] = []

function ask(): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
        response.resume()
        response.once('end', () => resolve(performance.now() - started))
      })
      .once('error', reject)
  })
}

async function poll(): Promise<void> {
  for (;;) {
    waits.push(await ask())
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}

parentPort?.on('message', () => {
  const sorted = waits.toSorted((a, b) => a - b)
  waits = []
  const told: Polled = {
    asked: sorted.length,
    p50Ms: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    worstMs: sorted.at(-1) ?? Number.NaN,
  }
  parentPort?.postMessage(told)
})
void poll()
