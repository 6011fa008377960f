/**
 * An outbound whose connections go nowhere: names are answered from a table, and what would have been dialled is
 * written down and then fails. A test that reads `dialled` proves that nobody was knocked at; an error from the
 * network would prove nothing.
 */
import { Socket } from 'node:net'
import type { OutboundAllow } from '../src/lib/outbound.allow.ts'
import { OutboundError, type OutboundReason } from '../src/lib/outbound.errors.ts'
import { createOutbound, type Outbound } from '../src/lib/outbound.ts'

type Schemes = ('https' | 'http')[]

export type Rehearsal = {
  outbound: Outbound
  /** `address port`, in the order of dialling. */
  dialled: string[]
  /** Names that were looked up. */
  resolved: string[]
  /** Why the request failed; a public address fails with `connect`. */
  request(url: string, schemes?: Schemes): Promise<OutboundReason | 'none'>
  check(url: string, schemes?: Schemes): Promise<OutboundReason | 'none'>
}

export type RehearsalOptions = {
  allow?: OutboundAllow[]
  names?: Record<string, string[]>
  resolve?: (name: string) => Promise<string[]>
}

export function rehearse({ allow = [], names = {}, resolve }: RehearsalOptions = {}): Rehearsal {
  const dialled: string[] = []
  const resolved: string[] = []
  const outbound = createOutbound({
    allow,
    resolve: async (name) => {
      resolved.push(name)
      const answers = resolve ? await resolve(name) : names[name]
      if (!answers) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return answers
    },
    open: (address, port) => {
      dialled.push(`${address} ${port}`)
      return new Socket().destroy(new Error('rehearsal'))
    },
  })
  return {
    outbound,
    dialled,
    resolved,
    request: (url, schemes) => reasonOf(outbound.request({ url, schemes, timeoutMs: 2_000, maxBytes: 100 })),
    check: (url, schemes) => reasonOf(outbound.check(url, { schemes })),
  }
}

/** The reason of an expected OutboundError; any other error is the test's failure. */
export async function reasonOf(work: Promise<unknown>): Promise<OutboundReason | 'none'> {
  try {
    await work
    return 'none'
  } catch (error) {
    if (error instanceof OutboundError) return error.reason
    throw error
  }
}
