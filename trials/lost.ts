/** Requests that got no answer, by what broke them: how many, and which was the first, so that a loss can be explained. */

export type Lost = { cause: string; count: number; first: string }

const SHOWN_CAUSES = 3

export function countLost(list: Lost[], cause: string, request: string): void {
  const known = list.find((one) => one.cause === cause)
  if (known) known.count++
  else list.push({ cause, count: 1, first: request })
}

/** The first few, in the order in which they came up. */
export function writeLost(list: readonly Lost[]): string[] {
  const lines = list
    .slice(0, SHOWN_CAUSES)
    .map(({ cause, count, first }) => `lost ${count}: ${cause} (first: ${first})`)
  const rest = list.slice(SHOWN_CAUSES).reduce((sum, { count }) => sum + count, 0)
  return rest > 0 ? [...lines, `lost ${rest} more, in other ways`] : lines
}

/** The words with their code, which says more than they do. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  // A host of several addresses fails with one error an address, and no words of its own.
  const words = error.message || (error instanceof AggregateError ? String(error.errors[0]) : error.name)
  return code === undefined || words.includes(code) ? words : `${code}, ${words}`
}
