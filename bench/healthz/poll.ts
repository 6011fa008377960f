/** Asks for /healthz again and again in a thread of its own, where nothing that the bench does can hold it up. */
import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** `late`: how many took longer than is promised. */
export type Polled = { asked: number; p50Ms: number; p99Ms: number; worstMs: number; late: number }

const PROMISED_MS = 100

const { port, everyMs } = workerData as { port: number; everyMs: number }
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
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
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

parentPort?.on('message', () => {
  const sorted = waits.toSorted((a, b) => a - b)
  waits = []
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  const told: Polled = {
    asked: sorted.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    worstMs: sorted.at(-1) ?? Number.NaN,
    late: sorted.filter((ms) => ms > PROMISED_MS).length,
  }
  parentPort?.postMessage(told)
})
void poll()
