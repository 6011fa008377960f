/**
 * What slow, many and strange clients may take of a node. Everything that a client can hold open is bounded in time, number
 * or size, and a steady one is never cut off, however slow its line: time runs only against those who do not move.
 *
 * Node's own limit for a whole request is switched off, because it cannot tell an operator's large file on a thin line from
 * somebody who sends a byte now and then. In its place a body must bring some bytes in every window of time, while we are
 * the ones who wait. In the same way an answer must be taken: a reader who stops is cut off, one who waits for us is not.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { counter } from '../lib/metrics.ts'
import { network } from '../lib/outbound.addresses.ts'

export type ServerLimits = {
  /** From the beginning of a connection or request to the end of its head. */
  headersMs: number
  /** How often such times are looked at. */
  checkMs: number
  /** Longer than balancers keep theirs, usually a minute: who closes first must not be we, or a request crosses with it. */
  keepAliveMs: number
  /** A body that is still coming must bring so many bytes in each window. */
  bodyWindowMs: number
  bodyWindowBytes: number
  /**
   * How long an answer may wait for a reader who takes nothing of it. Long, because the system tells us of room only when
   * a good part of its own buffer is free, and a thin line takes a minute for that.
   */
  unreadMs: number
  /** All lines of a request's head together. */
  headerBytes: number
  /** Lines of a request's head. */
  headerLines: number
  connections: number
  /** Of one address (IPv6: of one network); null where all come through a proxy. */
  connectionsEach: number | null
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 20_000,
  checkMs: 5_000,
  keepAliveMs: 65_000,
  bodyWindowMs: 30_000,
  bodyWindowBytes: 8 * 1024,
  unreadMs: 120_000,
  headerBytes: 16 * 1024,
  headerLines: 200,
  connections: 10_000,
  connectionsEach: 1_000,
}

const REFUSED = counter('souk_connections_refused_total', 'Connections closed by a limit.', ['reason'])

export function createLimitedServer(limits: ServerLimits, listener: RequestListener): Server {
  const bodies = createBodyWatch(limits)
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: 0,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.headerBytes,
    },
    (request, response) => {
      if (request.rawHeaders.length > 2 * limits.headerLines) return tooManyLines(response)
      bodies.watch(request)
      listener(request, response)
    },
  )
  // Node would leave out the lines over its own number without a word, and what is left might mean something else.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connections
  server.on('drop', () => REFUSED.inc('all'))
  if (limits.connectionsEach !== null) boundEach(server, limits.connectionsEach)
  cutOffWhoDoesNotRead(server, limits)
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket))
  server.once('close', bodies.stop)
  return server
}

function tooManyLines(response: ServerResponse): void {
  REFUSED.inc('headers')
  response.writeHead(431, { 'Content-Type': 'text/plain', Connection: 'close' })
  response.end('The request has too many header fields.\n')
}

function boundEach(server: Server, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const who = network((socket.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/i, ''))
    const count = (open.get(who) ?? 0) + 1
    if (count > most) {
      REFUSED.inc('address')
      socket.destroy()
      return
    }
    open.set(who, count)
    socket.once('close', () => {
      const left = (open.get(who) ?? 1) - 1
      if (left > 0) open.set(who, left)
      else open.delete(who)
    })
  })
}

/** Node calls this when nothing has moved on a connection for so long, in either direction. */
function cutOffWhoDoesNotRead(server: Server, { unreadMs }: ServerLimits): void {
  server.setTimeout(unreadMs, (socket) => {
    const isOurTurn = answerUnderWay(socket) !== null && socket.writableLength === 0
    // The timer fires once: an answer that begins later is watched, too.
    if (isOurTurn) {
      socket.setTimeout(unreadMs)
      return
    }
    if (socket.writableLength > 0) REFUSED.inc('unread')
    socket.destroy()
  })
}

/** Node keeps the answer that a connection is being used for there, and has no other name for it. */
export function answerUnderWay(
  socket: Socket & { _httpMessage?: ServerResponse | null },
): ServerResponse | null {
  return socket._httpMessage ?? null
}

type Arriving = { request: IncomingMessage; bytes: number; since: number }

/** Looks through the bodies that are still coming; most have come whole before it first looks. */
function createBodyWatch({ bodyWindowMs, bodyWindowBytes, checkMs }: ServerLimits) {
  const arriving = new Set<Arriving>()
  let tidyAt = 1_000

  function forgetWhole(): void {
    for (const one of arriving) if (one.request.complete || one.request.destroyed) arriving.delete(one)
    tidyAt = Math.max(1_000, 2 * arriving.size)
  }

  function look(): void {
    forgetWhole()
    const now = performance.now()
    for (const one of arriving) {
      const { request, bytes, since } = one
      const { bytesRead } = request.socket
      // What has come and is not taken is ours to wait for.
      const waitsForUs = request.readableLength > 0
      if (waitsForUs || bytesRead - bytes >= bodyWindowBytes)
        Object.assign(one, { bytes: bytesRead, since: now })
      else if (now - since >= bodyWindowMs) {
        arriving.delete(one)
        REFUSED.inc('body')
        hangUp(request.socket, 408)
      }
    }
  }

  const timer = setInterval(look, Math.min(checkMs, bodyWindowMs)).unref()
  return {
    watch(request: IncomingMessage): void {
      const { headers, socket } = request
      if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
      arriving.add({ request, bytes: socket.bytesRead, since: performance.now() })
      if (arriving.size > tidyAt) forgetWhole()
    },
    stop: () => clearInterval(timer),
  }
}

const REASONS: Record<string, 408 | 413 | 431> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else hangUp(socket, REASONS[error.code ?? ''] ?? 400)
}

const WORDS = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
}
/** Time for the other side to read the answer; a connection that is reset at once takes it along. */
const LINGER_MS = 1_000

/** Where there is no request to answer, or it did not come to its end. What the other side still sends is thrown away. */
function hangUp(socket: Socket, status: keyof typeof WORDS): void {
  const answer = answerUnderWay(socket)
  if (socket.destroyed || answer?.headersSent) {
    socket.destroy()
    return
  }
  const body = `${WORDS[status]}\n`
  const head = [
    `HTTP/1.1 ${status} ${WORDS[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
