import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault, STATUS, sayWhen } from '../../http/error-response.ts'
import type { AppError, ErrorKind } from '../../lib/errors.ts'

/**
 * The words of UCP that every answer is made of: the release we speak, the two capabilities of its catalog, the `ucp`
 * member of a response, and messages. One release only: an older one would need a profile and answers of its own.
 */
export const UCP_VERSION = '2026-08-25'

export const SEARCH = 'dev.ucp.shopping.catalog.search'
export const LOOKUP = 'dev.ucp.shopping.catalog.lookup'
export type Capability = typeof SEARCH | typeof LOOKUP

export type Message =
  | { type: 'info'; code: string; content: string }
  | { type: 'error'; code: string; content: string; severity: 'recoverable' | 'unrecoverable' }

type Envelope = {
  version: string
  status?: 'error'
  capabilities: Partial<Record<Capability, Array<{ version: string }>>>
}

export type UcpCaller = {
  /** What the platform calls itself. */
  agent: string
  ip: string | null
  /** Whether one more product that this network read is to be counted. */
  countsRead(): boolean
}

/** What takes the place of a product that cannot be shown; the request itself was understood (HTTP 200). */
export type ErrorAnswer = { ucp: Envelope; messages: Message[]; continue_url?: string }

export function envelope(capability: Capability): Envelope {
  return { version: UCP_VERSION, capabilities: { [capability]: [{ version: UCP_VERSION }] } }
}

/** Without a capability: none was agreed on. */
export function errorAnswer(
  capability: Capability | null,
  error: Omit<Extract<Message, { type: 'error' }>, 'type'>,
  continueUrl: string,
): ErrorAnswer {
  const capabilities = capability === null ? {} : envelope(capability).capabilities
  return {
    ucp: { version: UCP_VERSION, status: 'error', capabilities },
    messages: [{ type: 'error', ...error }],
    continue_url: continueUrl,
  }
}

export function info(code: string, content: string): Message {
  return { type: 'info', code, content }
}

/**
 * Our business profile, `/.well-known/ucp`: the catalog over REST and nothing that we do not do. The tool server and the
 * A2A agent speak their own words, not UCP's, so they are no transports of it. There are no `keys`: the profile asks for
 * them from services that sign UCP messages, and we sign none; the keys at /.well-known/jwks.json prove quotes, and one that
 * was retired stays there for good, which a profile must not do.
 */
export const PROFILE_PATH = '/.well-known/ucp'

const HOME = `https://ucp.dev/${UCP_VERSION}`

function capability(name: string) {
  return {
    version: UCP_VERSION,
    spec: `${HOME}/specification/shopping/catalog/${name}`,
    schema: `${HOME}/schemas/shopping/catalog_${name}.json`,
  }
}

export function writeProfile({ baseUrl }: { baseUrl: string }) {
  return {
    ucp: {
      version: UCP_VERSION,
      services: {
        'dev.ucp.shopping': [
          {
            version: UCP_VERSION,
            spec: `${HOME}/specification/overview/`,
            transport: 'rest',
            schema: `${HOME}/services/shopping/rest.openapi.json`,
            endpoint: baseUrl,
          },
        ],
      },
      capabilities: {
        [SEARCH]: [capability('search')],
        [LOOKUP]: [capability('lookup')],
      },
      payment_handlers: {},
    },
  }
}

/**
 * A refusal in UCP's own form: `{ code, content }` under an HTTP status, for what keeps a request from being handled at
 * all. What was handled and found wanting (a product that is not there) is an answer with status 200 instead.
 */
export type Refusal = { status: ContentfulStatusCode; code: string; content: string }

/** Only for what UCP names itself; everything else is an AppError as everywhere. */
export class UcpError extends Error {
  readonly refusal: Refusal

  constructor(status: ContentfulStatusCode, code: string, content: string) {
    super(content)
    this.name = 'UcpError'
    this.refusal = { status, code, content }
  }
}

const CODES: Partial<Record<ErrorKind, string>> = {
  invalid: 'invalid_request',
  too_large: 'request_too_large',
  rate_limited: 'rate_limited',
  unavailable: 'unavailable',
  internal: 'internal_error',
}

/** `continueUrl`: where a person can go on without UCP. */
export function respondRefusal(c: Context<HttpEnv>, raised: unknown, continueUrl: string): Response {
  if (raised instanceof UcpError) {
    const { status, ...said } = raised.refusal
    return c.json({ ...said, continue_url: continueUrl }, status)
  }
  const error = asAppError(raised)
  logFault(c, error)
  sayWhen(c, error)
  return c.json({ code: codeOf(error), content: error.message }, STATUS[error.kind])
}

/** A batch that is too long has a code of its own, though it is a mistake in the request like any other (400). */
function codeOf({ kind, field, max }: AppError): string {
  if (field === 'ids' && max !== undefined) return 'request_too_large'
  return CODES[kind] ?? kind
}
