/** What later features add to the life of an account. Accounts know none of them: each is handed in at start. */
import type { Db } from '../db/database.ts'
import type { AuditActor } from './audit.service.ts'
import type { Visit } from './context.ts'

/** Who does it: an operator on the pages, or the command line. */
export type By = { actor: AuditActor; visit?: Visit }

export type OwnedOrganization = {
  id: string
  name: string
  /** What deleting the account does to it. */
  fate: string
}

export type AccountHooks = {
  /** Shown before an account is deleted. */
  ownedOrganizations(db: Db, userId: string): Promise<OwnedOrganization[]>
  /** How many link tokens end with the account. Shown before it is deleted or deactivated. */
  countLinkTokens(db: Db, userId: string): Promise<number>
  /** In the transaction that deactivates the account. */
  onDeactivate(db: Db, userId: string, by: By): Promise<void>
  /** In the transaction that deletes the account, before its row goes. */
  beforeDelete(db: Db, userId: string): Promise<void>
  /** The password was reset, its setter never proved the address, or the account goes: whatever acts for it ends too. */
  revokeAccess(db: Db, userId: string): Promise<void>
  /** Further parts of "export my data", by name. */
  exportData(db: Db, userId: string): Promise<Record<string, unknown>>
}

export const NO_HOOKS: AccountHooks = {
  ownedOrganizations: async () => [],
  countLinkTokens: async () => 0,
  onDeactivate: async () => {},
  beforeDelete: async () => {},
  revokeAccess: async () => {},
  exportData: async () => ({}),
}
