/**
 * Tells a caller of a limited route how much is left, before there is nothing: the fields of the IETF's draft "RateLimit
 * header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers), as structured fields. They are on refusals too.
 */
import type { Context } from 'hono'
import type { Left } from '../lib/rate-limit.ts'
import type { HttpEnv } from './env.ts'

/** Throws `rate_limited` when there is nothing left; null: there is no limit. */
export function requireLeft(c: Context<HttpEnv>, left: Left | null): void {
  if (left === null) return
  const { name, rate, taken } = left
  c.header('RateLimit-Policy', `"${name}";q=${rate.count};w=${Math.ceil(rate.windowMs / 1_000)}`)
  c.header('RateLimit', `"${name}";r=${taken.remaining};t=${taken.resetSeconds}`)
  if (!taken.allowed) throw left.refusal()
}
