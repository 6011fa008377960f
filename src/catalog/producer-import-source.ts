/**
 * The bytes of a producer's file. They come with the call or from an address that the producer names, bounded in size
 * either way, and are handed on in pieces, so that the node has a turn between them. The address must be public, whatever
 * the operator has opened for the service itself: what is read there is told to the producer.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '../lib/errors.ts'
import { OutboundError } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'
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
  throw new AppError('invalid', 'send either url or content, exactly one of them', {
    field: url === undefined ? 'content' : 'url',
  })
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
