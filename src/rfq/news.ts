/**
 * Tells whoever waits on this node that something about a request is new, wherever it happened: the database notifies
 * all nodes. A notification may be lost, so those who wait also look by themselves now and then.
 */
export type RfqNews = {
  /** What the database's `rfqs` channel says; an empty id means that any may have changed. */
  tell(rfqId: string): void
  /** Resolves when there is news of this request, or after `ms`. */
  wait(rfqId: string, ms: number, signal?: AbortSignal): Promise<void>
}

export function createRfqNews(): RfqNews {
  const waiting = new Map<string, Set<() => void>>()

  function wake(rfqId: string): void {
    for (const go of waiting.get(rfqId) ?? []) go()
  }

  return {
    tell(rfqId) {
      if (rfqId === '') for (const id of [...waiting.keys()]) wake(id)
      else wake(rfqId)
    },
    wait(rfqId, ms, signal) {
      return new Promise((resolve) => {
        const mine = waiting.get(rfqId) ?? new Set()
        waiting.set(rfqId, mine)
        const go = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', go)
          mine.delete(go)
          if (mine.size === 0 && waiting.get(rfqId) === mine) waiting.delete(rfqId)
          resolve()
        }
        const timer = setTimeout(go, ms)
        mine.add(go)
        signal?.addEventListener('abort', go, { once: true })
        if (signal?.aborted) go()
      })
    },
  }
}
