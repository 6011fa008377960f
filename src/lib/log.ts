/**
 * Structured log, one JSON object a line, each with the ids of what is being worked on. Nothing here searches for secrets
 * to hide: that costs more than serving the request (60 µs a line for three levels of patterns), and code that holds a secret does not log it, which tests hold
 * it to.
 */
import fs from 'node:fs'
import pino from 'pino'
import { scopeFields } from './request-scope.ts'
import { sourceStack } from './source-stack.ts'
import { printable } from './text.ts'

export type Log = pino.Logger

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const out = destination ?? standardOutput()
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

let standard: ReturnType<typeof createLogOutput> | undefined

/** One for the process: each output listens for its end. */
function standardOutput() {
  standard ??= createLogOutput(process.stdout.fd)
  return standard
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

type AccessLine = { requestId: string; method: string; path: string; status: number; ms: number }
/** Ids of ours, and a trace's, which are hexadecimal: nothing in them needs escaping. */
type AccessIds = { userId?: string; orgId?: string; traceId?: string; spanId?: string }

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

const FLUSH_AFTER_MS = 100
const FLUSH_AT = 64 * 1024
/** When the reader of the log does not keep up, waiting is better than growing without end. */
const HOLD_AT_MOST = 16 * 1024 * 1024

/**
 * Where log lines go: gathered as one string and written in large pieces, at the latest after a moment. A line costs
 * about a microsecond this way; a general-purpose stream costs several, which is felt in reads that cost twenty.
 * What is still held when the process ends is written then.
 */
export function createLogOutput(fd: number) {
  let held = ''
  let writing = false
  let timer: NodeJS.Timeout | undefined
  let waiting: Array<() => void> = []

  function writeHeld(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing) return
    if (held === '') {
      const done = waiting
      waiting = []
      for (const call of done) call()
      return
    }
    const piece = Buffer.from(held)
    held = ''
    writing = true
    writePiece(piece)
  }

  function writePiece(piece: Buffer): void {
    fs.write(fd, piece, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => writePiece(piece), 5)
      else if (!error && written < piece.length) writePiece(piece.subarray(written))
      else {
        // A reader that is gone (EPIPE) must not end the service: the lines are lost, the work goes on.
        writing = false
        if (held.length >= FLUSH_AT || waiting.length > 0) writeHeld()
        else if (held !== '') timer ??= setTimeout(writeHeld, FLUSH_AFTER_MS)
      }
    })
  }

  function writeNow(): void {
    const piece = Buffer.from(held)
    held = ''
    try {
      for (let at = 0; at < piece.length; ) at += fs.writeSync(fd, piece, at)
    } catch {
      // See above.
    }
  }
  process.on('exit', writeNow)

  return {
    write(line: string) {
      held += line
      if (held.length >= HOLD_AT_MOST) writeNow()
      else if (held.length >= FLUSH_AT) writeHeld()
      else timer ??= setTimeout(writeHeld, FLUSH_AFTER_MS)
    },
    /** Resolves when everything written so far has left the process. */
    flush(done: () => void) {
      waiting.push(done)
      writeHeld()
    },
  }
}
