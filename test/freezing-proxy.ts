/**
 * A way to the tests' PostgreSQL that can freeze: requests still arrive there, answers stay in the proxy until it thaws.
 * That is how a database looks whose disk hangs. It freezes after a number of answers or after a statement, so a test
 * can choose the moment without looking at a clock.
 */
import net from 'node:net'
import { afterAll, inject } from 'vitest'

export type FreezingProxy = {
  url: string
  /** Pieces of answers that have passed so far. */
  passed(): number
  isFrozen(): boolean
  /** Freezes when so many more pieces have passed, or when a request holds this text. */
  freezeAfter(moment: { pieces: number } | { request: string }): void
  /** Resolves when it is frozen. */
  frozen(): Promise<void>
  thaw(): void
}

export async function startFreezingProxy(database: string): Promise<FreezingProxy> {
  const { host, port, user } = inject('postgres')
  const sockets = new Set<net.Socket>()
  let passed = 0
  let left = Number.POSITIVE_INFINITY
  let wanted: string | null = null
  let isFrozen = false
  let whenFrozen = Promise.withResolvers<void>()
  const held: Array<() => void> = []

  function freeze(): void {
    left = Number.POSITIVE_INFINITY
    wanted = null
    isFrozen = true
    whenFrozen.resolve()
  }

  function answer(client: net.Socket, piece: Buffer): void {
    if (!isFrozen && --left < 0) freeze()
    if (isFrozen) {
      held.push(() => client.write(piece))
      return
    }
    passed += 1
    client.write(piece)
  }

  const server = net.createServer((client) => {
    const upstream = net.connect(`${host}/.s.PGSQL.${port}`)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (piece) => {
      if (wanted !== null && piece.includes(wanted)) freeze()
      upstream.write(piece)
    })
    upstream.on('data', (piece) => answer(client, piece))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const { port: own } = server.address() as net.AddressInfo
  return {
    url: `postgresql://${user}@127.0.0.1:${own}/${database}`,
    passed: () => passed,
    isFrozen: () => isFrozen,
    freezeAfter(moment) {
      whenFrozen = Promise.withResolvers()
      if ('pieces' in moment) left = moment.pieces
      else wanted = moment.request
    },
    frozen: () => whenFrozen.promise,
    thaw() {
      isFrozen = false
      for (const send of held.splice(0)) send()
    },
  }
}
