/** Reading the parameters of OAuth requests: each at most once, and one without a value counts as absent (RFC 6749 3.1). */
import { OauthError } from '../oauth.errors.ts'
import { SCOPE } from '../oauth.schema.ts'

/** RFC 8707 2: the only parameter that may stand more than once. */
const REPEATABLE = 'resource'
/** RFC 6749 3.3. */
const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+(?: +[\x21\x23-\x5b\x5d-\x7e]+)*$/

export function readParameter(params: URLSearchParams, name: string): string | null {
  const [value, ...more] = params.getAll(name)
  if (more.length > 0) throw new OauthError('invalid_request', `${name} is given more than once`)
  return value === undefined || value === '' ? null : value
}

export function requireParameter(params: URLSearchParams, name: string): string {
  const value = readParameter(params, name)
  if (value === null) throw new OauthError('invalid_request', `${name} is missing`)
  return value
}

/** Also of parameters we do not know: a request that means two things means nothing. */
export function refuseDuplicates(params: URLSearchParams): void {
  const seen = new Set<string>()
  for (const name of params.keys()) {
    if (seen.has(name) && name !== REPEATABLE)
      throw new OauthError('invalid_request', 'a parameter is given more than once')
    seen.add(name)
  }
}

/**
 * Scopes we do not have are left out (RFC 6749 3.3 allows it, and the answer says what was granted): clients add
 * offline_access and the like on their own. Only a request for none of ours is refused.
 */
export function readScope(params: URLSearchParams): string {
  const asked = readParameter(params, 'scope')?.trim() ?? ''
  if (asked === '') return SCOPE
  if (!SCOPE_LIST.test(asked) || !asked.split(/ +/).includes(SCOPE))
    throw new OauthError('invalid_scope', `the only scope is ${SCOPE}`)
  return SCOPE
}
