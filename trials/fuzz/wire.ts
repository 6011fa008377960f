/** What no HTTP client sends, over a connection of its own. */
import type { Attempt, Maker } from './attempt.ts'
import { callerFor } from './callers.ts'
import { WIRES } from './wire.requests.ts'

export function createWireMaker(address: string): Maker {
  const { host } = new URL(address)
  return {
    face: 'wire',
    weight: 2,
    run(turn) {
      const { name, make } = turn.pick(WIRES)
      const made = make(turn, host)
      const attempt: Attempt = {
        face: 'wire',
        operation: `wire ${name}`,
        method: 'raw',
        path: '',
        headers: {},
        body: null,
        caller: callerFor(turn, '/', ['nobody']),
        mutations: [name],
        raw: typeof made === 'string' ? Buffer.from(made) : made,
      }
      return turn.send(attempt)
    },
  }
}
