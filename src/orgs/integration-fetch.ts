/** Reads a JSON document from a producer's own address: bounded in time and size, no redirects, and why it failed. */
import { parseJsonBytes } from '../lib/bounded-json.ts'
import { unavailable } from '../lib/errors.ts'
import { OutboundError, type OutboundReason } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'

const FETCH_MS = 5_000
const MAX_BYTES = 256 * 1024

/** `problem` reads on from "could not be read: ". */
export type Failure = { reason: OutboundReason | 'status' | 'not_json'; problem: string }
export type Fetched = { value: unknown } | Failure

/** Resolves the name and judges its addresses; opens no connection. */
export async function checkAddress(outbound: Outbound, url: string): Promise<Failure | null> {
  try {
    await outbound.check(url, { timeoutMs: FETCH_MS })
    return null
  } catch (error) {
    return failureOf(error)
  }
}

export async function fetchJson(outbound: Outbound, url: string): Promise<Fetched> {
  try {
    const { status, body } = await outbound.request({
      url,
      headers: { Accept: 'application/json' },
      timeoutMs: FETCH_MS,
      maxBytes: MAX_BYTES,
    })
    if (status < 200 || status > 299)
      return { reason: 'status', problem: `the server answered with status ${status}` }
    const value = parseJsonBytes(body)
    return value === undefined ? { reason: 'not_json', problem: 'the answer is not JSON' } : { value }
  } catch (error) {
    return failureOf(error)
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof OutboundError)) throw error
  if (error.reason === 'aborted') throw unavailable('the service is stopping; try again in a moment', 5)
  return { reason: error.reason, problem: error.message }
}
