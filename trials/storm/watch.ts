/** Looks at every answer of the traffic: what no caller should ever be told, whatever goes wrong behind. */
import type { SeenAnswer } from '../traffic.ts'

export type Watch = {
  look(answer: SeenAnswer): void
  /** Found since the last time it was asked. */
  breaches(): string[]
}

/** `mayFail`: the database is at fault just now, and a 500 may be all there is to say. */
export function createWatch(mayFail: () => boolean): Watch {
  let found: string[] = []
  return {
    look({ act, method, path, status, requestId, address, text, header }) {
      const what = `${act}: ${method} ${path} at ${address} (request ${requestId})`
      if (status >= 500 && status !== 503 && !mayFail())
        found.push(`${what} was ${status}: ${text.slice(0, 200)}`)
      if ((status === 503 || status === 429) && header('retry-after') === undefined)
        found.push(`${what} was ${status} without saying when to come back: ${text.slice(0, 200)}`)
    },
    breaches() {
      const all = found
      found = []
      return all
    },
  }
}
