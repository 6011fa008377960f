/**
 * Client ID metadata documents: the client's id is an https URL, and the document there says who it is (interface
 * 5.6). Anybody can make us fetch one, so the fetch goes through lib/outbound (addresses checked before connecting,
 * no redirects), is bounded in time, size and number, and its outcome is remembered (lib/remembered-fetches).
 */

import { z } from 'zod'
import { parseJsonBytes } from '../lib/bounded-json.ts'
import type { Clock } from '../lib/clock.ts'
import { OutboundError } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import { createRememberedFetches } from '../lib/remembered-fetches.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { OauthError } from './oauth.errors.ts'
import type { Client } from './oauth.schema.ts'
import { redirectUriProblem } from './redirect-uris.ts'

const FETCH_MS = 5_000
/** "Under 64 KB". */
const MAX_BYTES = 64 * 1024 - 1
const MAX_URL = 500
const MAX_REDIRECT_URIS = 50
export const MAX_CLIENT_NAME = 80

export type ClientDocuments = {
  /**
   * The client the document describes; throws invalid_client with the reason if it is not valid. `beforeFetch` is called
   * only if it has to be fetched, and may throw.
   */
  find(url: string, beforeFetch: () => void): Promise<Client>
}

type Outcome = { client: Client } | { problem: string }

const Document = z.object({
  client_id: z.string(),
  client_name: z.string().min(1),
  client_uri: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
})

/** Why this text cannot be the id of a client with a document; null when it can. Nothing is fetched for a bad one. */
export function documentUrlProblem(clientId: string): string | null {
  if (clientId.length > MAX_URL) return `a client_id has at most ${MAX_URL} characters`
  const url = URL.parse(clientId)
  if (url === null) return 'the client_id is neither a registered id nor a URL'
  if (url.protocol !== 'https:') return 'a client_id that is a URL must start with https://'
  if (/(^|\.)localhost\.?$/.test(url.hostname)) return 'a client_id on localhost is not accepted'
  if (url.username !== '' || url.password !== '')
    return 'a client_id must not contain a user name or password'
  if (clientId.includes('#')) return 'a client_id must not have a fragment'
  if (url.pathname === '/') return 'a client_id that is a URL must have a path'
  // One document, one name: other spellings of a host, a default port or dots in the path would be aliases.
  return url.href === clientId ? null : 'the client_id is not a normalized URL'
}

export function createClientDocuments({
  outbound,
  clock,
}: {
  outbound: Outbound
  clock: Clock
}): ClientDocuments {
  const fetches = createRememberedFetches<Outcome>({
    clock,
    read: (url) => fetchDocument(outbound, url),
    isGood: (outcome) => 'client' in outcome,
    tooMany: () =>
      new OauthError('temporarily_unavailable', 'too many client documents are being read; try again'),
  })

  async function find(url: string, beforeFetch: () => void): Promise<Client> {
    const problem = documentUrlProblem(url)
    if (problem !== null) throw new OauthError('invalid_client', problem)
    if (fetches.known(url) === null) beforeFetch()
    const outcome = await fetches.find(url)
    if ('problem' in outcome) throw new OauthError('invalid_client', outcome.problem)
    return outcome.client
  }

  return { find }
}

async function fetchDocument(outbound: Outbound, url: string): Promise<Outcome> {
  try {
    const { status, body } = await outbound.request({
      url,
      headers: { Accept: 'application/json' },
      timeoutMs: FETCH_MS,
      maxBytes: MAX_BYTES,
    })
    if (status !== 200) return { problem: `the client document's server answered with status ${status}` }
    return readDocument(url, body)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { problem: `the client document could not be read: ${error.message}` }
  }
}

export function readDocument(url: string, body: Uint8Array): Outcome {
  const value = parseJsonBytes(body)
  if (value === undefined) return { problem: 'the client document is not JSON' }
  const parsed = Document.safeParse(value)
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path[0]
    return {
      problem: field
        ? `the client document's ${String(field)} is not valid`
        : 'the document is not an object',
    }
  }
  const document = parsed.data
  if (document.client_id !== url) return { problem: `the document's client_id differs from its URL` }
  if ((document.token_endpoint_auth_method ?? 'none') !== 'none')
    return { problem: `the document's token_endpoint_auth_method must be none` }
  if (document.grant_types && !document.grant_types.includes('authorization_code'))
    return { problem: `the document's grant_types lack authorization_code` }
  if (document.response_types && !document.response_types.includes('code'))
    return { problem: `the document's response_types lack code` }
  // An address we would never send anybody to is passed over: the others are still good.
  const redirectUris = document.redirect_uris
    .slice(0, MAX_REDIRECT_URIS)
    .filter((uri) => redirectUriProblem(uri) === null)
  if (redirectUris.length === 0) return { problem: 'the document has no valid redirect URI' }
  const name = shorten(cleanLine(document.client_name), MAX_CLIENT_NAME)
  if (name === '') return { problem: `the client document's client_name is not valid` }
  return { client: { id: url, kind: 'document', name, uri: webAddress(document.client_uri), redirectUris } }
}

/** A home page to show, or null: a bad one is no reason to refuse the client. */
export function webAddress(text: string | undefined): string | null {
  const url = text === undefined ? null : URL.parse(text)
  return url && url.protocol === 'https:' && url.href.length <= MAX_URL ? url.href : null
}
