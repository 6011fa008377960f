/**
 * Profiles of platforms, fetched from the address that a request names. Anybody can make us fetch one, so it goes through
 * lib/outbound to public addresses only, no redirects, and is bounded in time, size and number; the outcome is
 * remembered (lib/remembered-fetches), a bad one for a minute, the least that the specification allows.
 */

import { z } from 'zod'
import { networkOf, takeFromWindow } from '../../accounts/window-limit.service.ts'
import { parseJsonBytes } from '../../lib/bounded-json.ts'
import { type Clock, HOUR_MS } from '../../lib/clock.ts'
import { AppError, unavailable } from '../../lib/errors.ts'
import { OutboundError, type OutboundReason } from '../../lib/outbound.errors.ts'
import type { Outbound } from '../../lib/outbound.ts'
import { rateLimitedTotal } from '../../lib/rate-limit.ts'
import { createRememberedFetches } from '../../lib/remembered-fetches.ts'
import type { AgentsContext } from '../context.ts'
import { type Capability, LOOKUP, type Refusal, SEARCH, UCP_VERSION, UcpError } from './protocol.ts'

const FETCH_MS = 5_000
/** No conforming profile may be refused for its size below this. */
const MAX_BYTES = 128 * 1024
const MAX_URL = 2_000

export type PlatformProfiles = {
  /** Throws UCP's error without a profile. `beforeFetch` is called only if one has to be fetched, and may throw. */
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
    tooMany: () => unavailable('too many profiles are being read; try again', 5),
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
        ? 'must not contain a user name or password'
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
    return status >= 200 && status <= 299
      ? read(body)
      : unreachable(`the server answered with status ${status}`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'aborted') throw unavailable('the service is stopping; try again in a moment', 5)
    if (!ADDRESS_REASONS.has(error.reason)) return unreachable(error.message)
    return {
      status: 400,
      code: 'invalid_profile_url',
      content: `The platform's profile address is not valid: ${error.message}`,
    }
  }
}

/** The address is at fault, not the server that should have answered there. */
const ADDRESS_REASONS = new Set<OutboundReason>(['invalid_url', 'scheme', 'private_address', 'dns'])

function unreachable(why: string): Refusal {
  return {
    status: 424,
    code: 'profile_unreachable',
    content: `The platform's profile could not be read: ${why}`,
  }
}

function read(body: Uint8Array): Outcome {
  const value = parseJsonBytes(body)
  return value === undefined ? malformed('it is not JSON') : readPlatformProfile(value)
}

/**
 * What a platform says of itself, held against what its release demands of a profile. The release is looked at before
 * the rest: a profile of another one has another shape, and its owner wants to hear about the release. A capability
 * counts only if its schema comes from the owner of its name, as the specification's authority binding has it.
 */
type PlatformProfile = {
  /** Of our capabilities, in our release. Nothing else is kept: a thousand profiles are remembered, each may be large. */
  speaks: ReadonlySet<Capability>
}

const OURS: readonly Capability[] = [SEARCH, LOOKUP]

const version = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')
const address = z.string().refine((text) => URL.parse(text)?.protocol === 'https:', 'must be an https URL')

const Versioned = z.object({ ucp: z.object({ version }) })
const Profile = z.object({
  ucp: z.object({
    services: z.record(
      z.string(),
      z.array(z.object({ version, transport: z.enum(['rest', 'mcp', 'a2a', 'embedded']) })),
    ),
    capabilities: z
      .record(z.string(), z.array(z.object({ version, spec: address, schema: address })))
      .optional(),
    payment_handlers: z.record(z.string(), z.array(z.object({ version }))),
  }),
  keys: z.array(z.object({ kid: z.string(), kty: z.string() })).optional(),
})

export function readPlatformProfile(value: unknown): PlatformProfile | Refusal {
  const versioned = Versioned.safeParse(value)
  if (!versioned.success) return malformed(versioned.error)
  const spoken = versioned.data.ucp.version
  if (spoken !== UCP_VERSION)
    return {
      status: 422,
      code: 'version_unsupported',
      content: `Version ${spoken} of UCP is not supported; this service supports ${UCP_VERSION}`,
    }
  const parsed = Profile.safeParse(value)
  if (!parsed.success) return malformed(parsed.error)
  const { capabilities = {} } = parsed.data.ucp
  const speaks = OURS.filter((name) =>
    capabilities[name]?.some(({ version, schema }) => version === UCP_VERSION && isBound(name, schema)),
  )
  return { speaks: new Set(speaks) }
}

/** The host's labels in reverse are the name, or what the name begins with, label by label. */
export function isBound(name: string, schema: string): boolean {
  const url = URL.parse(schema)
  if (url?.protocol !== 'https:' || url.username + url.password !== '') return false
  const labels = url.hostname.replace(/\.$/, '').split('.')
  if (labels.length < 2 || /^[\d.]+$|^\[/.test(url.hostname)) return false
  const authority = labels.reverse().join('.')
  return name === authority || name.startsWith(`${authority}.`)
}

function malformed(problem: z.ZodError | string): Refusal {
  const [issue] = typeof problem === 'string' ? [] : problem.issues
  const place = issue?.path.map(String).join('.') || 'the document'
  const what = typeof problem === 'string' ? problem : `${place} does not match UCP ${UCP_VERSION}`
  // Through bytes, because a slice holds on to the whole text, and a place may be as long as the document.
  const said = Buffer.from(what.slice(0, 300)).toString()
  return { status: 422, code: 'profile_malformed', content: `The platform's profile: ${said}` }
}

/**
 * How many profiles a network may make us fetch in an hour of the clock. Only fetches count: a caller who comes back with a
 * profile that is remembered, or with none, is not held up.
 */
export const FETCHES_AN_HOUR = 60

/** Throws `rate_limited` when the hour is used up. */
export async function countFetch(
  ctx: Pick<AgentsContext, 'db' | 'clock' | 'secrets'>,
  ip: string | null,
): Promise<void> {
  const rate = { count: FETCHES_AN_HOUR, windowMs: HOUR_MS }
  const taken = await takeFromWindow(ctx, { whose: `ucp network ${networkOf(ip)}`, rate })
  if (taken.allowed) return
  rateLimitedTotal.inc('ucp')
  const wait = taken.retryAfterSeconds
  throw new AppError(
    'rate_limited',
    `${FETCHES_AN_HOUR} platform profiles were fetched for this network in an hour, the limit; try again in ${Math.ceil(wait / 60)} min`,
    { code: 'rate_limited', max: FETCHES_AN_HOUR, retryAfterSeconds: wait },
  )
}

/**
 * Reads `UCP-Agent: profile="https://…"`, a dictionary of structured fields (RFC 8941). The whole field has to be well
 * formed, as that standard demands: half a dictionary is invalid. Of it only `profile` is used, which must be a string.
 */
const KEY = '[a-z*][a-z0-9_.*-]*'
const STRING = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"'
const BARE = `(?:${STRING}|-?\\d{1,15}(?:\\.\\d{1,3})?|[A-Za-z*][\\w!#$%&'*+.^\`|~:/-]*|:[A-Za-z0-9+/=]*:|\\?[01])`
const PARAMETERS = `(?:; *${KEY}(?:=${BARE})?)*`
const ITEM = `${BARE}${PARAMETERS}`
const INNER_LIST = `\\( *(?:${ITEM}(?: +${ITEM})*)? *\\)${PARAMETERS}`
const MEMBER = new RegExp(
  `(${KEY})(?:=(?:(${STRING})${PARAMETERS}|${ITEM}|${INNER_LIST})|${PARAMETERS})`,
  'y',
)
const COMMA = /[ \t]*,[ \t]*/y
const MAX_FIELD = 4_000

type AgentHeader = { profile: string } | { problem: string }

export function readAgentHeader(field: string): AgentHeader {
  const text = field.trim()
  if (text.length > MAX_FIELD) return { problem: `UCP-Agent has at most ${MAX_FIELD} characters` }
  const members = readMembers(text)
  if (!members) return { problem: 'UCP-Agent is not a dictionary of structured fields (RFC 8941)' }
  const profile = members.get('profile')
  return typeof profile === 'string'
    ? { profile }
    : { problem: 'UCP-Agent must have the address of a profile: profile="https://…"' }
}

/** By name, strings as text and everything else as null; of a name that comes twice the last one counts. */
function readMembers(text: string): Map<string, string | null> | null {
  const members = new Map<string, string | null>()
  let at = 0
  for (;;) {
    MEMBER.lastIndex = at
    const [member, key, string] = MEMBER.exec(text) ?? []
    if (member === undefined || key === undefined) return null
    members.set(key, string === undefined ? null : string.slice(1, -1).replace(/\\(.)/g, '$1'))
    at += member.length
    if (at === text.length) return members
    COMMA.lastIndex = at
    const comma = COMMA.exec(text)
    if (!comma) return null
    at += comma[0].length
  }
}
