/**
 * Structured log. Redaction is the last line of defence only: code that holds a secret does not log it.
 * Lines are buffered for a moment unless the level is `debug`, so that logging does not sit on the request's path.
 */
import pino from 'pino'

export type Log = pino.Logger

const SECRET_KEYS = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'access_token',
  'refresh_token',
  'code_verifier',
  'bearer_token',
  'hmac_secret',
  'reserve_price_usd',
  'min_margin_pct',
]

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const out =
    destination ??
    pino.destination({
      fd: 1,
      sync: false,
      minLength: level === 'debug' || level === 'trace' ? 0 : 4096,
      periodicFlush: 250,
    })
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
      serializers: { err: describeError },
    },
    out,
  )
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
