/** The operator's looks at jobs and searches; part of the table in `admin.ts`. Columns are separated by tabs. */
import { recordAudit } from '../accounts/audit.service.ts'
import { slugOf } from '../catalog/profile.ts'
import { dropJob, type KindLine, type Recorder, retryJob, viewJobs } from '../jobs/jobs.admin.service.ts'
import type { Clock } from '../lib/clock.ts'
import { printable } from '../lib/text.ts'
import { QUALITY_DAYS, type QueryLine, searchQuality, type VainLine } from '../search/quality.service.ts'
import type { AdminDeed } from './admin.ts'

const line = (cells: unknown[]) => `${cells.map((cell) => printable(String(cell ?? ''))).join('\t')}\n`

const recorder =
  ({ clock }: { clock: Clock }): Recorder =>
  (tx, action, detail) =>
    recordAudit(tx, { actor: { kind: 'operator', id: null }, action, at: clock.now(), detail })

export const SYSTEM_DEEDS: Record<string, AdminDeed> = {
  jobs: {
    usage: 'jobs',
    takes: 0,
    run: async (ctx) => {
      const { kinds, failed } = await viewJobs(ctx)
      process.stdout.write(kinds.map(kindLine).join(''))
      for (const { id, kind, attempts, failedAt, error } of failed)
        process.stdout.write(line(['failed', id, kind, attempts, failedAt.toISOString(), error]))
    },
  },
  'retry-job': {
    usage: 'retry-job ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { kind, stands } = await retryJob(ctx, id, recorder(ctx))
      process.stderr.write(
        stands
          ? `The same work waits already: ${kind}.\n`
          : `${kind} waits again, and runs when a server does.\n`,
      )
    },
  },
  'drop-job': {
    usage: 'drop-job ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { kind } = await dropJob(ctx, id, recorder(ctx))
      process.stderr.write(`${kind} is dropped; it will not run.\n`)
    },
  },
  'search-quality': {
    usage: 'search-quality',
    takes: 0,
    run: async (ctx) => {
      for (const days of QUALITY_DAYS) {
        const { totals, lists, vain } = await searchQuality(ctx, days)
        for (const [name, value] of Object.entries(totals))
          process.stdout.write(
            line([`${days}d`, name, typeof value === 'number' ? Math.round(value) : value]),
          )
        for (const [name, lines] of Object.entries(lists))
          process.stdout.write(lines.map((one) => queryLine(`${days}d`, name, one)).join(''))
        process.stdout.write(vain.map((one) => vainLine(`${days}d`, one)).join(''))
      }
    },
  },
}

function kindLine({ kind, waiting, running, failed, lastFinishedAt, nextAt }: KindLine): string {
  return line([kind, waiting, running, failed, lastFinishedAt?.toISOString(), nextAt?.toISOString()])
}

function queryLine(
  days: string,
  list: string,
  { query, searches, empty, clicked, slowestMs }: QueryLine,
): string {
  return line([days, list, searches, empty, clicked, Math.round(slowestMs), query])
}

function vainLine(days: string, { query, times, filtered, lastAt, closest }: VainLine): string {
  return line([days, 'vain', times, filtered, lastAt.toISOString(), closest && slugOf(closest), query])
}
