/** Demo organizations hold domains that nobody owns, until somebody proves one. */
import type { Db } from '../db/database.ts'
import type { OrgHooks } from './context.ts'
import { findDemoOrg, updateOrg } from './orgs.queries.ts'

/** A demo organization gives its domain up to a real one that proves it, and is asked and shown no more. */
export async function stepAside(
  tx: Db,
  hooks: OrgHooks,
  { domain, at }: { domain: string | null; at: Date },
): Promise<void> {
  const id = domain === null ? null : await findDemoOrg(tx, domain)
  if (id === null) return
  const gone = {
    verificationStatus: 'pending',
    verifiedVia: null,
    verifiedAt: null,
    deactivatedAt: at,
  } as const
  await updateOrg(tx, id, gone, at)
  await hooks.changed(tx, id, at)
}
