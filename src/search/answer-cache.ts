/** Remembers the latest answers, each good only for the state of the catalog it was made from. */
export type AnswerCache<T> = {
  get(key: string, version: number): T | null
  set(key: string, version: number, answer: T): void
}

export function createAnswerCache<T>(size: number): AnswerCache<T> {
  const known = new Map<string, { version: number; answer: T }>()
  return {
    get(key, version) {
      const found = known.get(key)
      if (!found) return null
      if (found.version !== version) {
        known.delete(key)
        return null
      }
      // To the end of the line, but only when somebody may soon have to leave it.
      if (known.size * 2 > size) {
        known.delete(key)
        known.set(key, found)
      }
      return found.answer
    },
    set(key, version, answer) {
      known.set(key, { version, answer })
      if (known.size <= size) return
      const [oldest] = known.keys()
      if (oldest !== undefined) known.delete(oldest)
    },
  }
}
