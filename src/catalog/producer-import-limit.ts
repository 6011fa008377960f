/** How many files an organization may bring: each is fetched or stored, read to its end and compared with the catalog. */
import { countWithinLimit, type WindowContext } from '../accounts/window-limit.service.ts'
import type { Config } from '../config.ts'
import { rateWords } from '../lib/rate-limit.ts'

export type ImportLimitContext = WindowContext & { config: Pick<Config, 'limits'> }

/** Throws `rate_limited` when the organization has brought as many as it may. */
export function countImport(ctx: ImportLimitContext, orgId: string): Promise<void> {
  return countWithinLimit(ctx, {
    limit: 'import',
    who: `org ${orgId}`,
    rate: ctx.config.limits.import,
    said: (rate) => `${rateWords(rate, 'file', 'files')} were brought for this organization`,
  })
}
