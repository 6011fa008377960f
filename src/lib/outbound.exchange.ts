/**
 * One request and its answer on an open connection. A redirect is an error that names where it leads; the caller that follows it
 * makes a new request, with all its checks. The answer must come
 * uncompressed: a few kilobytes that unpack to gigabytes are then no concern of ours. The body is counted
 * as it arrives and the connection is cut at the limit, whatever Content-Length said. What is neither head nor body
 * (promises of an answer, words after the status, notes on chunks) is read and forgotten by the parser, so all that a
 * connection brings is counted as well: nobody may keep us reading for as long as the clock runs.
 */
import type { Dispatcher } from 'undici'
import { codeOf, OutboundError } from './outbound.errors.ts'
import { type Connection, MAX_HEADER_BYTES, NEVER_SENT, OVERRUN } from './outbound.pool.ts'

type Exchange = {
  host: string
  path: string
  method: 'GET' | 'POST' | 'HEAD'
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  maxBytes: number
  mayBeGzip: boolean
}

type Answer = { status: number; headers: Record<string, string>; body: Buffer }

const OURS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Lower-cased copy with what every request carries. A value is never quoted: it may be a secret. */
export function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = { 'accept-encoding': 'identity' }
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) {
      throw new OutboundError('protocol', 'A request header has an invalid name')
    }
    if (OURS.has(name) || name.startsWith('proxy-')) {
      throw new OutboundError('protocol', `The request header ${name} cannot be set`)
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new OutboundError('protocol', `The request header ${name} has an invalid value`)
    }
    checked[name] = value
  }
  return checked
}

/** A head, what comes before and after it, and the handshake where that is counted too. */
const BESIDES_BODY = 4 * MAX_HEADER_BYTES
/** A body may come in chunks of one byte each, which are written with five more. */
const BYTES_A_BYTE = 6

export async function exchange(
  connection: Connection,
  input: Exchange,
  signal: AbortSignal,
): Promise<Answer> {
  const { host, path, method, headers, body, maxBytes } = input
  connection.mayRead = connection.socket.bytesRead + BESIDES_BODY + maxBytes * BYTES_A_BYTE
  let response: Dispatcher.ResponseData
  try {
    response = await connection.client.request({ path, method, headers, body, signal })
  } catch (error) {
    throw translate(error, host, 'connect')
  }
  // A body given up on reports that as an error, which nobody else would be listening for.
  response.body.on('error', () => {})
  try {
    checkHead(response, input)
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      body: await readBody(response, input),
    }
  } catch (error) {
    response.body.destroy()
    throw translate(error, host, 'protocol')
  }
}

function checkHead({ statusCode, headers }: Dispatcher.ResponseData, input: Exchange): void {
  // To a conditional request, 304 is the answer; it has no body and leads nowhere.
  const isNotModified =
    statusCode === 304 && ('if-none-match' in input.headers || 'if-modified-since' in input.headers)
  if (statusCode >= 300 && statusCode < 400 && !isNotModified) {
    const location = [headers.location ?? []].flat()[0]
    const message = `${input.host} answered with a redirect, which Souk does not follow`
    throw new OutboundError('redirect', message, undefined, location)
  }
  const encodings = [headers['content-encoding'] ?? []].flat().join(',').split(',')
  const plain = input.mayBeGzip ? ['', 'identity', 'gzip', 'x-gzip'] : ['', 'identity']
  if (encodings.some((encoding) => !plain.includes(encoding.trim().toLowerCase()))) {
    throw new OutboundError('encoding', `${input.host} sent a compressed answer, which was not requested`)
  }
  if (input.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > input.maxBytes)
    throw tooLarge(input)
}

async function readBody({ body }: Dispatcher.ResponseData, input: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > input.maxBytes) throw tooLarge(input)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function tooLarge({ host, maxBytes }: Exchange): OutboundError {
  return new OutboundError('too_large', `The answer of ${host} is over ${maxBytes} bytes`)
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  )
}

/** `lost` is what a broken connection means at this point: nothing came yet, or the answer was cut short. */
function translate(error: unknown, host: string, lost: 'connect' | 'protocol'): unknown {
  if (error === OVERRUN) return new OutboundError('too_large', `The answer of ${host} is too large`)
  if (error instanceof OutboundError) return error
  const code = codeOf(error) ?? ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('too_large', `The headers of ${host} are too large`, code)
  }
  if (/^(ERR_SSL|ERR_TLS)/.test(code)) return new OutboundError('tls', `TLS with ${host} failed`, code)
  const cut = ['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']
  if (lost === 'connect' && cut.includes(code)) {
    return new OutboundError('connect', `${host} closed the connection without an answer`, code)
  }
  return new OutboundError('protocol', `${host} did not send a complete HTTP answer`, code)
}

/** Was a kept connection found closed before anything of this request was sent? Then another one may be tried. */
export function wasNeverSent(error: unknown, connection: Connection): boolean {
  return error === NEVER_SENT && connection.reused
}
