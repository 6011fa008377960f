/** What was found, once for each kind, operation and signature, with the shortest request that shows it. */
import type { Answer, Attempt } from './attempt.ts'
import type { Finding } from './checks.forms.ts'

export type Found = Finding & {
  operation: string
  times: number
  example: Attempt | null
  status: number
  said: string
}

export type Findings = {
  add(finding: Finding, attempt: Attempt | null, answer?: Answer): void
  list(): Found[]
}

const SHORT_BODY = 600
const SAID = 300
/** Of a line of the log the stack is what helps. */
const SAID_BY_LOG = 2_500

export function createFindings(): Findings {
  const found = new Map<string, Found>()
  return {
    add({ kind, signature }, attempt, answer) {
      const operation = attempt?.operation ?? 'all'
      const key = `${kind}\n${operation}\n${signature}`
      const before = found.get(key)
      const shorter = !before?.example || (attempt && sizeOf(attempt) < sizeOf(before.example))
      const times = (before?.times ?? 0) + 1
      if (before && !shorter) before.times = times
      else
        found.set(key, {
          kind,
          signature,
          operation,
          times,
          example: attempt,
          status: answer?.status ?? 0,
          said: answer?.body.subarray(0, kind.startsWith('log') ? SAID_BY_LOG : SAID).toString('utf8') ?? '',
        })
    },
    list: () => [...found.values()],
  }
}

function sizeOf({ path, headers, body, raw }: Attempt): number {
  return path.length + JSON.stringify(headers).length + (body?.length ?? 0) + (raw?.length ?? 0)
}

export function writeFound({ kind, operation, signature, times, example, status, said }: Found): string {
  const lines = [
    `${kind}: ${signature}`,
    `  at ${operation}, ${times} time(s), answered ${status}: ${oneLine(said)}`,
  ]
  if (example) lines.push(`  ${oneLine(reproduction(example))}`)
  return lines.join('\n')
}

/** For a shell; bytes that are no text are told in base64. */
export function reproduction({ method, path, headers, body, raw, caller, mutations }: Attempt): string {
  const how = `(${caller.kind}${mutations.length > 0 ? `; ${mutations.join(', ')}` : '; as it should be'})`
  if (raw) return `raw ${how} base64 ${cut(raw.toString('base64'))}`
  const shown = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  return [`${method} ${quote(path)}`, ...shown, ...(body ? [writeBody(body)] : []), how].join(' ')
}

function writeBody(body: Buffer): string {
  const text = body.toString('utf8')
  const plain = /^[\x20-\x7e]*$/.test(text) && text.length <= SHORT_BODY
  return plain ? `-d ${quote(text)}` : `(base64, ${body.length} bytes) ${cut(body.toString('base64'))}`
}

const cut = (text: string) => (text.length <= 4 * SHORT_BODY ? text : `${text.slice(0, 4 * SHORT_BODY)}…`)
const quote = (text: string) => `'${cut(text).replaceAll("'", `'\\''`)}'`
const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ')
