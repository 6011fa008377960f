/** What later features add to the life of an account. Accounts know none of them: each is handed in at start. */
import type { Db } from '../db/database.ts'

export type OwnedOrganization = {
  id: string
  name: string
  /** What deleting the account does to it. */
  fate: string
}

export type AccountHooks = {
  /** Shown before an account is deleted. */
  ownedOrganizations(db: Db, userId: string): Promise<OwnedOrganization[]>
  /** In the transaction that deletes the account, before its row goes. */
  beforeDelete(db: Db, userId: string): Promise<void>
  /** The password was reset, its setter never proved the address, or the account goes: whatever acts for it ends too. */
  revokeAccess(db: Db, userId: string): Promise<void>
  /** Further parts of "export my data", by name. */
  exportData(db: Db, userId: string): Promise<Record<string, unknown>>
}

export const NO_HOOKS: AccountHooks = {
  ownedOrganizations: async () => [],
  beforeDelete: async () => {},
  revokeAccess: async () => {},
  exportData: async () => ({}),
}
