/**
 * JSON of strangers, in bounds. `JSON.parse` itself takes any depth, but who walks over the value afterwards calls
 * itself for each level, and pays for each key: so the value is measured before anybody else sees it.
 */
import { isUtf8 } from 'node:buffer'
import { MAX_JSON_DEPTH, MAX_JSON_ENTRIES, MAX_JSON_KEYS, problemRow, type SourceRow } from './rows.ts'

const count = (number: number) => number.toLocaleString('en-US')

/** Throws for what is not JSON. `problem` says which limit the value passes. */
export function parseBounded(text: string): { value: unknown } | { problem: string } {
  const value = parsePlain(text)
  const problem = excess(value, 1)
  return problem === null ? { value } : { problem }
}

/** Looks no deeper than the limit, so that it never runs out of stack itself. */
function excess(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_JSON_DEPTH) return `nests values over ${MAX_JSON_DEPTH} deep`
  const isList = Array.isArray(value)
  const entries: unknown[] = isList ? value : Object.values(value)
  if (isList && entries.length > MAX_JSON_ENTRIES)
    return `has a list of over ${count(MAX_JSON_ENTRIES)} entries`
  if (!isList && entries.length > MAX_JSON_KEYS) return `has an object of over ${count(MAX_JSON_KEYS)} keys`
  for (const entry of entries) {
    const problem = excess(entry, depth + 1)
    if (problem !== null) return problem
  }
  return null
}

/**
 * JSON.parse makes `__proto__` an ordinary key, but a later Object.assign would turn it into a prototype.
 * The slower parse that drops it runs only for a text that may spell it, escapes included.
 */
function parsePlain(text: string): unknown {
  if (!/__proto__|\\u00(?:5f|[67][0-9a-f])/i.test(text)) return JSON.parse(text)
  return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
}

/** How the owner is to write a product, in the words of each form. */
export type JsonForm = { whole: string; bare: string }

/** Null instead of the bytes of one that is over the limit. */
export function parseObject(
  line: number,
  bytes: Buffer | null,
  form: JsonForm,
): { value: Record<string, unknown> } | Extract<SourceRow, { problem: unknown }> {
  if (bytes === null) {
    return problemRow(
      line,
      null,
      'is over 1 MB',
      'keep a product under 1 MB, and link to images instead of embedding them',
    )
  }
  if (!isUtf8(bytes)) {
    return problemRow(line, null, 'is not valid UTF-8', 'save the file as UTF-8')
  }
  let parsed: ReturnType<typeof parseBounded>
  try {
    parsed = parseBounded(bytes.toString('utf8'))
  } catch {
    // The parser's own words quote the file, and the reader of a message may have no right to it.
    return problemRow(line, null, 'is not JSON', form.whole)
  }
  if ('problem' in parsed) return problemRow(line, null, parsed.problem, "keep only the product's data")
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`
    return problemRow(line, null, `is ${kind}, not an object`, form.bare)
  }
  return { value: value as Record<string, unknown> }
}
