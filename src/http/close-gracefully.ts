/**
 * Stopping without failing anyone. While a node drains it takes requests as before, but every answer says
 * `Connection: close`: a balancer that has seen it become unready loses its pooled connections one by one, each after an
 * answer. Then there are no new connections, those kept alive get a last call, requests under way get their time, and
 * the rest is cut.
 *
 * HTTP/1.1 has no way to end an idle connection that cannot cross with a request on its way. So an idle one is the last to
 * be closed, and only when everything that had reached this machine was read.
 */
import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerUnderWay } from './server-limits.ts'

type GracefulClose = {
  /** Goes on serving for so long, and lets go of each connection with its next answer. */
  drain(forMs: number): Promise<void>
  /** Resolves when every connection is gone. */
  close(limitMs?: number): Promise<void>
}

const LIMIT_MS = 10_000
/** For a request that its sender put into a kept-alive connection before it could know better. */
const LAST_CALL_MS = 100
const LOOK_MS = 20

/** Called before the server listens, so that it knows every connection. */
export function createGracefulClose(http: Server): GracefulClose {
  const sockets = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let lettingGo = false

  /** From now on every answer is the last one of its connection, also those that are being worked on. */
  function letGo(): void {
    if (lettingGo) return
    lettingGo = true
    http.prependListener('request', (_request, response) => endsConnection(response))
    for (const socket of sockets) {
      const response = answerUnderWay(socket)
      if (response && !response.headersSent) endsConnection(response)
    }
  }

  function closeIdle(): void {
    http.closeIdleConnections()
    // One that never carried a request does not count as idle there.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  return {
    async drain(forMs) {
      letGo()
      if (forMs > 0) await sleep(forMs)
    },
    async close(limitMs = LIMIT_MS) {
      letGo()
      const closed = new Promise<void>((resolve) => {
        // Not the close of an HTTP server, which would cut idle connections at once.
        TcpServer.prototype.close.call(http, () => resolve())
      })
      const cut = setTimeout(() => http.closeAllConnections(), limitMs)
      // After the sockets were read, not before: a timer that is late finds requests that nobody has looked at yet.
      const look = () => {
        setImmediate(closeIdle)
      }
      let looking: NodeJS.Timeout | undefined
      const lastCall = setTimeout(
        () => {
          look()
          looking = setInterval(look, LOOK_MS)
        },
        Math.min(LAST_CALL_MS, limitMs),
      )
      await closed
      clearTimeout(cut)
      clearTimeout(lastCall)
      clearInterval(looking)
    },
  }
}

function endsConnection(response: ServerResponse): void {
  response.shouldKeepAlive = false
}
