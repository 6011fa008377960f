/**
 * Where producers' bearer tokens and HMAC secrets are sealed, and their rotation (see db/reseal). A box whose key is gone
 * cannot be helped: it is counted, and its producer must register the card again.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import { type Resealed, resealColumn, type SealedColumn } from '../db/reseal.ts'
import type { OrgsContext } from './context.ts'

export const INTEGRATION_SECRETS: SealedColumn = {
  table: 'agent_integrations',
  column: 'secret_box',
  key: ['org_id'],
  purpose: 'integration',
}

/** `lost` names organizations. */
export async function resealSecrets(
  ctx: Pick<OrgsContext, 'db' | 'clock' | 'integrationSecrets'>,
  options: { batch?: number } = {},
): Promise<Resealed> {
  const done = await resealColumn(ctx.db, INTEGRATION_SECRETS, ctx.integrationSecrets, options)
  await recordAudit(ctx.db, {
    actor: { kind: 'operator', id: null },
    action: 'integration.secrets_resealed',
    at: ctx.clock.now(),
    detail: { resealed: done.resealed, lost: done.lost.length },
  })
  return done
}
