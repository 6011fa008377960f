/** A node of its own in a thread of its own: each request costs it some milliseconds, and the guard stands before it. */
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { createFastLane } from '../../src/http/fast-lane.ts'
import { createLimitedServer, SERVER_LIMITS } from '../../src/http/server-limits.ts'
import { boundsFor, createGuard } from '../../src/http/shed.ts'
import { createLog } from '../../src/lib/log.ts'

const { costMs, guarded } = workerData as { costMs: number; guarded: boolean }
const log = createLog('silent')
const guard = createGuard({
  bounds: boundsFor({ poolSize: 10 }),
  line: () => ({ waiting: 0, handedOut: 0 }),
  https: false,
  log,
})
const lane = createFastLane({ refusal: guarded ? guard.refusal : undefined, trustProxy: false, log })
const server = createLimitedServer(SERVER_LIMITS, (request, response) => {
  if (request.url === '/pressure') return void response.end(JSON.stringify(guard.pressure()))
  lane(request, response, () => {
    if (request.url !== '/healthz') {
      const until = performance.now() + costMs
      while (performance.now() < until);
    }
    response.end('done')
  })
})
guard.watch(server)
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()))
