/** `souk admin reseal-secrets`: after a new secret was put in front in SOUK_SECRET, and before the old one is dropped. */
import { resealColumn, type SealedColumn } from '../db/reseal.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { loadSecret } from '../lib/secret.ts'
import { INTEGRATION_SECRETS, resealSecrets } from '../orgs/integration-secrets.service.ts'
import { PRICING_FLOORS } from '../pricing/pricing.service.ts'
import { SIGNING_KEYS } from '../rfq/signing-keys.service.ts'
import type { AdminDeed } from './admin.ts'

export const SECRET_DEEDS: Record<string, AdminDeed> = {
  'reseal-secrets': {
    usage: 'reseal-secrets',
    takes: 0,
    run: async ({ db, clock, config }) => {
      const boxFor = ({ purpose }: SealedColumn) => createSecretBox(loadSecret(config), purpose)
      const integrationSecrets = boxFor(INTEGRATION_SECRETS)
      const secrets = await resealSecrets({ db, clock, integrationSecrets })
      tell('secrets of producers', secrets.resealed)
      tell(
        'limits of managed pricing',
        (await resealColumn(db, PRICING_FLOORS, boxFor(PRICING_FLOORS))).resealed,
      )
      tell('keys that sign quotes', (await resealColumn(db, SIGNING_KEYS, boxFor(SIGNING_KEYS))).resealed)
      if (secrets.lost.length === 0) return
      process.stderr.write(
        `${secrets.lost.length} cannot be opened with any key of SOUK_SECRET. Put the old secret back and run this again, or let these organizations register their card again:\n`,
      )
      process.stdout.write(secrets.lost.map((orgId) => `${orgId}\n`).join(''))
    },
  },
}

function tell(what: string, count: number): void {
  process.stderr.write(`${count} ${what} were sealed anew with the newest key.\n`)
}
