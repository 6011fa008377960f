/** Lets a few pieces of work run at once and the next ones wait in line; a line that is too long sends people away. */
import { AppError } from './errors.ts'

export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** `tooMany` is what those who are sent away are told. */
export function createLimit(input: { atOnce: number; waiting: number; tooMany: string }): Limit {
  const { atOnce, waiting, tooMany } = input
  let running = 0
  const line: Array<() => void> = []
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting) throw new AppError('unavailable', tooMany, { retryAfterSeconds: 5 })
      // Whoever finishes hands its place on, so `running` does not change.
      await new Promise<void>((resolve) => line.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running--
    }
  }
}
