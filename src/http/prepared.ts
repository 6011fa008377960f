/**
 * Answers that are prepared once and sent many times: body, strong ETag, Last-Modified where one is known, and the
 * compressed variants, each made when first asked for. Choosing what to send is a pure function of the request's headers.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { sha256 } from '../lib/crypto.ts'
import type { HttpEnv } from './env.ts'

type Encoding = 'identity' | 'gzip' | 'br'

export type Prepared = {
  /** Null for what changes with the program: when that was is not known, and each node would say another time. */
  lastModified: Date | null
  /** What every variant carries besides its own headers. */
  headers: Record<string, string>
  variants: Map<Encoding, Variant>
}

export type Variant = { body: Buffer; headers: Record<string, string>; etag: string }

type PreparedInput = {
  body: string | Buffer
  contentType: string
  lastModified: Date | null
  headers?: Record<string, string>
}

/** Below this, compression saves nothing worth its headers. A PNG is compressed already. */
export const MIN_COMPRESSED = 1_000
const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

export function prepare({ body, contentType, lastModified, headers = {} }: PreparedInput): Prepared {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const prepared: Prepared = {
    lastModified,
    headers: {
      'Content-Type': contentType,
      ...(lastModified && { 'Last-Modified': lastModified.toUTCString() }),
      // Kept by anyone, but asked about each time: what is shown is never older than the catalog.
      'Cache-Control': 'public, no-cache',
      ...headers,
    },
    variants: new Map(),
  }
  addVariant(prepared, 'identity', bytes)
  return prepared
}

function addVariant(prepared: Prepared, encoding: Encoding, body: Buffer): Variant {
  const identity = prepared.variants.get('identity')
  // A strong tag names these exact bytes, so each encoding has its own (RFC 9110 8.8.3.3).
  const base = identity ? identity.etag.slice(1, -1) : sha256(body).toString('base64url').slice(0, 22)
  const etag = encoding === 'identity' ? `"${base}"` : `"${base}-${encoding}"`
  const variant: Variant = {
    body,
    etag,
    headers: {
      ...prepared.headers,
      ETag: etag,
      'Content-Length': String(body.length),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    },
  }
  prepared.variants.set(encoding, variant)
  return variant
}

/** The variant the client prefers, if it has been made. */
export function chooseVariant(prepared: Prepared, acceptEncoding: string | undefined): Variant | undefined {
  return prepared.variants.get(encodingFor(prepared, acceptEncoding))
}

/** The variant the client prefers, made now if it is the first to ask. */
async function makeVariant(prepared: Prepared, acceptEncoding: string | undefined): Promise<Variant> {
  const ready = chooseVariant(prepared, acceptEncoding)
  if (ready) return ready
  const { body } = identityOf(prepared)
  const encoding = encodingFor(prepared, acceptEncoding)
  const compressed =
    encoding === 'br'
      ? await compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
      : await compressGzip(body, { level: 7 })
  return addVariant(prepared, encoding, compressed)
}

function encodingFor(prepared: Prepared, acceptEncoding: string | undefined): Encoding {
  const { body, headers } = identityOf(prepared)
  const small = body.length < MIN_COMPRESSED || headers['Content-Type'] === 'image/png'
  return small ? 'identity' : chooseEncoding(acceptEncoding)
}

function identityOf(prepared: Prepared): Variant {
  const identity = prepared.variants.get('identity')
  if (!identity) throw new Error('a prepared answer has no body')
  return identity
}

export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (!acceptEncoding) return 'identity'
  let gzipOk = false
  for (const entry of acceptEncoding.split(',')) {
    const [name, ...parameters] = entry.trim().toLowerCase().split(';')
    if (parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter))) continue
    if (name === 'br') return 'br'
    if (name === 'gzip' || name === '*') gzipOk = true
  }
  return gzipOk ? 'gzip' : 'identity'
}

/** If-None-Match wins over If-Modified-Since (RFC 9110 13.2.2). */
export function isNotModified(
  variant: Variant,
  lastModified: Date | null,
  ifNoneMatch: string | undefined,
  ifModifiedSince: string | undefined,
): boolean {
  if (ifNoneMatch !== undefined) return namesTag(ifNoneMatch, variant.etag)
  if (ifModifiedSince === undefined || lastModified === null) return false
  const since = Date.parse(ifModifiedSince)
  return !Number.isNaN(since) && Math.floor(lastModified.getTime() / 1000) * 1000 <= since
}

/** As If-None-Match compares: a weak tag names the same thing (RFC 9110 13.1.2). */
export function namesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** True when If-Match names none of the current tags (RFC 9110 13.1.1). */
export function failsIfMatch(header: string | undefined, etags: readonly string[]): boolean {
  if (header === undefined || header.trim() === '*') return false
  return !header.split(',').some((tag) => etags.includes(tag.trim()))
}

/** What a 304 repeats (RFC 9110 15.4.5). */
export function notModifiedHeaders({ headers }: Variant): Record<string, string> {
  const { 'Content-Type': _type, 'Content-Length': _length, 'Content-Encoding': _encoding, ...kept } = headers
  return kept
}

/** Sends an answer that was prepared before: the encoding that the client prefers, or 304 when it has these bytes already. */
export async function sendPrepared(c: Context<HttpEnv>, prepared: Prepared): Promise<Response> {
  const variant = await makeVariant(prepared, c.req.header('accept-encoding'))
  const since = c.req.header('if-modified-since')
  return isNotModified(variant, prepared.lastModified, c.req.header('if-none-match'), since)
    ? c.body(null, 304, notModifiedHeaders(variant))
    : c.body(variant.body as Uint8Array<ArrayBuffer>, 200, variant.headers)
}
