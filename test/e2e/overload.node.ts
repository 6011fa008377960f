/** A node of its own in a thread of its own: each request costs it some milliseconds, and the door stands before it. */
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { createLimitedServer, SERVER_LIMITS } from '../../src/http/server-limits.ts'
import { boundsFor, createDoor } from '../../src/http/shed.ts'
import { createLog } from '../../src/lib/log.ts'

const { costMs, guarded } = workerData as { costMs: number; guarded: boolean }
const door = createDoor({
  bounds: boundsFor({ poolSize: 10 }),
  line: () => ({ waiting: 0, handedOut: 0 }),
  trustProxy: false,
  https: false,
  log: createLog('silent'),
})
const server = createLimitedServer(SERVER_LIMITS, (request, response) => {
  if (request.url === '/pressure') return void response.end(JSON.stringify(door.pressure()))
  if (guarded && !door.admit(request, response)) return
  if (request.url !== '/healthz') {
    const until = performance.now() + costMs
    while (performance.now() < until);
  }
  response.end('done')
})
door.watch(server)
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()))
