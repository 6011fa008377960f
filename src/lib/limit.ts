/** Lets a few pieces of work run at once and the next ones wait in line; a line that is too long sends people away. */
import { AppError, unavailable } from './errors.ts'

type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** `tooMany` is what those who are sent away are told. */
export function createLimit(input: { atOnce: number; waiting: number; tooMany: string }): Limit {
  const { atOnce, waiting, tooMany } = input
  let running = 0
  const line: Array<() => void> = []
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting) throw unavailable(tooMany, 5)
      // A finished task hands its place on, so `running` does not change.
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

type SerialQueue = {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Takes no more tasks and begins none; resolves when the one under way is over. */
  close(): Promise<void>
}

/**
 * One task at a time, in the order they were asked for: what one of them reads, no other changes meanwhile. A task
 * that waits too long for its turn is refused and not done; a task that has begun is waited for.
 */
export function createSerialQueue(longestWaitMs: number): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    run(task) {
      const late = Promise.withResolvers<never>()
      let given = false
      const timer = setTimeout(() => {
        given = true
        late.reject(new AppError('unavailable', 'the service is very busy; try again shortly'))
      }, longestWaitMs).unref()
      const turn = async () => {
        clearTimeout(timer)
        if (closed) throw new AppError('unavailable', 'the server is stopping')
        return given ? late.promise : task()
      }
      const done = last.then(turn)
      last = done.catch(() => {})
      return Promise.race([done, late.promise])
    },
    async close() {
      closed = true
      await last
    },
  }
}
