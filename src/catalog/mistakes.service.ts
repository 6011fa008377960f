/**
 * Readers report what is wrong with a product, with or without an account; operators close each report as fixed or
 * rejected. Anybody can write any number of them, so they are bounded by network, by product and in all, and every one
 * goes after its time. A report is a stranger's words: it is shown to operators as plain text, and to no model.
 */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Visit } from '../accounts/context.ts'
import { createNetworkLimit, type NetworkLimit } from '../accounts/network-limit.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import { conflict, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import {
  closeReport,
  countOpen,
  deleteReportsBefore,
  findOpenOf,
  findOwnReports,
  findReport,
  findReports,
  insertReport,
  lockReporting,
  type ReportedMistake,
  type ReportFilter,
} from './mistakes.queries.ts'
import type { MistakeClosing, MistakeReport } from './mistakes.schema.ts'

export type { ReportedMistake }

type Context = { db: Db; clock: Clock }

/** Of one product: a twenty-first says nothing new. */
export const OPEN_OF_PRODUCT = 20
export const OPEN_IN_ALL = 5_000
const DAY_MS = 86_400_000
export const KEEP_CLOSED_DAYS = 180
export const KEEP_OPEN_DAYS = 400

export function createMistakeLimit(clock: Clock, { limits }: Pick<Config, 'limits'>): NetworkLimit {
  const words = { one: 'report', many: 'reports', done: 'sent' }
  return createNetworkLimit({ name: 'mistakes', rate: limits.mistakes, clock, words })
}

type Reporting = MistakeReport & {
  product: { id: string; slug: string }
  userId: string | null
  visit: Visit
}

/** `known` means that nothing was added: the same was said before, or enough others said something. */
export async function reportMistake(ctx: Context, report: Reporting): Promise<'sent' | 'known'> {
  const { product, userId, visit, kind, text } = report
  return ctx.db.transaction().execute(async (tx) => {
    await lockReporting(tx)
    const open = await findOpenOf(tx, product.id)
    if (open.some((other) => other.kind === kind && other.text === text)) return 'known'
    if (open.length >= OPEN_OF_PRODUCT) return 'known'
    if ((await countOpen(tx, OPEN_IN_ALL)) >= OPEN_IN_ALL)
      throw conflict('we have more reports than we can read now; try again in a few days', {
        max: OPEN_IN_ALL,
      })
    const [id, at] = [newId(), ctx.clock.now()]
    if (!(await insertReport(tx, { ...report, id, productId: product.id, at })))
      throw notFound('this product is no longer in the catalog')
    if (userId !== null)
      await recordAudit(tx, {
        actor: { kind: 'user', id: userId },
        ...{ action: 'mistake.reported', at, userId, visit },
        detail: { report_id: id, product_slug: product.slug, kind },
      })
    return 'sent'
  })
}

export function listMistakes(ctx: { db: Db }, asked: ReportFilter): Promise<ReportedMistake[]> {
  return findReports(ctx.db, asked)
}

type Closing = MistakeClosing & { id: string; by: AuditActor; visit?: Visit }

/** Two operators at once: the first decides, the other is refused. */
export async function closeMistake(
  ctx: Context,
  { id, by, visit, outcome, note }: Closing,
): Promise<ReportedMistake> {
  return ctx.db.transaction().execute(async (tx) => {
    const report = isUuid(id) ? await findReport(tx, id) : null
    if (!report) throw notFound('no report with this id')
    const at = ctx.clock.now()
    if (!(await closeReport(tx, { id, by: by.id, at, outcome, note })))
      throw conflict('this report was closed already')
    await recordAudit(tx, {
      ...{ actor: by, action: 'mistake.closed', at, userId: report.userId, visit },
      detail: { report_id: id, product_slug: report.productSlug, outcome },
    })
    return report
  })
}

/** For "export my data"; the note is the operators' own. */
export async function exportMistakes(db: Db, userId: string): Promise<Record<string, unknown>> {
  const reports = await findOwnReports(db, userId)
  const mistake_reports = reports.map(({ productSlug, kind, text, email, createdAt, closedAt, outcome }) => ({
    ...{ product_slug: productSlug, kind, text, email },
    ...{ created_at: createdAt, closed_at: closedAt, outcome },
  }))
  return { mistake_reports }
}

export function createMistakeSweep({ db, clock }: Context): Job {
  return defineSweep({
    kind: 'mistakes.sweep',
    every: 'day',
    clockOf: db,
    async run({ inBatches }) {
      const before = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
      const ages = { closed: before(KEEP_CLOSED_DAYS), open: before(KEEP_OPEN_DAYS) }
      return { reports: await inBatches((rows) => deleteReportsBefore(db, { ...ages, rows })) }
    },
  })
}
