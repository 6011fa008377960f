/** What no HTTP client sends, over a connection of its own. */
import type { Attempt, Maker, Turn } from './attempt.ts'
import { callerFor } from './callers.ts'
import { WIRES } from './wire.requests.ts'

export function createWireMaker(address: string): Maker {
  const { host } = new URL(address)
  return {
    face: 'wire',
    weight: 2,
    run(turn) {
      const { name, make } = turn.pick(WIRES)
      return turn.send(overTheWire(turn, name, make(turn, host)))
    },
  }
}

/** One that nothing is wrong with, so that a run sees at least one that is served. */
export function wellOnTheWire(turn: Turn, address: string): Attempt {
  const { host } = new URL(address)
  return overTheWire(
    turn,
    'as it should be',
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  )
}

function overTheWire(turn: Turn, name: string, bytes: string | Buffer): Attempt {
  return {
    face: 'wire',
    operation: `wire ${name}`,
    method: 'raw',
    path: '',
    headers: {},
    body: null,
    caller: callerFor(turn, '/', ['nobody']),
    mutations: [name],
    raw: Buffer.from(bytes),
  }
}
