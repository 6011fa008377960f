/** The operator's actions on keys and jobs, and a look at searches. */
import { recordAudit } from '../accounts/audit.service.ts'
import { slugOf } from '../catalog/profile.ts'
import { resealColumn } from '../db/reseal.ts'
import { dropJob, type Recorder, retryJob, viewJobs } from '../jobs/jobs.admin.service.ts'
import type { Clock } from '../lib/clock.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { loadSecret } from '../lib/secret.ts'
import { INTEGRATION_SECRETS, resealSecrets } from '../orgs/integration.service.ts'
import { createSigningKeys } from '../rfq/signing-keys.service.ts'
import { SEALED_KINDS } from '../sealed.ts'
import { QUALITY_DAYS, searchQuality } from '../search/quality.service.ts'
import { type AdminActions, OPERATOR, printLine } from './admin.action.ts'
import { say } from './terminal.ts'

const recorder =
  ({ clock }: { clock: Clock }): Recorder =>
  (tx, action, detail) =>
    recordAudit(tx, { actor: OPERATOR, action, at: clock.now(), detail })

export const SYSTEM_ACTIONS: AdminActions = {
  /** Quotes are signed with a new key from now on; the old ones stay published. */
  async 'rotate-quote-key'({ db, clock, config }) {
    const { kid } = await createSigningKeys({ db, clock }, loadSecret(config)).rotate()
    say(`Every node signs quotes with key ${kid} within ten seconds.`)
  },
  /** After a new secret was put in front in SOUK_SECRET, and before the old one is dropped. */
  async 'reseal-secrets'({ db, clock, config }) {
    const secret = loadSecret(config)
    for (const { column, what, remedy } of SEALED_KINDS) {
      const box = createSecretBox(secret, column.purpose)
      const { resealed, lost } =
        column === INTEGRATION_SECRETS
          ? await resealSecrets({ db, clock, integrationSecrets: box })
          : await resealColumn(db, column, box)
      say(`Resealed ${resealed} ${what} with the newest key.`)
      if (lost.length === 0) continue
      say(
        `${lost.length} ${what} cannot be opened with any key of SOUK_SECRET. Put the old secret back and run this again, or ${remedy}:`,
      )
      for (const id of lost) printLine(id)
    }
  },
  async jobs(ctx) {
    const { kinds, failed } = await viewJobs(ctx)
    for (const { kind, waiting, running, failed, lastFinishedAt, nextAt } of kinds)
      printLine(kind, waiting, running, failed, lastFinishedAt, nextAt)
    for (const { id, kind, attempts, failedAt, error } of failed)
      printLine('failed', id, kind, attempts, failedAt, error)
  },
  async 'retry-job ID'(ctx, id = '') {
    const { kind, stands } = await retryJob(ctx, id, recorder(ctx))
    say(
      stands
        ? `This job is already waiting: ${kind}.`
        : `${kind} is queued again and runs as soon as a server does.`,
    )
  },
  async 'drop-job ID'(ctx, id = '') {
    const { kind } = await dropJob(ctx, id, recorder(ctx))
    say(`${kind} is deleted and will not run.`)
  },
  async 'search-quality'(ctx) {
    for (const days of QUALITY_DAYS) {
      const { totals, lists, vain } = await searchQuality(ctx, days)
      const print = (...cells: unknown[]) => printLine(`${days}d`, ...cells)
      for (const [name, value] of Object.entries(totals))
        print(name, typeof value === 'number' ? Math.round(value) : value)
      for (const [name, lines] of Object.entries(lists))
        for (const { query, searches, empty, clicked, slowestMs } of lines)
          print(name, searches, empty, clicked, Math.round(slowestMs), query)
      for (const { query, times, filtered, lastAt, closest } of vain)
        print('vain', times, filtered, lastAt, closest && slugOf(closest), query)
    }
  },
}
