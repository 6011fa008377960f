/** What the use cases of organizations work with; made once at start. `db` may be a transaction, as in accounts. */
import type { AccountsContext } from '../accounts/context.ts'
import type { Db } from '../db/database.ts'
import { createSecretBox, type SecretBox } from '../lib/crypto.ts'
import type { Outbound } from '../lib/outbound.ts'
import type { ResolveTxt } from '../lib/outbound.txt.ts'
import { INTEGRATION_SECRETS } from './integration.service.ts'

/** What later features do when an organization changes, in the transaction of the change. Handed in at start. */
export type OrgHooks = {
  /** Its domain was proved: claims that hang on it can be verified now. */
  domainVerified(tx: Db, orgId: string, at: Date): Promise<void>
  /** The domain it had proved is no longer its: what hung on it is unproved. */
  domainLost(tx: Db, orgId: string, at: Date): Promise<void>
  /** Its name, its verification or its being active changed: whatever shows it is stale. */
  changed(tx: Db, orgId: string, at: Date): Promise<void>
}

/** For where nothing stands above organizations. */
export const NO_ORG_HOOKS: OrgHooks = {
  domainVerified: async () => {},
  domainLost: async () => {},
  changed: async () => {},
}

export type OrgsContext = AccountsContext & {
  outbound: Outbound
  resolveTxt: ResolveTxt
  /** Seals producers' bearer tokens and HMAC secrets. */
  integrationSecrets: SecretBox
  orgHooks: OrgHooks
}

export function createOrgsContext(
  accounts: AccountsContext,
  deps: { outbound: Outbound; resolveTxt: ResolveTxt; secret: string; orgHooks: OrgHooks },
): OrgsContext {
  const { outbound, resolveTxt, secret, orgHooks } = deps
  return {
    ...accounts,
    outbound,
    resolveTxt,
    integrationSecrets: createSecretBox(secret, INTEGRATION_SECRETS.purpose),
    orgHooks,
  }
}
