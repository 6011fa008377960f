/** Lets a few pieces of work run at once and the next ones wait in line; a line that is too long sends people away. */
import { AppError } from '../lib/errors.ts'

export type Limit = <T>(work: () => Promise<T>) => Promise<T>

export function createLimit({ atOnce, waiting }: { atOnce: number; waiting: number }): Limit {
  let running = 0
  const line: Array<() => void> = []
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting)
        throw new AppError('unavailable', 'too many people are signing in at this moment; please try again', {
          retryAfterSeconds: 5,
        })
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
