/** Asks for /healthz again and again in a thread of its own, where nothing that the bench does can hold it up. */
import fs from 'node:fs'
import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** `late`: how many took longer than is promised. `stolenMs`: for how long the machine's host ran others meanwhile. */
export type Polled = {
  asked: number
  p50Ms: number
  p99Ms: number
  worstMs: number
  late: number
  stolenMs: number
}

const PROMISED_MS = 100

const { port, everyMs } = workerData as { port: number; everyMs: number }
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
let waits: number[] = []
let stolen = stolenMs()

/** Of all processors together. Where the system does not tell, 0. */
function stolenMs(): number {
  if (process.platform !== 'linux') return 0
  const [, , , , , , , , ticks] = fs.readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)
  return Number(ticks) * 10
}

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
    stolenMs: stolenMs() - stolen,
  }
  stolen += told.stolenMs
  parentPort?.postMessage(told)
})
void poll()
