/**
 * Structured log, one JSON object a line. Nothing here searches for secrets to hide: that costs more than serving
 * the request (60 µs a line for three levels of patterns), and code that holds a secret does not log it, which tests hold
 * it to. Lines are buffered for a moment unless the level is `debug`, so that logging is not on a request's path.
 */
import pino from 'pino'

export type Log = pino.Logger

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const out =
    destination ??
    pino.destination({
      fd: 1,
      sync: false,
      minLength: level === 'debug' || level === 'trace' ? 0 : 16_000,
      periodicFlush: 250,
    })
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    out,
  )
}

export type AccessLine = { requestId: string; method: string; path: string; status: number; ms: number }

/** The line of a finished request, put together by hand: there is one a request, always of the same shape. */
export function createAccessLog(log: Log): (line: AccessLine) => void {
  const out = (log as unknown as Record<symbol, pino.DestinationStream>)[pino.symbols.streamSym]
  if (!out || !log.isLevelEnabled('info')) return () => {}
  return ({ requestId, method, path, status, ms }) => {
    const time = new Date().toISOString()
    out.write(
      `{"level":"info","time":"${time}","requestId":"${requestId}","method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"status":${status},"ms":${ms.toFixed(1)}}\n`,
    )
  }
}

/** Only what helps: library errors carry whole clients, with their connection strings. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: error.name,
    message: error.message,
    code,
    stack: error.stack,
    cause: error.cause && describeError(error.cause),
  }
}

/** Call before the process ends: the last lines may still be in the buffer. */
export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}
