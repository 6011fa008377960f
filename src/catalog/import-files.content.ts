/** The bytes of the operator's files: in pieces on the way in, and as a stream, as often as it is asked for, on the way out. */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Content } from './import-drafts.reading.ts'
import { asWritten } from './import-drafts.words.ts'
import { deleteFile, findPart, insertFile, insertPart } from './import-files.queries.ts'
import { PART_BYTES } from './import-files.schema.ts'

/** Stores a file while it is being uploaded. What is cut off goes; if this node goes first, the sweep takes it. */
export async function openFileStore(
  ctx: { db: Db; clock: Clock },
  { userId, fileName }: { userId: string | null; fileName: string },
) {
  const id = newId()
  await insertFile(ctx.db, { id, userId, fileName: nameOf(fileName), at: ctx.clock.now() })
  let held: Buffer[] = []
  let size = 0
  let parts = 0
  let stored = 0
  const flush = async (atLeast: number) => {
    if (size < atLeast || size === 0) return
    const bytes = Buffer.concat(held)
    let from = 0
    while (bytes.length - from >= atLeast && from < bytes.length) {
      const piece = bytes.subarray(from, from + PART_BYTES)
      await insertPart(ctx.db, id, parts++, piece)
      stored += piece.length
      from += piece.length
    }
    held = [bytes.subarray(from)]
    size = bytes.length - from
  }
  return {
    id,
    async write(piece: Buffer) {
      held.push(piece)
      size += piece.length
      await flush(PART_BYTES)
    },
    end: () => flush(1),
    pieces: () => fileContent(ctx.db, { id, sizeBytes: () => stored })(),
    discard: () => deleteFile(ctx.db, id),
  }
}

/** Reading it throws when the file goes meanwhile. */
export function fileContent(
  db: Db,
  { id, sizeBytes }: { id: string; sizeBytes: () => number },
  seen: (bytes: number) => void = () => {},
): Content {
  return async function* stored() {
    let read = 0
    for (let part = 0; read < sizeBytes(); part++) {
      const bytes = await findPart(db, id, part)
      if (!bytes) throw noFile()
      read += bytes.length
      seen(read)
      yield bytes
    }
  }
}

export function noFile(): AppError {
  return new AppError(
    'not_found',
    'there is no such file; files are kept for a day after they were last touched',
    {
      code: 'not_found',
    },
  )
}

function nameOf(path: string): string {
  return asWritten(path.split(/[\\/]/).at(-1) ?? '', 120).toWellFormed() || 'file'
}
