/**
 * One HTTP exchange with nothing added to it, and its answer in a form in which two servers can be compared: JSON whether
 * it came plain or as events, with what must differ between two databases (ids, signatures, measured times) named
 * instead of shown.
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export type HttpRequest = { method: string; headers: Record<string, string>; body: string | undefined }
export type Answer = {
  status: number
  /** How the answer came. */
  form: 'json' | 'events' | 'text' | 'nothing'
  allow: string | undefined
  /** What was told before the answer. */
  told: unknown[]
  body: unknown
}

export async function exchange(url: string, { method, headers, body }: HttpRequest): Promise<Answer> {
  const received = await new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      const sent = httpRequest(url, { method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = []
        try {
          for await (const chunk of response) chunks.push(chunk as Buffer)
        } catch (error) {
          reject(error)
        }
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
      sent.once('error', reject)
      sent.end(body)
    },
  )
  const type = received.headers['content-type'] ?? ''
  const { allow } = received.headers
  const common = { status: received.status, allow, told: [] }
  if (received.text === '') return { ...common, form: 'nothing', body: null }
  if (type.includes('text/event-stream')) {
    const events = eventsOf(received.text)
    // A batch is answered by one event a message; that is the same as an array of them.
    if (body?.startsWith('[')) return { ...common, form: 'events', body: withoutChance(events) }
    const told = withLastProgress(events.slice(0, -1)).map(withoutChance)
    return { ...common, form: 'events', told, body: withoutChance(events.at(-1)) }
  }
  if (type.includes('json'))
    return { ...common, form: 'json', body: withoutChance(JSON.parse(received.text)) }
  return { ...common, form: 'text', body: received.text }
}

/** How far a call was when it was looked at is chance. How far it came is not. */
function withLastProgress(told: unknown[]): unknown[] {
  const isProgress = (one: unknown) => (one as { method?: string }).method === 'notifications/progress'
  const last = told.findLastIndex(isProgress)
  return told.filter((one, at) => at === last || !isProgress(one))
}

function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data:')))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as unknown)
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const JWS = /eyJ[\w-]+\.[\w-]*\.[\w-]+/g
const MEASURED = new Set(['ms', 'response_ms', 'last_response_ms'])

/** The same id in two places of an answer stays the same. */
function withoutChance(answer: unknown): unknown {
  const ids = new Map<string, string>()
  const name = (id: string) => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`
    ids.set(id, known)
    return known
  }
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'number' && MEASURED.has(key)) return '<ms>'
    if (typeof value === 'string')
      return value
        .replace(UUID, name)
        .replace(JWS, '<jws>')
        .replace(/\b\d+ ms\b/g, '<ms>')
    if (Array.isArray(value)) return value.map((inner) => walk(inner, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([inner, part]) => [inner, walk(part, inner)]))
  }
  return walk(answer, '')
}
