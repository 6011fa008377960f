/** Reading request bodies: bounded before they are held, parsed with an error that says what is wrong. */
import type { Context } from 'hono'
import type { z } from 'zod'
import { readBoundedJson } from '../lib/bounded-json.ts'
import { AppError } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'

export const DEFAULT_BODY_LIMIT = 256 * 1024

export async function readBody(c: Context, limit = DEFAULT_BODY_LIMIT): Promise<Buffer> {
  const tooLarge = () =>
    new AppError('too_large', `the body is over the limit of ${limit} bytes`, {
      code: 'body_too_large',
      max: limit,
    })
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
