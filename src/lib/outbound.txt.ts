/**
 * Reads TXT records, where domains show proofs that they belong to somebody. It asks the machine's own resolver and
 * connects to nobody the caller names, but it is bounded in time like everything that leaves the service.
 */
import { Resolver } from 'node:dns/promises'
import { codeOf, OutboundError } from './outbound.errors.ts'

/** The texts of a name's records; none when it has none or does not exist. */
export type ResolveTxt = (name: string) => Promise<string[]>

export function createTxtResolve(): ResolveTxt {
  return async (name) => {
    try {
      const records = await new Resolver({ timeout: 2_000, tries: 2 }).resolveTxt(name)
      // A long text comes in pieces of 255 bytes that belong together.
      return records.map((pieces) => pieces.join(''))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ENODATA' || code === 'ENOTFOUND') return []
      throw new OutboundError('dns', `The TXT records of ${name} could not be read`, code)
    }
  }
}
