/** Reading request bodies: bounded before they are held, parsed with an error that says what is wrong. */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { z } from 'zod'
import { readBoundedJson } from '../lib/bounded-json.ts'
import { AppError } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'

export const DEFAULT_BODY_LIMIT = 256 * 1024

/** The client left before its request was complete: nobody's fault here, and nobody to tell. */
export class ClientGone extends Error {}

function tooLarge(limit: number): AppError {
  const message = `the body is over the limit of ${limit} bytes`
  return new AppError('too_large', message, { code: 'body_too_large', max: limit })
}

export async function readBody(c: Context, limit = DEFAULT_BODY_LIMIT): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit)
  const read = (c.env as { incoming?: { rawBody?: unknown } } | undefined)?.incoming?.rawBody
  // The fast lane read it before it stepped aside: the request's stream would be made only to give the same bytes.
  if (Buffer.isBuffer(read)) {
    if (read.length > limit) throw tooLarge(limit)
    return read
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The same where there is no router. Rejects with ClientGone when the body does not come to its end. */
export function readIncoming(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = () => {
      // What follows is read and thrown away, so that the answer arrives.
      request.removeAllListeners('data').resume()
      reject(tooLarge(limit))
    }
    if (request.destroyed) return reject(new ClientGone())
    if (Number(request.headers['content-length'] ?? 0) > limit) return refuse()
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) refuse()
      else chunks.push(chunk)
    })
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // What arrived whole but was not read when its sender left is lost with the connection, too.
    const left = () => {
      if (!request.readableEnded) reject(new ClientGone())
    }
    request.once('error', left)
    request.once('close', left)
  })
}

export async function readJson<Output>(
  c: Context,
  schema: z.ZodType<Output>,
  limit?: number,
): Promise<Output> {
  const body = await readBody(c, limit)
  const read = readBoundedJson(body)
  if ('flaw' in read) throw new AppError('invalid', read.flaw)
  if ('notJson' in read)
    throw new AppError(
      'invalid',
      body.length === 0 ? 'the body is empty; JSON is expected' : 'the body is not valid JSON',
    )
  const { value } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid', 'the body must be a JSON object')
  }
  return parseInput(schema, value)
}
