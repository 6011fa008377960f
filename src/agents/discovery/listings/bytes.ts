/**
 * Bytes on their way out: read from the parts when the client has taken what came before, so that a file of any size
 * passes through a little memory. When the client goes or takes nothing any more, or something fails, the generator behind the stream is ended and
 * what it held is let go; a failure is passed on as one, never as an early end.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ByteRange } from '../../../http/range.ts'
import type { Part } from './assemble.ts'

export type Bytes = AsyncGenerator<Uint8Array, void, undefined>

const CHUNK = 64 * 1024
/** Half the time of the usual 6 for a few percent more bytes. */
const GZIP_LEVEL = 4

export async function* readPart(part: Part, from = 0, to = part.length): Bytes {
  if (part.bytes !== null) {
    if (to > from) yield part.bytes.subarray(from, to)
    return
  }
  for (let at = from; at < to; at += CHUNK) yield await part.file.read(part.at + at, Math.min(CHUNK, to - at))
}

/** Both ends of the range are part of it. */
export async function* readParts(parts: Part[], { start, end }: ByteRange): Bytes {
  let at = 0
  for (const part of parts) {
    const [from, to] = [Math.max(0, start - at), Math.min(part.length, end + 1 - at)]
    if (from < to) yield* readPart(part, from, to)
    at += part.length
    if (at > end) return
  }
}

export async function* compress(source: Bytes): Bytes {
  const gzip = createGzip({ level: GZIP_LEVEL })
  const piped = pipeline(Readable.from(source, { objectMode: false }), gzip).catch(() => {})
  try {
    // Throws what the source threw: the pipeline destroys the compressor with it.
    yield* gzip
  } finally {
    gzip.destroy()
    await piped
  }
}

export function toStream(
  bytes: Bytes,
  options: {
    signal: AbortSignal
    /** A client that takes nothing for so long has hung up without saying so, or means no good. */
    patienceMs: number
    letGo(): void
    onError(error: unknown): void
  },
): ReadableStream<Uint8Array> {
  let over = false
  let idle: NodeJS.Timeout | undefined
  const finish = async () => {
    clearTimeout(idle)
    if (over) return
    over = true
    options.signal.removeEventListener('abort', leave)
    await bytes.return().catch(() => {})
    options.letGo()
  }
  const leave = () => {
    finish().catch(options.onError)
  }
  const waitFor = (controller: ReadableStreamDefaultController) => {
    if (over) return
    idle = setTimeout(() => {
      // The server ends the connection of a stream that failed.
      controller.error(new Error('the client stopped reading'))
      leave()
    }, options.patienceMs).unref()
  }
  if (options.signal.aborted) leave()
  else options.signal.addEventListener('abort', leave)
  return new ReadableStream<Uint8Array>(
    {
      start: waitFor,
      async pull(controller) {
        clearTimeout(idle)
        try {
          const next = await bytes.next()
          // A reader who left while it was being read has closed the stream already.
          if (over) return controller.error(new Error('the client disconnected'))
          if (!next.done) {
            controller.enqueue(next.value)
            return waitFor(controller)
          }
          await finish()
          controller.close()
        } catch (error) {
          const left = over
          await finish()
          if (!left) options.onError(error)
          controller.error(error)
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
}
