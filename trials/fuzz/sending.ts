/**
 * Sends what the fuzzer makes, byte for byte, within a time limit: by a pool of connections that are kept, or over a
 * connection of its own where an HTTP client would refuse to send such a thing. A stream that has begun is no hang; it is
 * left after a while.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { causeOf } from '../lost.ts'
import type { Answer, Attempt } from './attempt.ts'

/** What hangs does so for ever. A machine with other work takes seconds for what usually takes milliseconds. */
export const TIME_LIMIT_MS = 60_000
/** A node that is too busy says so before it does anything, and who comes back is served. */
const TOO_BUSY = 'very busy'
const BUSY_TRIES = 40
const BUSY_WAIT_MS = 500
const STREAM_MS = 2_500
const UNPACK: Record<string, (packed: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync }
const CROSSED = /other side closed|ECONNRESET|EPIPE/
const LARGEST_ANSWER = 8 * 1024 * 1024

export type FuzzSender = {
  send(attempt: Attempt, requestId: string): Promise<Answer>
  close(): Promise<void>
}

export function createFuzzSender(address: string, connections: number): FuzzSender {
  const pool = new Pool(address, {
    connections,
    headersTimeout: TIME_LIMIT_MS,
    bodyTimeout: TIME_LIMIT_MS,
    keepAliveTimeout: 30_000,
    // Node's own default, so that a head that is too large is the server's to refuse.
    maxHeaderSize: 64 * 1024,
  })

  async function sendByPool({ method, path, headers, body }: Attempt, requestId: string): Promise<Answer> {
    const given = { 'x-request-id': requestId, ...headers }
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(new Error('hangs')), TIME_LIMIT_MS)
    try {
      const answer = await pool.request({
        method: method as 'GET',
        path,
        headers: Object.entries(given).flat(),
        body: body !== null && method !== 'HEAD' ? body : null,
        signal: limit.signal,
      })
      const many = Object.entries(answer.headers).map(([name, value]): [string, string[]] => [
        name,
        [value ?? []].flat(),
      ])
      const told = { status: answer.statusCode, headers: Object.fromEntries(many), requestId }
      const isStream = String(answer.headers['content-type'] ?? '').startsWith('text/event-stream')
      return unpacked({ ...told, ...(await readAll(answer.body, isStream)) })
    } catch (error) {
      const cause = limit.signal.aborted ? 'hangs' : causeOf(error)
      return { status: 0, cause, headers: {}, body: Buffer.alloc(0), cut: false, requestId }
    } finally {
      clearTimeout(timer)
    }
  }

  async function sendOnce(attempt: Attempt, requestId: string): Promise<Answer> {
    if (attempt.raw) return sendRaw(address, attempt.raw, requestId)
    const answer = await sendByPool(attempt, requestId)
    // A connection that was kept may be closed while a request is on its way, as every client knows: once is no finding.
    return CROSSED.test(answer.cause ?? '') ? sendByPool(attempt, requestId) : answer
  }

  return {
    async send(attempt, requestId) {
      for (let tries = 1; ; tries++) {
        const answer = await sendOnce(attempt, requestId)
        if (!isTooBusy(attempt, answer) || tries === BUSY_TRIES) return answer
        await sleep(BUSY_WAIT_MS)
      }
    },
    close: () => pool.destroy(),
  }
}

/** Of an answer without a body only the status is left to go by. */
function isTooBusy({ method }: Attempt, { status, headers, body }: Answer): boolean {
  if (status !== 503 || headers['retry-after'] === undefined) return false
  return method === 'HEAD' || body.includes(TOO_BUSY)
}

/** As a browser would hand it on; what cannot be unpacked stays as it came, and is found not to be text. */
function unpacked(answer: Answer): Answer {
  const unpack = UNPACK[answer.headers['content-encoding']?.[0] ?? '']
  if (!unpack || answer.body.length === 0 || answer.cut) return answer
  const { 'content-encoding': _packed, ...headers } = answer.headers
  try {
    return { ...answer, headers, body: unpack(answer.body) }
  } catch {
    return { ...answer, headers }
  }
}

type Source = AsyncIterable<Uint8Array> & {
  destroy(): unknown
  on(event: 'error', heard: () => void): unknown
}

async function readAll(source: Source, isStream: boolean): Promise<{ body: Buffer; cut: boolean }> {
  const chunks: Uint8Array[] = []
  let [size, cut] = [0, false]
  source.on('error', () => {})
  const leave = () => {
    cut = true
    source.destroy()
  }
  const timer = isStream ? setTimeout(leave, STREAM_MS) : undefined
  try {
    for await (const chunk of source) {
      chunks.push(chunk)
      size += chunk.length
      if (size > LARGEST_ANSWER) leave()
    }
  } catch (error) {
    if (!cut) throw error
  } finally {
    clearTimeout(timer)
  }
  return { body: Buffer.concat(chunks), cut }
}

/** Writes, half-closes and reads to the end. */
function sendRaw(address: string, bytes: Buffer, requestId: string): Promise<Answer> {
  const { hostname, port } = new URL(address)
  const nothing = { status: 0, headers: {}, body: Buffer.alloc(0), cut: false, requestId }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const timer = setTimeout(() => {
      resolve({ ...nothing, cause: 'hangs' })
      socket.destroy()
    }, TIME_LIMIT_MS)
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(readRawAnswer(Buffer.concat(chunks)) ?? { ...nothing, cause: 'closed without an answer' })
    }
    const readRawAnswer = (all: Buffer) => {
      const parsed = parseAnswer(all)
      return parsed && { ...nothing, ...parsed }
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('end', finish)
    socket.once('error', finish)
    socket.end(bytes)
  })
}

/** The first answer on a connection, and what follows it as its body. */
export function parseAnswer(bytes: Buffer): Pick<Answer, 'status' | 'headers' | 'body'> | null {
  const end = bytes.indexOf('\r\n\r\n')
  const [line = '', ...fields] = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0)
  if (status === 0) return null
  // Go on, says the server; its answer follows.
  if (status === 100) return parseAnswer(bytes.subarray(end + 4))
  const headers: Record<string, string[]> = {}
  for (const field of fields) {
    const at = field.indexOf(':')
    const name = field.slice(0, at).toLowerCase()
    headers[name] = [...(headers[name] ?? []), field.slice(at + 1).trim()]
  }
  const after = bytes.subarray(end + 4)
  const length = Number(headers['content-length']?.[0] ?? Number.NaN)
  const chunked = headers['transfer-encoding']?.[0] === 'chunked'
  const body = chunked ? unchunk(after) : Number.isNaN(length) ? after : after.subarray(0, length)
  return { status, headers, body }
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = line < 0 ? 0 : Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (!(size > 0)) break
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return Buffer.concat(parts)
}
