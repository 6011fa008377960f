/** `souk admin reseal-secrets`: after a new secret was put in front in SOUK_SECRET, and before the old one is dropped. */
import { resealColumn } from '../db/reseal.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { loadSecret } from '../lib/secret.ts'
import { INTEGRATION_SECRETS, resealSecrets } from '../orgs/integration.service.ts'
import { SEALED_KINDS } from '../sealed.ts'
import type { AdminDeed } from './admin.ts'

export const SECRET_DEEDS: Record<string, AdminDeed> = {
  'reseal-secrets': {
    usage: 'reseal-secrets',
    takes: 0,
    run: async ({ db, clock, config }) => {
      const secret = loadSecret(config)
      for (const { column, what, remedy } of SEALED_KINDS) {
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
