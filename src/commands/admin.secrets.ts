/** `souk admin reseal-secrets`: after a new secret was put in front in SOUK_SECRET, and before the old one is dropped. */
import { resealColumn } from '../db/reseal.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { loadSecret } from '../lib/secret.ts'
import { INTEGRATION_SECRETS, resealSecrets } from '../orgs/integration-secrets.service.ts'
import { PRICING_FLOORS } from '../pricing/pricing.service.ts'
import { PUSH_SECRETS, QUESTION_PUSHES } from '../rfq/pushes.service.ts'
import { SIGNING_KEYS } from '../rfq/signing-keys.service.ts'
import type { AdminDeed } from './admin.ts'

/** What to do about those that no key of SOUK_SECRET opens, besides putting the old secret back. */
const KINDS = [
  {
    column: INTEGRATION_SECRETS,
    what: 'secrets of producers',
    remedy: 'let these organizations register their card again',
  },
  {
    column: PRICING_FLOORS,
    what: 'limits of managed pricing',
    remedy: 'let these organizations set their limits again (organization and product)',
  },
  {
    column: PUSH_SECRETS,
    what: 'secrets of push notifications',
    remedy: 'let their askers set them again (request and name of the notification)',
  },
  {
    column: QUESTION_PUSHES,
    what: 'push notifications of questions',
    remedy: 'let their askers set them again when the question has become a request',
  },
  { column: SIGNING_KEYS, what: 'keys that sign quotes', remedy: 'run admin rotate-quote-key' },
]

export const SECRET_DEEDS: Record<string, AdminDeed> = {
  'reseal-secrets': {
    usage: 'reseal-secrets',
    takes: 0,
    run: async ({ db, clock, config }) => {
      const secret = loadSecret(config)
      for (const { column, what, remedy } of KINDS) {
        const box = createSecretBox(secret, column.purpose)
        const { resealed, lost } =
          column === INTEGRATION_SECRETS
            ? await resealSecrets({ db, clock, integrationSecrets: box })
            : await resealColumn(db, column, box)
        process.stderr.write(`${resealed} ${what} were sealed anew with the newest key.\n`)
        if (lost.length === 0) continue
        process.stderr.write(
          `${lost.length} ${what} cannot be opened with any key of SOUK_SECRET. Put the old secret back and run this again, or ${remedy}:\n`,
        )
        process.stdout.write(lost.map((id) => `${id}\n`).join(''))
      }
    },
  },
}
