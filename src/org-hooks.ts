/** What features above organizations do when one changes; the server and the command line hand it in. */
import { NO_ORG_HOOKS, type OrgHooks } from './orgs/context.ts'

export const ORG_HOOKS: OrgHooks = {
  domainVerified: NO_ORG_HOOKS.domainVerified,
  changed: NO_ORG_HOOKS.changed,
}
