/** Sends an answer that was prepared before: the encoding that the client prefers, or 304 when it has these bytes already. */
import type { Context } from 'hono'
import type { HttpEnv } from './env.ts'
import { isNotModified, makeVariant, notModifiedHeaders, type Prepared } from './prepared.ts'

export async function sendPrepared(c: Context<HttpEnv>, prepared: Prepared): Promise<Response> {
  const variant = await makeVariant(prepared, c.req.header('accept-encoding'))
  const since = c.req.header('if-modified-since')
  return isNotModified(variant, prepared.lastModified, c.req.header('if-none-match'), since)
    ? c.body(null, 304, notModifiedHeaders(variant))
    : c.body(variant.body as Uint8Array<ArrayBuffer>, 200, variant.headers)
}
