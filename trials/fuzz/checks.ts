/**
 * What every answer is held to, whatever was asked: it comes, it is no fault of ours, it has the form of its face, it is what
 * it says it is, and it tells nothing of the inside. Each breach is a kind and a signature, short enough to tell two
 * findings apart and long enough to begin with.
 */

import { type Answer, type Attempt, textOf } from './attempt.ts'
import {
  checkForm,
  type Finding,
  finding,
  isBelowTheApp,
  isJson,
  one,
  parse,
  shape,
  typeOf,
} from './checks.forms.ts'
import { INJECTED_HEADER } from './values.ts'

export type Secrets = {
  /** Tokens of the people of a trial, by themselves. */
  tokens: ReadonlySet<string>
  /** What belongs to the inside: secrets, folders, addresses of the database. */
  inside: readonly string[]
}

const LEAKS: ReadonlyArray<[string, RegExp]> = [
  ['stack trace', /\n\s+at (?:async )?[\w.<>[\] ]*\(?(?:file:|node:|\/)/],
  [
    'SQL',
    /syntax error at|relation "|column "[^"]*" (?:of|does)|violates [\w-]+ constraint|invalid input syntax|duplicate key value|invalid byte sequence|out of range for type|unsupported Unicode/i,
  ],
  // A whole word of PostgreSQL's: an ETag is random letters, of which some read `PG_zH`.
  ['database', /(?<![\w-])pg_[a-z_]{3,}(?![\w-])|\b[Kk]ysely\b|SQLSTATE/],
  [
    'program',
    /node_modules\/|\/dist\/|TypeError:|RangeError:|ReferenceError:|Cannot read propert|is not a function|ZodError|Maximum call stack/,
  ],
  ['system', /ECONNREFUSED|ENOTFOUND|EADDRINUSE|ENOENT|ENETUNREACH/],
]
/** Pages that write about operating the service name its parts, and the operator's pages show them. */
const ABOUT_INSIDE = /^\/(?:docs|admin|llms|dev)\b/
const TOKEN = /souk_(?:at|link|session|rt|code|domain|invite|browser)_[\w-]{20,}/g
const RAW_MARKUP = '<img src=x onerror=soukfuzz'

export function checkAnswer(attempt: Attempt, answer: Answer, secrets: Secrets): Finding[] {
  if (answer.status === 0) return checkSilence(attempt, answer)
  const text = textOf(answer)
  const type = typeOf(answer)
  return [
    ...checkStatus(attempt, answer, text),
    ...checkHeaders(attempt, answer),
    ...checkBytes(answer, text, type),
    ...checkLeaks(attempt, answer, text, secrets),
    ...checkForm(attempt, answer, text, type),
  ]
}

function checkSilence(attempt: Attempt, { cause = '' }: Answer): Finding[] {
  if (cause === 'hangs') return [finding('hang', 'no answer in time')]
  // Half a request may be answered by hanging up.
  return attempt.raw ? [] : [finding('no answer', cause)]
}

function checkStatus({ path }: Attempt, answer: Answer, text: string): Finding[] {
  const { status } = answer
  if (status < 500) return []
  if (status === 503 && one(answer, 'retry-after') !== undefined)
    return [finding('turned away', '503 with Retry-After')]
  // The parser's own words for what it does not speak.
  if (status === 501 || status === 505) return []
  return [finding('server error', `${status} ${shape(text)} ${path.split(/[/?]/, 3)[1] ?? ''}`)]
}

function checkHeaders(attempt: Attempt, answer: Answer): Finding[] {
  const { path, operation } = attempt
  const { status } = answer
  const found: Finding[] = []
  if (one(answer, 'x-request-id') === undefined && !isBelowTheApp(attempt, answer))
    found.push(finding('no request id', String(status)))
  if (one(answer, 'x-request-id') !== undefined && one(answer, 'x-content-type-options') !== 'nosniff')
    found.push(finding('no security headers', String(status)))
  if (answer.headers[INJECTED_HEADER]) found.push(finding('header injected', ''))
  if (status === 405 && one(answer, 'allow') === undefined) found.push(finding('405 without Allow', ''))
  const location = one(answer, 'location')
  const leads = /^\/(?:go|oauth)\b/.test(path) || /^\S+ \/(?:go|oauth)\b/.test(operation)
  if (
    location !== undefined &&
    !leads &&
    !/^\/(?![/\\])/.test(location) &&
    !location.startsWith('http://localhost:3000/')
  )
    found.push(finding('leads elsewhere', location.slice(0, 40)))
  return found
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function checkBytes(answer: Answer, text: string, type: string): Finding[] {
  const { status, body } = answer
  if (body.length === 0 || one(answer, 'content-encoding') !== undefined || /^image|octet|pdf/.test(type))
    return []
  try {
    // A part of a document may begin and end anywhere.
    if (status !== 206 && !answer.cut) utf8.decode(body)
  } catch {
    return [finding('not UTF-8', type)]
  }
  if (!isJson(type) || status === 206) return []
  const value = parse(text)
  if (value === undefined) return [finding('not JSON', type)]
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(withoutId(value)))
    return [finding('lone surrogate', type)]
  return []
}

/** JSON-RPC has a caller's id come back as it was. */
function withoutId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutId)
  return typeof value === 'object' && value !== null && 'jsonrpc' in value ? { ...value, id: null } : value
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => !name.isWellFormed() || hasLoneSurrogate(inner))
}

function checkLeaks({ path, caller }: Attempt, answer: Answer, text: string, secrets: Secrets): Finding[] {
  const headers = JSON.stringify(answer.headers)
  const found: Finding[] = []
  // Of two hundred thousand random texts one has `pg_hb` in it.
  const words = text.replace(TOKEN, '')
  if (!ABOUT_INSIDE.test(path))
    for (const [what, pattern] of LEAKS) {
      const match = pattern.exec(words) ?? pattern.exec(headers.replace(TOKEN, ''))
      if (match) found.push(finding(`leak: ${what}`, match[0].trim().slice(0, 40)))
    }
  // The operator's own pages say where things are.
  const isOperators = caller.kind === 'operator' && path.startsWith('/admin')
  for (const inside of isOperators ? [] : secrets.inside)
    if (text.includes(inside) || headers.includes(inside))
      found.push(finding('leak: inside', inside.slice(0, 12)))
  for (const [token] of text.matchAll(TOKEN))
    if (secrets.tokens.has(token) && !caller.own.some((own) => own.includes(token)))
      found.push(finding("leak: somebody's token", token.slice(0, 9)))
  if (typeOf(answer) === 'text/html' && text.includes(RAW_MARKUP))
    found.push(finding('markup taken over', ''))
  return found
}
