/** One turn of an act: sending with the journal's two entries around each write, and the tool server's way of saying no. */
import type { Answer, Intent, Request, ToolAnswer, Turn } from './act.ts'
import type { Outcome } from './journal.ts'
import { pickFrom } from './random.ts'

type Given = Pick<Turn, 'people' | 'mail' | 'journal' | 'random' | 'word' | 'send'> & { act: string }

export function createTurn(given: Given): Turn {
  const { journal, act, send, random } = given

  async function write(intent: Intent, request: Request, judge: Judge = judgeStatus): Promise<Answer> {
    const { subject, next, audited, by, said } = intent
    const requestId = given.word()
    const note = journal.begin({ requestId, act, subject, next, audited, by })
    const answer = await send({ ...request, requestId })
    const outcome = judge(answer)
    journal.end(note, outcome, answer.status, outcome === 'acknowledged' ? (said?.(answer) ?? {}) : {})
    return answer
  }

  async function tool(
    person: { userId: string; token: string; ip: string },
    name: string,
    args: Record<string, unknown>,
    intent?: Intent,
  ): Promise<ToolAnswer> {
    const request: Request = {
      path: '/mcp/',
      ip: person.ip,
      headers: { authorization: `Bearer ${person.token}`, accept: 'application/json' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    }
    const answer = intent ? await write(intent, request, judgeTool) : await send(request)
    journal.count(`tools ${person.userId}`, judgeQuota(answer.status))
    return { ...answer, outcome: judgeTool(answer), data: dataOf(answer) }
  }

  return { ...given, pick: (list) => pickFrom(random, list), write, tool }
}

type Judge = (answer: Answer) => Exclude<Outcome, 'sent'>

const judgeStatus: Judge = ({ status }) =>
  status === 0 || status >= 500 ? 'unknown' : status >= 400 ? 'refused' : 'acknowledged'

/** A tool refuses by a result that says so; what the service itself could not do may have happened. */
const judgeTool: Judge = (answer) => {
  const byStatus = judgeStatus(answer)
  if (byStatus !== 'acknowledged') return byStatus
  const { result, error } = answer.json() as {
    result?: { isError?: boolean; _meta?: Record<string, { kind?: string }> }
    error?: { code: number }
  }
  if (error) return error.code === -32603 ? 'unknown' : 'refused'
  if (!result?.isError) return 'acknowledged'
  const kind = result._meta?.['souk/error']?.kind ?? 'internal'
  return kind === 'internal' || kind === 'unavailable' || kind === 'upstream' ? 'unknown' : 'refused'
}

/** What is answered at all was counted before, but for strangers and those whose day is used up. */
function judgeQuota(status: number): 'served' | 'unknown' | 'refused' {
  if (status === 0 || status >= 500) return 'unknown'
  return status === 401 || status === 403 || status === 429 ? 'refused' : 'served'
}

function dataOf(answer: Answer): Record<string, unknown> {
  const { result } = answer.json() as { result?: { structuredContent?: Record<string, unknown> } }
  return result?.structuredContent ?? {}
}
