/**
 * Servers on 127.0.0.1 that play the world outside, and count what reaches them. Tests of outbound requests need
 * the count of accepted connections more than the answers: a refusal is only proved by nobody having knocked.
 */
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'

export type Loopback = {
  port: number
  /** Connections ever accepted. */
  accepted(): number
  /** Connections still open. */
  open(): number
  /** Bytes ever received, TLS handshakes included. */
  received(): number
  hangUp(): void
  close(): Promise<void>
}

export async function serve(
  listener: RequestListener,
  tls?: { cert: string; key: string },
): Promise<Loopback> {
  return await listen(tls ? createHttpsServer(tls, listener) : createHttpServer(listener))
}

/** A server that answers with whatever the function writes, HTTP or not. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<Loopback> {
  return await listen(
    createTcpServer((socket) => {
      socket.resume() // or its end would go unnoticed behind unread data
      onSocket(socket)
    }),
  )
}

async function listen(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>()
  let accepted = 0
  let received = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      received += socket.bytesRead
      sockets.delete(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    accepted: () => accepted,
    open: () => sockets.size,
    received: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, received),
    hangUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        hangUp()
      }),
  }
}
