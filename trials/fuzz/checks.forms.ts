/** What an answer of each face looks like: the envelope of REST, OAuth's errors, JSON-RPC, a whole page. */
import type { Answer, Attempt } from './attempt.ts'

export type Finding = { kind: string; signature: string }

export const finding = (kind: string, signature: string): Finding => ({ kind, signature })
export const one = (answer: Answer, name: string): string | undefined => answer.headers[name]?.[0]
export const typeOf = (answer: Answer): string =>
  one(answer, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

const ERROR_CODES = new Set([
  'EMAIL_UNVERIFIED_CODE',
  'no_verified_relationship',
  'domain_mismatch',
  'unauthenticated',
  'not_a_producer',
  'org_deactivated',
  'not_owner_or_admin',
  'org_unverified',
  'domain_unverified',
  'private_address',
  'card_unreachable',
  'card_lacks_skill',
  'quota_exceeded',
  'rate_limited',
  'body_too_large',
  'not_found',
  'conflict',
  'search_unavailable',
  'internal',
])

const WITHOUT_A_BODY = new Set([204, 304])
/** Put into a page that is there already. */
const PART_OF_A_PAGE = /^\/dashboard\/offers\/preview\/?$/
const BELOW_THE_APP = new Set([400, 408, 413, 417, 431, 501, 505])

/** Heads that cannot be read are refused before there is a request to speak of. */
export function isBelowTheApp({ raw }: Attempt, answer: Answer): boolean {
  const { status } = answer
  if (one(answer, 'x-request-id') !== undefined || !BELOW_THE_APP.has(status)) return false
  return raw !== undefined || status === 431
}

/** An invalid host is refused before routing, with the error envelope, whatever the path. */
export const isOfTheHost = ({ method, headers }: Attempt, { status, body }: Answer): boolean =>
  status === 400 &&
  headers.host !== undefined &&
  (method === 'HEAD' || body.includes('Host header is not valid'))

export function checkForm(attempt: Attempt, answer: Answer, text: string, type: string): Finding[] {
  const { status } = answer
  // As the app reads it: without dots.
  const path = URL.parse(`http://localhost${attempt.path}`)?.pathname ?? attempt.path
  if (attempt.method === 'HEAD' || attempt.raw || WITHOUT_A_BODY.has(status)) return []
  if (isBelowTheApp(attempt, answer)) return []
  if (isOfTheHost(attempt, answer)) return checkEnvelope(text, status, type)
  if (/^\/(?:mcp|sse|mcp\/connector|a2a)\/?$/.test(path)) return checkRpc(answer, text, type)
  if (PART_OF_A_PAGE.test(path)) return []
  if (status < 400) return type === 'text/html' ? checkPage(text) : []
  if (/^\/(?:api\/oauth\/|register\/?$)/.test(path) && type === 'application/json')
    return checkOauth(text, status)
  if (/^\/api\/./.test(path)) return checkEnvelope(text, status, type)
  if (type === 'text/html') return checkPage(text)
  return type === '' && text !== '' ? [finding('error without a type', String(status))] : []
}

const ENVELOPE = new Set(['error', 'field', 'max', 'valid', 'code'])
/** Where there is one reason only, its code says it. */
const CODE_OF: Record<number, readonly string[]> = {
  401: ['unauthenticated'],
  413: ['body_too_large'],
  429: ['rate_limited', 'quota_exceeded'],
  500: ['internal'],
}

function checkEnvelope(text: string, status: number, type: string): Finding[] {
  if (type !== 'application/json') return [finding('no envelope', `${status} ${type}`)]
  const value = parse(text)
  if (!isRecord(value)) return [finding('no envelope', `${status} ${shape(text)}`)]
  const { error, field, max, valid, code } = value
  const strange = Object.keys(value).filter((name) => !ENVELOPE.has(name))
  const wrong = [
    (typeof error !== 'string' || error.trim() === '') && 'error',
    field !== undefined && typeof field !== 'string' && 'field',
    max !== undefined && typeof max !== 'number' && 'max',
    valid !== undefined &&
      !(Array.isArray(valid) && valid.every((one) => typeof one === 'string')) &&
      'valid',
    code !== undefined && !ERROR_CODES.has(String(code)) && `code ${code}`,
    CODE_OF[status] !== undefined && !CODE_OF[status].includes(String(code)) && `code ${code} with ${status}`,
    ...strange.map((name) => `has ${name}`),
  ].filter(Boolean)
  return wrong.map((what) => finding('envelope', `${status} ${what}`))
}

function checkOauth(text: string, status: number): Finding[] {
  const value = parse(text)
  if (!isRecord(value) || typeof value.error !== 'string' || value.error === '')
    return [finding('no OAuth error', String(status))]
  // Nothing at this method is told as everywhere else.
  if (status === 405 || status === 404) return []
  return typeof value.error_description === 'string' && /^[\x20-\x7e]*$/.test(value.error)
    ? []
    : [finding('OAuth error', `${status} ${value.error.slice(0, 40)}`)]
}

function checkRpc(answer: Answer, text: string, type: string): Finding[] {
  const { status } = answer
  if (type === 'text/event-stream' || type === 'text/plain' || type === '')
    return text.includes('-32603') ? [finding('internal error', 'in a stream')] : []
  const value = parse(text)
  const messages = Array.isArray(value) ? value : [value]
  return messages.flatMap((message): Finding[] => {
    if (!isRecord(message) || message.jsonrpc !== '2.0')
      return [finding('no JSON-RPC', `${status} ${shape(text)}`)]
    const { result, error } = message
    if ((result === undefined) === (error === undefined))
      return [finding('JSON-RPC', 'result and error, or neither')]
    if (error !== undefined) {
      if (!isRecord(error) || !Number.isInteger(error.code) || typeof error.message !== 'string')
        return [finding('JSON-RPC error', shape(text))]
      return error.code === -32603 && status !== 503 ? [finding('internal error', shape(error.message))] : []
    }
    const meta = isRecord(result) && isRecord(result._meta) ? result._meta['souk/error'] : undefined
    const kind = isRecord(meta) ? meta.kind : undefined
    return kind === 'internal'
      ? [finding('internal error', `of a tool: ${shape(String((meta as { error?: unknown }).error))}`)]
      : []
  })
}

function checkPage(text: string): Finding[] {
  return /^\s*<!doctype html>/i.test(text) && /<\/html>\s*$/i.test(text)
    ? []
    : [finding('page not whole', shape(text))]
}

export const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text without what differs from time to time, so that the same trouble reads the same. */
export function shape(text: string): string {
  return text
    .slice(0, 300)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replace(/\d+/g, '0')
    .replace(/[^\x20-\x7e]+/g, '?')
    .slice(0, 90)
}
