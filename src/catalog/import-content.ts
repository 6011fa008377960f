/**
 * The bytes of files that are imported. They come with a call, from an address that the producer names, or as an
 * upload; each is bounded in size and handed on in pieces, so that the node has a turn between them, and can be read
 * repeatedly. The address must be public, whatever the operator has opened for the service itself: what is read
 * there is told to the producer. What is stored is never changed, so that pieces fit together.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, conflict, invalid, notFound, unavailable } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { OutboundError } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import { findDraftBytes } from './import-drafts.queries.ts'
import type { Content } from './import-drafts.reading.ts'
import { asWritten } from './import-drafts.schema.ts'
import { deleteFile, findPart, insertFile, insertPart } from './import-files.queries.ts'
import { PART_BYTES } from './import-files.schema.ts'
import { type ImportRequest, MAX_CONTENT_BYTES, MAX_FILE_BYTES } from './producer-import.schema.ts'

const FETCH_MS = 20_000
const PIECE_BYTES = 256 * 1024

export type Source = Pick<ImportRequest, 'source' | 'url' | 'content' | 'mapping'> & {
  /** Bytes that somebody uploaded, or that were read for them before; within `MAX_FILE_BYTES`. */
  file?: Buffer
}

/** Before anything else is asked of the world: the one or the other. */
export function requireOneSource({ url, content, file }: Source): void {
  if ([url, content, file].filter((given) => given !== undefined).length === 1) return
  throw invalid(url === undefined ? 'content' : 'url', 'send either url or content, not both')
}

export function fieldOf({ url, file }: Source): 'url' | 'content' | 'file' {
  if (file !== undefined) return 'file'
  return url === undefined ? 'content' : 'url'
}

export async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.subarray(from, from + PIECE_BYTES)
    await turn()
  }
}

export async function bytesOf(
  { outbound }: { outbound: Outbound },
  input: Source,
  signal: AbortSignal,
): Promise<Buffer> {
  if (input.file !== undefined) return input.file
  if (input.url !== undefined) return download(outbound, input.url, signal)
  const bytes = Buffer.from(input.content ?? '')
  if (bytes.length <= MAX_CONTENT_BYTES) return bytes
  throw new AppError('too_large', 'content: is larger than 4 MB; split it, or send its url', {
    code: 'body_too_large',
    field: 'content',
    max: MAX_CONTENT_BYTES,
  })
}

export async function download(outbound: Outbound, url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const { status, body } = await outbound.request({
      url,
      timeoutMs: FETCH_MS,
      maxBytes: MAX_FILE_BYTES,
      signal,
      publicOnly: true,
    })
    if (status === 200) return body
    throw unreadable(`the server answered with status ${status}`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'aborted') throw unavailable('the import was canceled; try again', 5)
    throw unreadable(error.message, error)
  }
}

function unreadable(why: string, cause?: OutboundError): AppError {
  const advice = 'Use a public https URL without redirects, at most 20 MB, or send content'
  return new AppError('unprocessable', `url: the file could not be read: ${why}. ${advice}`, {
    field: 'url',
    ...(cause?.reason === 'private_address' && { code: 'private_address' as const }),
    cause,
  })
}

/*
 * The bytes of a stored file, read as they are asked for: who looks at its first rows does not wait for 20 MB of it, and
 * the node does not stand still to take them all at once. What is stored is never changed, so that pieces fit together.
 */

/** Little for who looks at the start, and then more at a time, for fewer questions. */
const FIRST_BYTES = 256 * 1024
const MOST_BYTES = 1024 * 1024

/** Reading it throws when the draft goes meanwhile. */
export function contentOf(db: Db, draft: { orgId: string; id: string }): Content {
  return async function* stored() {
    let length = FIRST_BYTES
    for (let from = 0; ; ) {
      const bytes = await findDraftBytes(db, { ...draft, from, length })
      if (!bytes) throw noDraft()
      yield* inPieces(bytes)
      if (bytes.length < length) return
      from += length
      length = Math.min(2 * length, MOST_BYTES)
    }
  }
}

export async function wholeOf(content: Content): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content()) pieces.push(piece)
  return Buffer.concat(pieces)
}

export function noDraft(): AppError {
  return notFound('there is no such import; uploads are kept for a day')
}

/** Stores a file while it is being uploaded. What is cut off goes; if this node goes first, the sweep takes it. */
export async function openFileStore(
  ctx: { db: Db; clock: Clock },
  { userId, fileName }: { userId: string | null; fileName: string },
) {
  const id = newId()
  await insertFile(ctx.db, { id, userId, fileName: fileNameOf(fileName), at: ctx.clock.now() })
  let held: Buffer[] = []
  let size = 0
  let parts = 0
  let stored = 0
  const flush = async (atLeast: number) => {
    if (size < atLeast || size === 0) return
    const bytes = Buffer.concat(held)
    let from = 0
    while (bytes.length - from >= atLeast && from < bytes.length) {
      const piece = bytes.subarray(from, from + PART_BYTES)
      await insertPart(ctx.db, id, parts++, piece)
      stored += piece.length
      from += piece.length
    }
    held = [bytes.subarray(from)]
    size = bytes.length - from
  }
  return {
    id,
    async write(piece: Buffer) {
      held.push(piece)
      size += piece.length
      await flush(PART_BYTES)
    },
    end: () => flush(1),
    pieces: () => fileContent(ctx.db, { id, sizeBytes: () => stored })(),
    discard: () => deleteFile(ctx.db, id),
  }
}

/** Stores bytes that were fetched, as if somebody had uploaded them. The file is not there until it is taken. */
export async function storeFile(
  ctx: { db: Db; clock: Clock },
  { fileName, bytes }: { fileName: string; bytes: AsyncIterable<Uint8Array> },
): Promise<{ id: string; sizeBytes: number }> {
  const store = await openFileStore(ctx, { userId: null, fileName })
  let sizeBytes = 0
  try {
    for await (const piece of bytes) {
      sizeBytes += piece.length
      await store.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
    }
    await store.end()
  } catch (error) {
    await store.discard().catch(() => {})
    throw error
  }
  return { id: store.id, sizeBytes }
}

/** Reading it throws when the file goes meanwhile. */
export function fileContent(
  db: Db,
  { id, sizeBytes }: { id: string; sizeBytes: () => number },
  seen: (bytes: number) => void = () => {},
): Content {
  return async function* stored() {
    let read = 0
    for (let part = 0; read < sizeBytes(); part++) {
      const bytes = await findPart(db, id, part)
      if (!bytes) throw noFile()
      read += bytes.length
      seen(read)
      yield bytes
    }
  }
}

export function noFile(): AppError {
  return notFound('there is no such file; files are kept for a day after their last use')
}

export function fileNameOf(path: string): string {
  return asWritten(path.split(/[\\/]/).at(-1) ?? '', 120).toWellFormed() || 'file'
}

export function importedAlready(): AppError {
  const words = 'this file is already imported; upload it again to import it differently'
  return conflict(words)
}
