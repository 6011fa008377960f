/**
 * Progress for people: one line that rewrites itself on a terminal, a plain line now and then elsewhere.
 * Everything goes to standard error; standard output belongs to the log and to data.
 */
export type Progress = {
  /** Count of things done so far, and how much of the whole that is (0 to 1) where it is known. */
  update(done: number, share?: number): void
  finish(done: number): void
}

const PLAIN_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 100

export function createProgress(title: string, out: NodeJS.WriteStream = process.stderr): Progress {
  const started = performance.now()
  let shown = started
  const line = (done: number, share: number) => {
    const seconds = (performance.now() - started) / 1000
    const left = share > 0 ? `, about ${formatSeconds((seconds / share) * (1 - share))} left` : ''
    return `${title}: ${done.toLocaleString('en')} (${formatRate(done / Math.max(seconds, 0.001))}${left})`
  }
  return {
    update(done, share = 0) {
      const now = performance.now()
      if (now - shown < (out.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return
      shown = now
      out.write(out.isTTY ? `\r\x1b[K${line(done, share)}` : `${line(done, share)}\n`)
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
