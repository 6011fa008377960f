/** From a good request to what is sent: left as it is, with spoiled values, or with something around it spoiled. */
import type { Attempt, Face, Turn } from './attempt.ts'
import type { Caller } from './callers.ts'
import { writeJson } from './json.ts'
import { mutateFields, mutateValue } from './mutate.ts'
import { encodeText } from './spoil.paths.ts'
import { spoil } from './spoil.ts'

const LEFT_GOOD = 0.3
const VALUES_ONLY = 0.6

export type Good = {
  face: Face
  operation: string
  method: string
  path: string
  caller: Caller
  headers?: Record<string, string>
  json?: unknown
  form?: Array<[string, string]>
  query?: Array<[string, string]>
}

const FORM = 'application/x-www-form-urlencoded'

export const writeFields = (fields: ReadonlyArray<[string, string]>): string =>
  fields.map(([name, text]) => `${encodeText(name)}=${encodeText(text)}`).join('&')

/** Exactly this. */
export function asItIs(good: Good): Attempt {
  const { face, operation, method, path, caller, json, form, query = [], headers = {} } = good
  const type = json !== undefined ? 'application/json' : form !== undefined ? FORM : null
  const text = json !== undefined ? writeJson(json) : form !== undefined ? writeFields(form) : null
  return {
    face,
    operation,
    method,
    path: query.length > 0 ? `${path}?${writeFields(query)}` : path,
    caller,
    headers: { accept: '*/*', ...caller.headers, ...(type !== null && { 'content-type': type }), ...headers },
    body: text === null ? null : Buffer.from(text),
    mutations: [],
  }
}

export function fuzzed(turn: Turn, good: Good, leftGood = LEFT_GOOD): Attempt {
  if (turn.chance(leftGood)) return asItIs(good)
  const names: string[] = []
  const changed = { ...good }
  const around = !turn.chance(VALUES_ONLY)
  if (!around || turn.chance(0.2)) {
    if (good.json !== undefined) {
      const { value, names: how } = mutateValue(turn, good.json)
      changed.json = value === undefined ? null : value
      names.push(...how)
    }
    if (good.form !== undefined) {
      const { value, names: how } = mutateFields(turn, good.form)
      changed.form = value
      names.push(...how)
    }
    if (good.query !== undefined && (good.query.length > 0 || turn.chance(0.2))) {
      const { value, names: how } = mutateFields(turn, good.query)
      changed.query = value
      names.push(...how)
    }
  }
  const attempt = asItIs(changed)
  attempt.mutations.push(...names)
  if (around || names.length === 0) spoil(turn, attempt)
  return attempt
}
