/** What sources work with; made once at start. */

import { FILE_BYTES } from '../catalog/import-files.schema.ts'
import type { FilesContext } from '../catalog/import-files.service.ts'
import { MAX_FILE_BYTES } from '../catalog/producer-import.schema.ts'
import type { ProducerImportContext } from '../catalog/producer-import.service.ts'
import type { Config } from '../config.ts'
import type { SealedColumn } from '../db/reseal.ts'
import { createSecretBox, type SecretBox } from '../lib/crypto.ts'

export const SOURCE_CREDENTIALS: SealedColumn = {
  table: 'sources',
  column: 'credentials_box',
  key: ['id'],
  purpose: 'source credentials',
}

/** How much one file of a source may take. A fetched file is held in memory, so it is smaller than an uploaded one. */
export type SourceLimits = {
  maxBytes: number
  sellerBytes: number
  timeoutMs: number
  sellerMs: number
  maxInflatedBytes: number
}

const LIMITS: SourceLimits = {
  maxBytes: FILE_BYTES / 2,
  sellerBytes: MAX_FILE_BYTES,
  timeoutMs: 5 * 60_000,
  sellerMs: 60_000,
  maxInflatedBytes: 2 * 1024 ** 3,
}

export type SourcesContext = ProducerImportContext &
  Omit<FilesContext, 'categoriesLike'> & {
    config: Pick<Config, 'limits' | 'adminEmails'>
    credentials: SecretBox
    limits: SourceLimits
  }

export function createSourcesContext(
  ctx: ProducerImportContext & { config: Pick<Config, 'limits' | 'adminEmails' | 'currency'> },
  { secret, limits }: { secret: string; limits?: Partial<SourceLimits> },
): SourcesContext {
  return {
    ...ctx,
    ownCurrency: ctx.config.currency,
    credentials: createSecretBox(secret, SOURCE_CREDENTIALS.purpose),
    limits: { ...LIMITS, ...limits },
  }
}
