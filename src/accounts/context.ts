/**
 * What the use cases of accounts work with. `db` may be a transaction: a use case passes `{ ...ctx, db: tx }` on, and
 * everything below happens or does not happen together.
 */
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type AccountHooks, NO_HOOKS } from './hooks.ts'
import { type AccountSecrets, createAccountSecrets } from './secrets.ts'

/** Enough to look people and sessions up. */
export type SessionsContext = {
  db: Db
  clock: Clock
  config: Pick<Config, 'adminEmails'>
}

export type AccountsContext = SessionsContext & {
  log: Log
  config: Pick<Config, 'adminEmails' | 'baseUrl' | 'limits' | 'keep' | 'passwordCost'>
  secrets: AccountSecrets
  hooks: AccountHooks
}

/** Where a request came from, for the session list and the audit log. */
export type Visit = { ip: string | null; userAgent: string | null; requestId: string | null }

export function createAccountsContext(deps: {
  db: Db
  clock: Clock
  log: Log
  config: Config
  /** What loadSecret gave. */
  secret: string
}): AccountsContext {
  const { db, clock, log, config, secret } = deps
  return { db, clock, log, config, secrets: createAccountSecrets(secret), hooks: NO_HOOKS }
}
