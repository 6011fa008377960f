/**
 * Kept-alive connections, by origin. Each origin has its own lane, so a producer that hangs holds up nobody else,
 * and a lane disappears with its last connection, so memory follows the traffic and not the number of origins
 * ever seen. An undici Client speaks HTTP/1.1 on a socket that was opened and checked before; it can never open
 * one itself. Opening runs under the clock of the request that needs it, and ends with it.
 */
import type { Socket } from 'node:net'
import type { Client } from 'undici'
import { OutboundError } from './outbound.errors.ts'

export type Opened = { socket: Socket; address: string; connectMs: number }

export type Connection = {
  client: Client
  socket: Socket
  address: string
  connectMs: number
  /** Has it carried an exchange before? Only the first one paid for `connectMs`. */
  reused: boolean
  /** As the socket counts what it has read: beyond this it is closed with OVERRUN. Each exchange sets its own. */
  mayRead: number
  lane: Lane
}

/** A waiting request is handed a connection, or (undefined) the right to open one. */
type Waiter = (connection: Connection | undefined) => void
type Lane = { origin: string; idle: Connection[]; open: number; waiting: Waiter[] }

type Pool = {
  take(origin: string, open: () => Promise<Opened>, signal: AbortSignal): Promise<Connection>
  /** After a complete exchange: the next request may use it. */
  give(connection: Connection): void
  /** After anything else: nobody knows what is still on the wire. */
  drop(connection: Connection): void
  /** How many origins it remembers, and how many connections are open. */
  size(): { origins: number; connections: number }
  close(): Promise<void>
}

/** What undici gets when it asks for a second socket: it found the first one closed and has sent nothing yet. */
export const NEVER_SENT = new OutboundError('connect', 'The connection was closed by the other side')

/** What a connection is closed with that has brought more than any answer to its request could need. */
export const OVERRUN = new OutboundError('too_large', 'The other side sent too much data')

const MAX_PER_ORIGIN = 128
const MAX_OPEN_TO_KEEP = 2_000
const IDLE_MS = 4_000
const MAX_IDLE_MS = 10_000
export const MAX_HEADER_BYTES = 16_384

export function createPool(): Pool {
  const lanes = new Map<string, Lane>()
  const connections = new Set<Connection>()

  async function take(origin: string, open: () => Promise<Opened>, signal: AbortSignal): Promise<Connection> {
    const lane = lanes.get(origin) ?? { origin, idle: [], open: 0, waiting: [] }
    lanes.set(origin, lane)
    const kept = lane.idle.pop()
    if (kept) return kept
    if (lane.open < MAX_PER_ORIGIN) lane.open += 1
    else {
      const handed = await turn(lane, signal)
      if (handed) return handed
    }
    try {
      // Loaded by the first request that goes out: most starts send none.
      const { Client } = await import('undici')
      const connection = speak(Client, lane, await open())
      connections.add(connection)
      // A connection in use is its request's to drop, after undici has said how the request ended.
      connection.client.on('disconnect', () => {
        if (lane.idle.includes(connection)) drop(connection)
      })
      // Attached after undici's own listeners, which must get the events first.
      connection.client.once('connect', () => connection.socket.on('readable', () => stopOverrun(connection)))
      return connection
    } catch (error) {
      freeSlot(lane)
      throw error
    }
  }

  function give(connection: Connection): void {
    if (connection.socket.destroyed || connections.size > MAX_OPEN_TO_KEEP) {
      drop(connection)
      return
    }
    connection.reused = true
    const waiter = connection.lane.waiting.shift()
    if (waiter) waiter(connection)
    else connection.lane.idle.push(connection)
  }

  function drop(connection: Connection): void {
    if (!connections.delete(connection)) return
    const { lane } = connection
    lane.idle = lane.idle.filter((other) => other !== connection)
    destroy(connection).catch(() => {})
    freeSlot(lane)
  }

  function freeSlot(lane: Lane): void {
    const waiter = lane.waiting.shift()
    if (waiter) {
      waiter(undefined)
      return
    }
    lane.open -= 1
    if (lane.open === 0) lanes.delete(lane.origin)
  }

  async function close(): Promise<void> {
    const open = [...connections]
    for (const connection of open) drop(connection)
    await Promise.all(open.map(destroy))
  }

  return {
    take,
    give,
    drop,
    size: () => ({ origins: lanes.size, connections: connections.size }),
    close,
  }
}

function speak(Speaker: typeof Client, lane: Lane, opened: Opened): Connection {
  let handedOver = false
  const client = new Speaker(lane.origin, {
    connect: (_options, callback) => {
      const first = !handedOver
      handedOver = true
      // Not at once: undici forgets to send when its connector calls back before it has returned.
      queueMicrotask(() => (first ? callback(null, opened.socket) : callback(NEVER_SENT, null)))
    },
    allowH2: false,
    useMilo: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
    keepAliveTimeoutThreshold: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The request's own clock covers all of the exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { ...opened, client, reused: false, lane, mayRead: 0 }
}

function stopOverrun({ socket, mayRead }: Connection): void {
  if (socket.bytesRead > mayRead) socket.destroy(OVERRUN)
}

async function destroy({ client, socket }: Connection): Promise<void> {
  // The client knows of the socket only once it has sent a request.
  socket.destroy()
  await client.destroy()
}

function turn(lane: Lane, signal: AbortSignal): Promise<Connection | undefined> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = (connection) => {
      signal.removeEventListener('abort', leave)
      resolve(connection)
    }
    const leave = () => {
      lane.waiting.splice(lane.waiting.indexOf(waiter), 1)
      reject(signal.reason)
    }
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    signal.addEventListener('abort', leave, { once: true })
    lane.waiting.push(waiter)
  })
}
