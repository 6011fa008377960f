/**
 * One task at a time, in the order they were asked for: what one of them reads, no other changes meanwhile. Whoever has
 * waited too long for a turn is told so, and the task is not done; a task that has begun is waited for.
 */
import { AppError } from './errors.ts'

export type SerialQueue = {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Takes no more tasks and begins none; resolves when the one under way is over. */
  close(): Promise<void>
}

export function createSerialQueue(longestWaitMs: number): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    run(task) {
      const late = Promise.withResolvers<never>()
      let given = false
      const timer = setTimeout(() => {
        given = true
        late.reject(new AppError('unavailable', 'too much is being done at the moment; please try again'))
      }, longestWaitMs).unref()
      const turn = async () => {
        clearTimeout(timer)
        if (closed) throw new AppError('unavailable', 'this server is being stopped')
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
