/**
 * What agents sent and answered, and how long it took, as people read it. JSON is only laid out, never rewritten: a
 * repeated key, a number as typed or an escape stays as it came, because it may be what is wrong.
 */
import { sentence } from '../../format.ts'

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
/** Deeper than any answer; each level indents every line of it. */
const MAX_DEPTH = 12

/** Returns the text unchanged when it is not a JSON object or array, or is nested too deeply to read. */
export function layOutJson(text: string): string {
  if (!isJson(text)) return text
  let out = ''
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth -= 1
      out += last === '{' || last === '[' ? token : `\n${'  '.repeat(depth)}${token}`
    } else {
      if (last === '{' || last === '[') out += `\n${'  '.repeat(depth)}`
      out += token
      if (token === ',') out += `\n${'  '.repeat(depth)}`
      else if (token === ':') out += ' '
      else if (token === '{' || token === '[') depth += 1
    }
    if (depth > MAX_DEPTH) return text
    last = token
  }
  return out
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** A verdict's reason as a sentence. The name of a field keeps its spelling: "price_usd is missing." */
export function reasonSentence(reason: string): string {
  return /^[a-z]+_/.test(reason) ? reason.charAt(0) + sentence(reason).slice(1) : sentence(reason)
}

/** "142 ms", "2.4 s" */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return `${Number((ms / 1_000).toFixed(1))} s`
}
