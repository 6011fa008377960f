/**
 * Everything that is sealed in the database, in one list: what rotation seals anew, what the doctor looks at, and what a
 * start must be able to open. A feature that seals something new adds it here.
 */
import { WAITING_MAILS } from './accounts/mail.job.ts'
import { type Config, ConfigError } from './config.ts'
import type { Db } from './db/database.ts'
import { countSealed, type SealedColumn } from './db/reseal.ts'
import { createSecretBox, newToken } from './lib/crypto.ts'
import type { Log } from './lib/log.ts'
import { loadSecret, peekSecret, secretFile } from './lib/secret.ts'
import { INTEGRATION_SECRETS } from './orgs/integration.service.ts'
import { PRICING_FLOORS } from './pricing/pricing.service.ts'
import { PUSH_SECRETS, QUESTION_PUSHES } from './rfq/pushes.service.ts'
import { SIGNING_KEYS } from './rfq/signing-keys.service.ts'
import { SOURCE_CREDENTIALS } from './sources/context.ts'

export type SealedKind = {
  column: SealedColumn
  what: string
  /** What to do about those that no key opens, besides putting the old secret back. */
  remedy: string
}

export const SEALED_KINDS: readonly SealedKind[] = [
  {
    column: INTEGRATION_SECRETS,
    what: 'producer secrets',
    remedy: 'ask these organizations to register their card again',
  },
  {
    column: PRICING_FLOORS,
    what: 'managed pricing limits',
    remedy: 'ask these organizations to set their limits again (organization and product)',
  },
  {
    column: PUSH_SECRETS,
    what: 'push notification secrets',
    remedy: 'ask their clients to set them again (request and notification name)',
  },
  {
    column: QUESTION_PUSHES,
    what: 'push notifications for questions',
    remedy: 'ask their clients to set them again once the question is a request',
  },
  {
    column: SOURCE_CREDENTIALS,
    what: 'credentials of sources',
    remedy: 'enter them again in the settings of these sources',
  },
  { column: SIGNING_KEYS, what: 'quote signing keys', remedy: 'run admin rotate-quote-key' },
  {
    column: WAITING_MAILS,
    what: 'waiting emails',
    remedy: 'drop these jobs; people ask for their mail again',
  },
]

export type LostKind = SealedKind & { boxes: number; lost: number }

/** What the secret opens and what it does not, kind by kind. Without a secret it opens nothing. */
export async function countSealedKinds(db: Db, secret: string | null): Promise<LostKind[]> {
  const counted: LostKind[] = []
  for (const kind of SEALED_KINDS) {
    const box = createSecretBox(secret ?? newToken('none'), kind.column.purpose)
    counted.push({ ...kind, ...(await countSealed(db, kind.column, box)) })
  }
  return counted
}

export function describeLost(kinds: readonly LostKind[]): string {
  return kinds
    .filter(({ lost }) => lost > 0)
    .map(({ what, lost, boxes }) => `${lost} of ${boxes} ${what}`)
    .join(', ')
}

/** The secret by which the configuration goes, in words for a person. */
export function nameSecret(config: Pick<Config, 'secret' | 'dataDir'>): string {
  if (config.secret !== null) return 'SOUK_SECRET'
  return peekSecret(config) === null
    ? `SOUK_SECRET is not set, ${secretFile(config)} does not exist, and a new secret`
    : `the secret in ${secretFile(config)}`
}

/**
 * The secret for a server. It must open what is sealed: a node with another one would seal beside it, and fail only
 * when somebody needs what is lost. No new secret is made before that is known.
 */
export async function openSecret(
  ctx: { db: Db; log: Log },
  config: Pick<Config, 'secret' | 'dataDir' | 'acceptLostSecrets'>,
): Promise<string> {
  const lost = describeLost(await countSealedKinds(ctx.db, peekSecret(config)))
  if (lost !== '' && !config.acceptLostSecrets)
    throw new ConfigError(
      `${nameSecret(config)} does not open the sealed data of this database (${lost}): add the secret it was sealed with to SOUK_SECRET (after a comma if you have a newer one), or set SOUK_ACCEPT_LOST_SECRETS=1 to continue without that data`,
    )
  if (lost !== '') ctx.log.warn({ lost }, 'continuing without the sealed data that the secret does not open')
  return loadSecret(config)
}
