/**
 * Wakes waiters on this node when something changes, on whichever node it happened: the database notifies all nodes. A
 * notification may be lost, so those who wait also look by themselves now and then.
 */
export type News = {
  /** What a channel of the database says; an empty id means that any may have changed. */
  tell(id: string): void
  /** Resolves when there is news of this thing, or after `ms`. */
  wait(id: string, ms: number, signal?: AbortSignal): Promise<void>
}

/** Waits for news of anything. */
export const ANY = '*'

export function createNews(): News {
  const waiting = new Map<string, Set<() => void>>()

  function wake(id: string): void {
    for (const go of waiting.get(id) ?? []) go()
  }

  return {
    tell(id) {
      if (id === '') for (const one of [...waiting.keys()]) wake(one)
      else for (const one of [id, ANY]) wake(one)
    },
    wait(id, ms, signal) {
      return new Promise((resolve) => {
        const mine = waiting.get(id) ?? new Set()
        waiting.set(id, mine)
        const go = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', go)
          mine.delete(go)
          if (mine.size === 0 && waiting.get(id) === mine) waiting.delete(id)
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
