/**
 * The rows of a producer's file, all of them before the first is written: a file with too many is refused as a whole. The
 * bytes come with the call or from an address that the producer names, bounded in size either way, unpacked or not, and
 * are read in pieces, so that the node has a turn between them. The address must be public, whatever the operator has
 * opened for the service itself: what is read there is told to the producer.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '../lib/errors.ts'
import { OutboundError } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import { readRows } from './import/read-rows.ts'
import type { SourceRow } from './import/rows.ts'
import {
  type ImportRequest,
  MAX_CONTENT_BYTES,
  MAX_FILE_BYTES,
  MAX_IMPORT_ROWS,
  SOURCE_FORMATS,
} from './producer-import.schema.ts'

const FETCH_MS = 20_000
const MOST_NOTICES = 5
const PIECE_BYTES = 256 * 1024

export type Source = Pick<ImportRequest, 'source' | 'url' | 'content' | 'mapping'> & {
  /** Bytes that somebody uploaded, or that were read for them before; within `MAX_FILE_BYTES`. */
  file?: Buffer
}

/** Before anything else is asked of the world: the one or the other. */
export function requireOneSource({ url, content, file }: Source): void {
  if ([url, content, file].filter((given) => given !== undefined).length === 1) return
  throw new AppError('invalid', 'send either url or content, exactly one of them', {
    field: url === undefined ? 'content' : 'url',
  })
}

export async function readSource(
  ctx: { outbound: Outbound },
  input: Source,
  { signal, now }: { signal: AbortSignal; now: Date },
): Promise<{ rows: SourceRow[]; notices: string[] }> {
  const bytes = await bytesOf(ctx.outbound, input, signal)
  const notices: string[] = []
  const rows: SourceRow[] = []
  const read = readRows(inPieces(bytes), {
    format: SOURCE_FORMATS[input.source],
    maxInflatedBytes: MAX_FILE_BYTES,
    now,
    onNotice: (text) => {
      if (notices.length < MOST_NOTICES) notices.push(text)
    },
    ...(input.mapping && { mapping: input.mapping }),
  })
  for await (const row of read) {
    if (rows.length >= MAX_IMPORT_ROWS)
      throw new AppError('too_large', `the file has more than ${MAX_IMPORT_ROWS} rows; send it in parts`, {
        code: 'body_too_large',
        field: fieldOf(input),
        max: MAX_IMPORT_ROWS,
      })
    rows.push(row)
  }
  if (rows.length === 0)
    throw new AppError(
      'invalid',
      `${fieldOf(input)}: the file has no rows that can be read as ${input.source}`,
      {
        field: fieldOf(input),
      },
    )
  return { rows, notices }
}

function fieldOf({ url, file }: Source): 'url' | 'content' | 'file' {
  if (file !== undefined) return 'file'
  return url === undefined ? 'content' : 'url'
}

export async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.subarray(from, from + PIECE_BYTES)
    await turn()
  }
}

async function bytesOf(outbound: Outbound, input: Source, signal: AbortSignal): Promise<Buffer> {
  if (input.file !== undefined) return input.file
  if (input.url !== undefined) return download(outbound, input.url, signal)
  const bytes = Buffer.from(input.content ?? '')
  if (bytes.length <= MAX_CONTENT_BYTES) return bytes
  throw new AppError('too_large', 'content: is larger than 4 MB; send it in parts, or name its url', {
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
    throw unreadable(`it was answered with status ${status}`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'aborted')
      throw new AppError('unavailable', 'the import was given up; call again', { retryAfterSeconds: 5 })
    throw unreadable(error.message, error)
  }
}

function unreadable(why: string, cause?: OutboundError): AppError {
  const advice =
    'Give an https address that anybody can read without a redirect, at most 20 MB, or send content'
  return new AppError('unprocessable', `url: the file could not be read: ${why}. ${advice}`, {
    field: 'url',
    ...(cause?.reason === 'private_address' && { code: 'private_address' as const }),
    cause,
  })
}
