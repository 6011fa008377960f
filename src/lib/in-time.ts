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
