/**
 * A listing as an HTTP answer. The file is known by its tag, so an unchanged one costs a 304 and a download that broke
 * off goes on where it was; nothing here has a date, because a product that was removed leaves none behind. Compressing
 * takes a processor for as long as the file is, so only a few answers are compressed at a time; the others are plain.
 */
import type { Context } from 'hono'
import type { HttpEnv } from '../../../http/env.ts'
import { chooseEncoding, failsIfMatch, MIN_COMPRESSED, namesTag } from '../../../http/prepared.ts'
import { type ByteRange, chooseRange } from '../../../http/range.ts'
import { createHolds, type Holds } from '../../../lib/scratch-file.ts'
import type { ListingFile } from './assemble.ts'
import { type Bytes, compress, readParts, toStream } from './bytes.ts'
import type { Listing } from './listing.ts'

export type Sending = {
  listing: Listing
  compressors: Compressors
  /** How long a client may take nothing, in milliseconds. */
  patienceMs: number
  onError(error: unknown): void
}

/** Answers how to give it back; null when all are in use. */
type Compressors = { take(): (() => void) | null }

export function createCompressors(most: number): Compressors {
  let free = most
  return {
    take() {
      if (free === 0) return null
      free--
      let given = false
      return () => {
        if (!given) free++
        given = true
      }
    },
  }
}

/** Holds what the file is made of before anything else can happen. */
export function sendFile(c: Context<HttpEnv>, file: ListingFile, sending: Sending): Response {
  const common = { ...headersOf(sending.listing), 'Accept-Ranges': 'bytes' }
  const range = c.req.method === 'GET' ? c.req.header('range') : undefined
  const gzipTag = `${file.etag.slice(0, -1)}-gzip"`
  if (failsIfMatch(c.req.header('if-match'), [file.etag, gzipTag])) return c.body(null, 412, common)
  const known = c.req.header('if-none-match')
  const notModified = (etag: string) =>
    known !== undefined && namesTag(known, etag) ? c.body(null, 304, { ...common, ETag: etag }) : null
  const typed = { ...common, 'Content-Type': sending.listing.contentType }
  if (range === undefined && file.length >= MIN_COMPRESSED && acceptsGzip(c)) {
    const same = notModified(gzipTag)
    if (same) return same
    const headers = { ...typed, ETag: gzipTag, 'Content-Encoding': 'gzip' }
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    const release = sending.compressors.take()
    if (release) {
      const bytes = compress(readParts(file.parts, whole(file)))
      return stream(c, 200, headers, { bytes, holds: holdsOf(file), release }, sending)
    }
  }
  const { etag } = file
  const same = notModified(etag)
  if (same) return same
  const answer = chooseRange({ range, ifRange: c.req.header('if-range'), etag, size: file.length })
  if (answer.kind === 'unsatisfiable')
    return c.body(null, 416, { ...common, 'Content-Range': `bytes */${file.length}` })
  const sent = answer.kind === 'part' ? answer : whole(file)
  const headers = {
    ...typed,
    ETag: etag,
    'Content-Length': String(sent.end - sent.start + 1),
    ...(answer.kind === 'part' && { 'Content-Range': `bytes ${sent.start}-${sent.end}/${file.length}` }),
  }
  if (c.req.method === 'HEAD') return c.body(null, 200, headers)
  const bytes = readParts(file.parts, sent)
  return stream(c, answer.kind === 'part' ? 206 : 200, headers, { bytes, holds: holdsOf(file) }, sending)
}

/** Without a tag and a length, which are known only at the end. `bytes` is not asked for anything for a HEAD. */
export function sendAsMade(
  c: Context<HttpEnv>,
  { bytes, holds }: { bytes: Bytes; holds: Holds },
  sending: Sending,
): Response {
  const plain = { ...headersOf(sending.listing), 'Content-Type': sending.listing.contentType }
  // Nobody knows a tag of what is not made yet.
  if (failsIfMatch(c.req.header('if-match'), [])) return c.body(null, 412, headersOf(sending.listing))
  const gzip = acceptsGzip(c)
  const compressed = { ...plain, 'Content-Encoding': 'gzip' }
  if (c.req.method === 'HEAD') return c.body(null, 200, gzip ? compressed : plain)
  const release = gzip ? sending.compressors.take() : null
  return release
    ? stream(c, 200, compressed, { bytes: compress(bytes), holds, release }, sending)
    : stream(c, 200, plain, { bytes, holds }, sending)
}

function stream(
  c: Context<HttpEnv>,
  status: 200 | 206,
  headers: Record<string, string>,
  { bytes, holds, release }: { bytes: Bytes; holds: Holds; release?: () => void },
  { onError, patienceMs }: Sending,
): Response {
  const letGo = () => {
    holds.letGo()
    release?.()
  }
  return c.body(toStream(bytes, { signal: c.req.raw.signal, patienceMs, letGo, onError }), status, headers)
}

function holdsOf(file: ListingFile): Holds {
  const holds = createHolds()
  for (const part of file.parts) if (part.bytes === null) holds.add(part.file)
  return holds
}

function headersOf(listing: Listing): Record<string, string> {
  return {
    'Cache-Control': 'public, no-cache',
    'Access-Control-Allow-Origin': '*',
    Vary: 'Accept-Encoding',
    ...(!listing.forSearchEngines && { 'X-Robots-Tag': 'noindex' }),
  }
}

function whole({ length }: ListingFile): ByteRange {
  return { start: 0, end: length - 1 }
}

function acceptsGzip(c: Context<HttpEnv>): boolean {
  // Asked without brotli, which takes too long for files of this size.
  const accepted = c.req.header('accept-encoding')?.replace(/\bbr\b[^,]*/gi, '')
  return chooseEncoding(accepted) === 'gzip'
}
