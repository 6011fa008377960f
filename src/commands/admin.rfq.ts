/** `souk admin rotate-quote-key`: quotes are signed with a new key from now on; the old ones stay published. */
import { loadSecret } from '../lib/secret.ts'
import { createSigningKeys } from '../rfq/signing-keys.service.ts'
import type { AdminDeed } from './admin.ts'

export const RFQ_DEEDS: Record<string, AdminDeed> = {
  'rotate-quote-key': {
    usage: 'rotate-quote-key',
    takes: 0,
    run: async ({ db, clock, config }) => {
      const { kid } = await createSigningKeys({ db, clock }, loadSecret(config)).rotate()
      process.stderr.write(`Quotes are signed with key ${kid} within ten seconds on every node.\n`)
    },
  },
}
