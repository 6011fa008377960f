/** How long /healthz takes to answer while a node works on something large: nobody else is to notice that. */
import { Worker } from 'node:worker_threads'
import type { Polled } from './healthz/poll.ts'

export type HealthzWatch = {
  /** What was found since it was last asked. */
  tell(): Promise<Polled>
  stop(): Promise<void>
}

export function watchHealthz(port: number, everyMs: number): HealthzWatch {
  const poller = new Worker(new URL('./healthz/poll.ts', import.meta.url), { workerData: { port, everyMs } })
  return {
    tell: () =>
      new Promise<Polled>((resolve, reject) => {
        poller.once('error', reject)
        poller.once('message', (told: Polled) => {
          poller.off('error', reject)
          resolve(told)
        })
        poller.postMessage('tell')
      }),
    async stop() {
      await poller.terminate()
    },
  }
}
