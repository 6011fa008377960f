/**
 * What ties a press on "Allow" to the page it was pressed on: this session, this exact request, the organization that
 * was named, not long ago. Keyed by the session's token, which only this browser and nobody's table holds, so there is
 * no secret to manage and the token dies with the session. A consent can thus not be swapped for another request's, nor
 * used by another session, nor count for an organization that was selected elsewhere while the page was open.
 */
import { equalInConstantTime, hmacSha256Hex } from '../lib/crypto.ts'

const VALID_MS = 30 * 60_000
/** The node that made it may be a little ahead of the one that reads it. */
const CLOCKS_APART_MS = 60_000

type Bound = { sessionToken: string; params: URLSearchParams; orgId: string | null; now: Date }

export function makeFormToken(bound: Bound): string {
  const at = String(bound.now.getTime())
  return `${at}.${sign(bound, at)}`
}

export function isFormToken(given: string, bound: Bound): boolean {
  const [at = '', signature = ''] = given.split('.')
  const age = bound.now.getTime() - Number(at)
  if (!/^\d{1,16}$/.test(at) || age < -CLOCKS_APART_MS || age > VALID_MS) return false
  return equalInConstantTime(signature, sign(bound, at))
}

/** Sorted, because a form may send its fields in another order than they stood in the query. */
function sign({ sessionToken, params, orgId }: Bound, at: string): string {
  const sorted = new URLSearchParams(params)
  sorted.sort()
  return hmacSha256Hex(sessionToken, `consent ${at} ${orgId ?? ''} ${sorted}`)
}
