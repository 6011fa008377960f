/**
 * A small HTTP/1.1 balancer on loopback, as strict as the ones in the world: it asks each node's /readyz many times a
 * second, takes the ready ones in turn over kept-alive connections, and lets bodies stream both ways. A request is tried on
 * another node only when no connection could be made; one that a node may have seen is never sent twice. What it
 * could not answer by a node's word is counted, so that a trial can demand zero.
 */
import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export type BalancerCounts = {
  answered: number
  /** Connections that could not be made; their requests went to another node. */
  retried: number
  /** What clients got 502 or 503 for, or whose answer broke off, in words. */
  failures: string[]
  /** When a node was taken in or left out, with its word. */
  changes: string[]
}

export type Balancer = {
  /** Known before there are nodes, because they are told it as their public address. */
  address: string
  add(nodeAddress: string): void
  remove(nodeAddress: string): void
  /** The nodes that are given requests just now. */
  ready(): string[]
  counts: BalancerCounts
  close(): Promise<void>
}

type Backend = { address: URL; agent: http.Agent; ready: boolean; silent: number; over: boolean }

const CHECK_MS = 100
const CHECK_LIMIT_MS = 2_000
/** A node that says no, or is not there, is left out at once; one that is slow to say anything, after this many times. */
const MOST_SILENT = 3
/** Belong to one connection, not to the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = []
  const counts: BalancerCounts = { answered: 0, retried: 0, failures: [], changes: [] }
  let turn = 0

  /** The ready ones, beginning with the one whose turn it is. */
  function inTurn(): Backend[] {
    const ready = backends.filter((backend) => backend.ready)
    const first = ready.length === 0 ? 0 : turn++ % ready.length
    return [...ready.slice(first), ...ready.slice(0, first)]
  }

  const server = http.createServer((request, response) => {
    carry(request, response, inTurn(), counts)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(nodeAddress) {
      const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64 })
      const backend: Backend = { address: new URL(nodeAddress), agent, ready: false, silent: 0, over: false }
      backends.push(backend)
      void keepChecking(backend, counts)
    },
    remove(nodeAddress) {
      const at = backends.findIndex(({ address }) => address.href === new URL(nodeAddress).href)
      for (const backend of backends.splice(at, at < 0 ? 0 : 1)) letGo(backend)
    },
    ready: () => backends.filter((backend) => backend.ready).map(({ address }) => address.origin),
    counts,
    async close() {
      for (const backend of backends.splice(0)) letGo(backend)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function letGo(backend: Backend): void {
  backend.over = true
  backend.ready = false
  backend.agent.destroy()
}

async function keepChecking(backend: Backend, { changes }: BalancerCounts): Promise<void> {
  while (!backend.over) {
    const said = await check(backend)
    backend.silent = said === null ? backend.silent + 1 : 0
    const ready = said === 'ready' || (said === null && backend.ready && backend.silent < MOST_SILENT)
    if (ready !== backend.ready) changes.push(`${backend.address.host}: ${said ?? 'no answer in time'}`)
    backend.ready = ready && !backend.over
    await sleep(CHECK_MS)
  }
}

/** `ready`, or why it is not; null when it has not said in time. Over a connection of its own, as a node may take none. */
function check({ address }: Backend): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = http.get(new URL('/readyz', address), { agent: false })
    const limit = setTimeout(() => {
      resolve(null)
      asked.destroy()
    }, CHECK_LIMIT_MS)
    asked.on('response', async (response) => {
      const body = await text(response).catch(() => '')
      resolve(response.statusCode === 200 ? 'ready' : body)
    })
    asked.on('error', (error) => resolve(error.message))
    asked.on('close', () => clearTimeout(limit))
  })
}

function carry(
  request: IncomingMessage,
  response: ServerResponse,
  [backend, ...others]: Backend[],
  counts: BalancerCounts,
): void {
  const what = `${request.method} ${request.url}`
  if (backend === undefined) {
    counts.failures.push(`${what}: no node is ready`)
    response.writeHead(503, { 'Retry-After': '1' }).end('No node is ready.\n')
    return
  }
  const asked = http.request({
    agent: backend.agent,
    host: backend.address.hostname,
    port: backend.address.port,
    method: request.method,
    path: request.url,
    headers: forwarded(request),
  })
  let connected = false
  onConnected(asked, () => {
    connected = true
    request.pipe(asked)
  })
  // Of a client that left nothing is said: that is not our failure.
  const left = () => asked.destroy()
  response.once('close', left)
  asked.on('error', (error: NodeJS.ErrnoException) => {
    response.off('close', left)
    if (response.destroyed) return
    if (!connected) {
      counts.retried++
      backend.ready = false
      carry(request, response, others, counts)
      return
    }
    counts.failures.push(
      `${what}: ${error.code ?? error.message}${asked.reusedSocket ? ' (kept alive)' : ''}`,
    )
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end('The node did not answer.\n')
  })
  asked.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers))
    // A stream's first event may be long in coming, but not the word that it has begun.
    response.flushHeaders()
    answer.pipe(response)
    answer.on('end', () => counts.answered++)
    answer.on('error', () => {
      if (response.destroyed) return
      counts.failures.push(`${what}: the answer broke off`)
      response.destroy()
    })
  })
}

/** The body is not touched before: of a connection that was never made, everything is still there to be sent again. */
function onConnected(asked: ClientRequest, connected: () => void): void {
  asked.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', connected)
    else connected()
  })
}

function forwarded({ headers, socket }: IncomingMessage): http.OutgoingHttpHeaders {
  const { 'x-forwarded-for': before } = headers
  const length = headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }
  return {
    ...withoutHops(headers),
    ...length,
    'x-forwarded-for': [before, socket.remoteAddress].filter(Boolean).join(', '),
  }
}

function withoutHops(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
}
