/**
 * A signal for one piece of work that ends when any of several others does, or when its time is up. Not AbortSignal.any:
 * what is made from a signal that lives as long as the node would be held as long. So it is let go of when the work is done.
 */
export type JoinedAbort = {
  signal: AbortSignal
  abort(): void
  /** Stops listening and waiting; the signal stays as it is. */
  letGo(): void
}

export function joinAbort(others: ReadonlyArray<AbortSignal | undefined>, ms?: number): JoinedAbort {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = ms === undefined ? undefined : setTimeout(abort, ms)
  for (const other of others) {
    other?.addEventListener('abort', abort, { once: true })
    if (other?.aborted) abort()
  }
  return {
    signal: controller.signal,
    abort,
    letGo() {
      clearTimeout(timer)
      for (const other of others) other?.removeEventListener('abort', abort)
    },
  }
}

/** Waits for work no longer than that, then throws what `late` makes. The work goes on; what comes of it is dropped. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(late()), ms)
  try {
    return await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
