/**
 * Profiles of platforms, fetched from the address that a request names. Anybody can make us fetch one, so it goes through
 * lib/outbound to public addresses only, no redirects, and is bounded in time, size and number; the outcome is
 * remembered (lib/remembered-fetches), a bad one for a minute, the least that the specification allows.
 */
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { OutboundError, type OutboundReason } from '../../lib/outbound.errors.ts'
import type { Outbound } from '../../lib/outbound.ts'
import { createRememberedFetches } from '../../lib/remembered-fetches.ts'
import { type Refusal, UcpError } from './errors.ts'
import { malformed, type PlatformProfile, readPlatformProfile } from './platform-profile.ts'

const FETCH_MS = 5_000
/** No conforming profile may be refused for its size below this. */
const MAX_BYTES = 128 * 1024
const MAX_URL = 2_000

export type PlatformProfiles = {
  /** Throws UCP's error when there is none. `beforeFetch` is called only if one has to be fetched, and may throw. */
  find(url: string, beforeFetch: () => Promise<void>): Promise<PlatformProfile>
}

type Outcome = PlatformProfile | Refusal

export function createPlatformProfiles({
  outbound,
  clock,
}: {
  outbound: Pick<Outbound, 'request'>
  clock: Clock
}): PlatformProfiles {
  const fetches = createRememberedFetches<Outcome>({
    clock,
    read: (url) => fetchProfile(outbound, url),
    isGood: (outcome) => !('code' in outcome),
    tooMany: () =>
      new AppError('unavailable', 'too many profiles are being read; try again', { retryAfterSeconds: 5 }),
  })

  async function find(given: string, beforeFetch: () => Promise<void>): Promise<PlatformProfile> {
    const url = profileUrl(given)
    if (fetches.known(url) === null) await beforeFetch()
    return accept(await fetches.find(url))
  }

  return { find }
}

/** One spelling, so that one profile is one entry. */
function profileUrl(given: string): string {
  const url = given.length > MAX_URL ? null : URL.parse(given)
  const problem = !url
    ? `must be a URL of at most ${MAX_URL} characters`
    : url.protocol !== 'https:'
      ? 'must start with https://'
      : url.username + url.password !== ''
        ? 'must not hold a user name or password'
        : null
  if (!url || problem !== null)
    throw new UcpError(400, 'invalid_profile_url', `The platform's profile address ${problem}`)
  url.hash = ''
  return url.href
}

function accept(outcome: Outcome): PlatformProfile {
  if ('code' in outcome) throw new UcpError(outcome.status, outcome.code, outcome.content)
  return outcome
}

async function fetchProfile(outbound: Pick<Outbound, 'request'>, url: string): Promise<Outcome> {
  try {
    const { status, body } = await outbound.request({
      url,
      headers: { Accept: 'application/json' },
      timeoutMs: FETCH_MS,
      maxBytes: MAX_BYTES,
      publicOnly: true,
    })
    return status >= 200 && status <= 299 ? read(body) : unreachable(`it was answered with status ${status}`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'aborted')
      throw new AppError('unavailable', 'the service is stopping; try again in a moment', {
        retryAfterSeconds: 5,
      })
    if (!ADDRESS_REASONS.has(error.reason)) return unreachable(error.message)
    return {
      status: 400,
      code: 'invalid_profile_url',
      content: `The platform's profile cannot be there: ${error.message}`,
    }
  }
}

/** The address is at fault, not whoever should have answered there. */
const ADDRESS_REASONS = new Set<OutboundReason>(['invalid_url', 'scheme', 'private_address', 'dns'])

function unreachable(why: string): Refusal {
  return {
    status: 424,
    code: 'profile_unreachable',
    content: `The platform's profile could not be read: ${why}`,
  }
}

function read(body: Uint8Array): Outcome {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return malformed('it is not JSON')
  }
  return readPlatformProfile(value)
}
