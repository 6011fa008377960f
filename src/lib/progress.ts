/**
 * Progress for people: one line that rewrites itself on a terminal, a plain line now and then elsewhere.
 * Everything goes to standard error; standard output belongs to the log and to data.
 */
export type Progress = {
  /** Count of things done so far. */
  update(done: number): void
  finish(done: number): void
}

const PLAIN_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 100

export function createProgress(
  title: string,
  total: number | null,
  out: NodeJS.WriteStream = process.stderr,
): Progress {
  const started = performance.now()
  let shown = started
  const line = (done: number) => {
    const seconds = (performance.now() - started) / 1000
    const rate = done / Math.max(seconds, 0.001)
    const left = total !== null && rate > 0 ? `, about ${formatSeconds((total - done) / rate)} left` : ''
    return `${title}: ${done.toLocaleString('en')}${total === null ? '' : ` of ${total.toLocaleString('en')}`} (${formatRate(rate)}${left})`
  }
  return {
    update(done) {
      const now = performance.now()
      if (now - shown < (out.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return
      shown = now
      out.write(out.isTTY ? `\r\x1b[K${line(done)}` : `${line(done)}\n`)
    },
    finish(done) {
      const seconds = (performance.now() - started) / 1000
      const summary = `${title}: ${done.toLocaleString('en')} in ${seconds.toFixed(1)} s (${formatRate(done / Math.max(seconds, 0.001))})`
      out.write(out.isTTY ? `\r\x1b[K${summary}\n` : `${summary}\n`)
    },
  }
}

function formatRate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

function formatSeconds(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
