/**
 * Structured log, one JSON object a line, each with the ids of what is being worked on. Nothing here searches for secrets to hide: that costs more than serving
 * the request (60 µs a line for three levels of patterns), and code that holds a secret does not log it, which tests hold
 * it to.
 */
import pino from 'pino'
import { createLogOutput } from './log-output.ts'
import { scopeFields } from './request-scope.ts'
import { sourceStack } from './source-stack.ts'
import { printable } from './text.ts'

export type Log = pino.Logger

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const out = destination ?? createLogOutput(process.stdout.fd)
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      mixin: scopeFields,
    },
    legible(out),
  )
}

/** JSON needs no escapes for what else moves a terminal's cursor or turns the reading direction, so it is given them here. */
const BEYOND_ASCII = /[^\n -~]/

type Legible = pino.DestinationStream & { plain: pino.DestinationStream }

function legible(out: pino.DestinationStream & { flush?: (done: () => void) => void }): Legible {
  return {
    /** For lines that are printable already: looking through one costs more than writing it. */
    plain: out,
    write: (line: string) => out.write(BEYOND_ASCII.test(line) ? `${printable(line.slice(0, -1))}\n` : line),
    flush: (done: () => void) => (out.flush ? out.flush(done) : done()),
  } as Legible
}

export type AccessLine = { requestId: string; method: string; path: string; status: number; ms: number }
/** Ids of ours, and a trace's, which are hexadecimal: nothing in them needs escaping. */
export type AccessIds = { userId?: string; orgId?: string; traceId?: string; spanId?: string }

const NEEDS_ESCAPING = /["\\]|[^ -~]/

/** The line of a finished request, put together by hand: there is one a request, always of the same shape. */
export function createAccessLog(log: Log): (line: AccessLine, ids?: AccessIds) => void {
  const out = (log as unknown as Record<symbol, Legible | undefined>)[pino.symbols.streamSym]?.plain
  if (!out || !log.isLevelEnabled('info')) return () => {}
  const quote = (text: string) => (NEEDS_ESCAPING.test(text) ? printable(JSON.stringify(text)) : `"${text}"`)
  // Many requests finish within one millisecond: its text is made once.
  let now = 0
  let time = ''
  return ({ requestId, method, path, status, ms }, ids) => {
    const current = Date.now()
    if (current !== now) {
      now = current
      time = new Date(current).toISOString()
    }
    const took = Math.round(ms * 10) / 10
    out.write(
      `{"level":"info","time":"${time}","requestId":"${requestId}"${ids ? idsText(ids) : ''},"method":${quote(method)},"path":${quote(path)},"status":${status},"ms":${took}}\n`,
    )
  }
}

function idsText({ userId, orgId, traceId, spanId }: AccessIds): string {
  let text = ''
  if (userId !== undefined) text += `,"userId":"${userId}"`
  if (orgId !== undefined) text += `,"orgId":"${orgId}"`
  if (traceId !== undefined) text += `,"traceId":"${traceId}"`
  if (spanId !== undefined) text += `,"spanId":"${spanId}"`
  return text
}

/** Only what helps: library errors carry whole clients, with their connection strings. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: error.name,
    message: error.message,
    code,
    stack: error.stack && sourceStack(error.stack),
    cause: error.cause && describeError(error.cause),
  }
}

/** Call before the process ends: the last lines may still be in the buffer. */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}
