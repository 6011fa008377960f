/**
 * Sends one request of the traffic: to any of the nodes that run, with an id of its own and within a time limit, and says
 * what became of it. Nothing is sent twice: a trial wants to know what a caller sees, not what a patient one would get.
 */
import { Agent, request as sendRequest } from 'undici'
import type { Answer, Request } from './act.ts'
import { BASE_URL } from './cluster.ts'
import { causeOf } from './lost.ts'

export type Sender = {
  send(address: string, request: Request): Promise<Answer>
  close(): Promise<void>
}

export type SenderOptions = { run: string; timeLimitMs: number; connections: number }

/** Anyone who reads without being anybody. */
const NOBODY = '198.18.255.254'

export function createSender({ run, timeLimitMs, connections }: SenderOptions): Sender {
  const agent = new Agent({
    connections,
    connect: { timeout: timeLimitMs },
    headersTimeout: timeLimitMs,
    bodyTimeout: timeLimitMs,
    keepAliveTimeout: 30_000,
  })
  let sent = 0
  return {
    async send(address, { method, path, headers = {}, body, ip = NOBODY, requestId = `${run}-${++sent}` }) {
      const form = body instanceof URLSearchParams
      const given = {
        // Forms are refused when they come from elsewhere; the rest does not mind.
        ...(form && { origin: BASE_URL, 'content-type': 'application/x-www-form-urlencoded' }),
        ...(body !== undefined && !form && { 'content-type': 'application/json' }),
        accept: 'application/json, text/html;q=0.5, */*;q=0.1',
        'x-forwarded-for': ip,
        'x-request-id': requestId,
        ...headers,
      }
      try {
        const answer = await sendRequest(`${address}${path}`, {
          dispatcher: agent,
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: given,
          body: body === undefined ? null : form ? body.toString() : JSON.stringify(body),
        })
        const text = await answer.body.text()
        const header = (name: string) => [answer.headers[name] ?? []].flat()[0]
        return {
          status: answer.statusCode,
          header,
          setCookies: [answer.headers['set-cookie'] ?? []].flat(),
          text,
          json: () => asObject(text),
          requestId,
        }
      } catch (error) {
        const nothing = { header: () => undefined, setCookies: [], text: '', json: () => ({}) }
        return { status: 0, cause: causeOf(error), ...nothing, requestId }
      }
    },
    close: () => agent.destroy(),
  }
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
