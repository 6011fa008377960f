/** Copies pictures in the background, and takes away what nobody uses any more. */
import { z } from 'zod'
import { defineJob, type Job, JobPostponed } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { AppError } from '../lib/errors.ts'
import { deleteUnnamed, findUnusedPictures } from './pictures.queries.ts'
import { copyDuePictures, notePictures, type PicturesContext, reconcileFiles } from './pictures.service.ts'
import { removePicture } from './store.ts'

const EVERY_MS = 5 * 60_000
const LONGEST_RUN_MS = 4 * 60_000
const TROUBLE_MS = 10 * 60_000
/** An upload is there before the proposal that names it. */
const UNNAMED_MS = 86_400_000

export function createCopyJob(ctx: PicturesContext): Job {
  return defineJob({
    kind: 'pictures.copy',
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: EVERY_MS,
    // It mostly waits for other hosts.
    places: 1,
    async run(_payload, { signal, log }) {
      const endsAt = performance.now() + LONGEST_RUN_MS
      try {
        await notePictures(ctx, signal)
        let settled = 0
        for (let round = -1; round !== 0; settled += round) {
          if (performance.now() > endsAt) throw new JobPostponed('more pictures are due', 0)
          round = await copyDuePictures(ctx, signal)
        }
        if (settled > 0) log.info({ settled }, 'pictures.copy: done')
      } catch (error) {
        // The node stops: another one goes on at once.
        signal.throwIfAborted()
        const isFull = /^(ENOSPC|EDQUOT|EACCES|EROFS|ENOTDIR)$/.test(
          (error as NodeJS.ErrnoException).code ?? '',
        )
        if (isFull || (error instanceof AppError && error.kind === 'unavailable')) {
          log.warn({ err: error }, 'pictures.copy: pictures cannot be copied right now')
          throw new JobPostponed('pictures cannot be copied right now', TROUBLE_MS)
        }
        throw error
      }
    },
  })
}

export function createPictureSweep(ctx: Omit<PicturesContext, 'outbound' | 'decoder'>): Job {
  const { db, clock } = ctx
  return defineSweep({
    kind: 'pictures.sweep',
    every: 'day',
    clockOf: db,
    async run({ inBatches }) {
      const before = new Date(clock.now().getTime() - UNNAMED_MS)
      let after: Parameters<typeof deleteUnnamed>[1]['after'] = null
      const names = await inBatches(async (limit) => {
        const { deleted, last } = await deleteUnnamed(db, { after, before, limit })
        after = last
        return { removed: deleted, more: last !== null }
      })
      const pictures = await inBatches(async () => {
        const unused = await findUnusedPictures(db, { before, limit: 100 })
        let removed = 0
        for (const hash of unused) if (await removePicture(ctx, hash)) removed++
        return { removed, more: removed === 100 }
      })
      return { names, pictures, ...(await reconcileFiles(ctx)) }
    },
  })
}
