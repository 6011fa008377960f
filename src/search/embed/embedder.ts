/** What turns text into vectors. The id names the model and its weights: vectors of two ids are never compared. */
export type Embedder = {
  readonly id: string
  readonly dims: number
  /** Unit length. Repeated queries come from memory. */
  embedQuery(text: string): Promise<Float32Array>
  /** In the order of the texts; meant for many, and never ahead of a query. */
  embedDocuments(texts: string[]): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Remembers the vectors of the latest queries, and lets simultaneous askers of one query share the work. */
export function rememberQueries(
  embed: (text: string) => Promise<Float32Array>,
  size: number,
): (text: string) => Promise<Float32Array> {
  const known = new Map<string, Promise<Float32Array>>()
  return (text) => {
    const found = known.get(text)
    if (found) {
      known.delete(text)
      known.set(text, found)
      return found
    }
    const made = embed(text)
    known.set(text, made)
    // A failure is not an answer: the next asker tries again.
    made.catch(() => known.delete(text))
    if (known.size > size) {
      const [oldest] = known.keys()
      if (oldest !== undefined) known.delete(oldest)
    }
    return made
  }
}

export function normalize(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length === 0 ? vector : vector.map((value) => value / length)
}
