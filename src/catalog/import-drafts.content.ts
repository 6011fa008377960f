/**
 * The bytes of a stored file, read as they are asked for: who looks at its first rows does not wait for 20 MB of it, and
 * the node does not stand still to take them all at once. What is stored is never changed, so that pieces fit together.
 */
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { findDraftBytes } from './import-drafts.queries.ts'
import type { Content } from './import-drafts.reading.ts'
import { inPieces } from './producer-import-source.ts'

/** Little for who looks at the start, and then more at a time, for fewer questions. */
const FIRST_BYTES = 256 * 1024
const MOST_BYTES = 1024 * 1024

/** Reading it throws when the draft goes meanwhile. */
export function contentOf(db: Db, draft: { orgId: string; id: string }): Content {
  return async function* stored() {
    let length = FIRST_BYTES
    for (let from = 0; ; ) {
      const bytes = await findDraftBytes(db, { ...draft, from, length })
      if (!bytes) throw noDraft()
      yield* inPieces(bytes)
      if (bytes.length < length) return
      from += length
      length = Math.min(2 * length, MOST_BYTES)
    }
  }
}

export async function wholeOf(content: Content): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content()) pieces.push(piece)
  return Buffer.concat(pieces)
}

export function noDraft(): AppError {
  return new AppError('not_found', 'there is no such import; uploads are kept for a day', {
    code: 'not_found',
  })
}
