/**
 * How this node and what it stands on are doing: each finding is ok, worth a look, or bad, and then says what to do. The
 * page and its JSON are the same findings. What cannot be found out is itself a finding; the others are told all the same.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { SERVER_INFO } from '../../../agents/mcp/protocol.ts'
import { findDatabaseFacts } from '../../../db/health.queries.ts'
import { listMigrations } from '../../../db/migrate.ts'
import { jobBacklog } from '../../../jobs/jobs.admin.service.ts'
import { byLimits, checkDisk, checkRuntime, type Finding } from '../../../lib/checks.ts'
import { countOf, formatCount } from '../../format.ts'
import type { AdminDeps } from '../deps.ts'
import { quoteChecks, searchChecks } from './health.features.ts'
import { type Check, MINUTE, megabytes, reading, SECOND, span } from './health.words.ts'

export type Health = {
  state: Finding['state']
  at: Date
  groups: Array<{ name: string; checks: Check[] }>
}

const MAIL = 'mail.send'

/** One for the process: it counts from the first time on that somebody may ask. */
let loopDelay: ReturnType<typeof monitorEventLoopDelay> | undefined

export function watchEventLoop(): void {
  if (loopDelay) return
  loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
}

type Group = { name: string; run: () => Promise<Check[]> }

export async function findHealth(deps: AdminDeps): Promise<Health> {
  const groups: Group[] = [
    { name: 'Server', run: () => serverChecks(deps) },
    { name: 'Database', run: () => databaseChecks(deps) },
    { name: 'Jobs and mail', run: () => workChecks(deps) },
    { name: 'Search', run: () => searchChecks(deps) },
    { name: 'Requests for quotes', run: () => quoteChecks(deps) },
  ]
  const found: Health['groups'] = []
  for (const { name, run } of groups)
    found.push({ name, checks: await run().catch((error: Error) => [unknown(name, error)]) })
  const states = found.flatMap(({ checks }) => checks.map(({ state }) => state))
  const state = states.includes('bad') ? 'bad' : states.includes('look') ? 'look' : 'ok'
  return { state, at: deps.ctx.clock.now(), groups: found }
}

function unknown(name: string, error: Error): Check {
  return { name, state: 'bad', text: `could not be found out: ${error.message}`, fix: 'the log says more' }
}

async function serverChecks({ config, notReady }: AdminDeps): Promise<Check[]> {
  const reason = await notReady()
  const heap = getHeapStatistics()
  const used = heap.used_heap_size / heap.heap_size_limit
  const delayMs = (loopDelay?.percentile(99) ?? 0) / 1e6
  return [
    {
      name: 'Readiness',
      ...(reason === null
        ? { state: 'ok', text: 'ready to serve' }
        : { state: 'bad', text: `not ready: ${reason}`, fix: 'wait a moment; if it stays, look at the log' }),
    },
    {
      name: 'Version',
      state: 'ok',
      text: `Souk ${SERVER_INFO.version}, up ${span(process.uptime() * SECOND)}`,
    },
    { name: 'Runtime', ...checkRuntime() },
    {
      name: 'Memory',
      ...byLimits(
        used,
        { look: 0.8, bad: 0.95 },
        {
          text: `${megabytes(process.memoryUsage.rss())} in all, ${megabytes(heap.used_heap_size)} of ${megabytes(heap.heap_size_limit)} heap`,
          fix: 'restart, or give Node more with NODE_OPTIONS=--max-old-space-size',
        },
      ),
    },
    {
      name: 'Event loop',
      ...byLimits(
        delayMs,
        { look: 200, bad: 2_000 },
        {
          text: `99 of 100 turns begin within ${Math.round(delayMs)} ms`,
          fix: 'the processor is short: add a node, or find what holds it',
        },
      ),
    },
    { name: 'Disk', ...checkDisk(config.dataDir) },
  ]
}

async function databaseChecks({ ctx, oauth: { pool } }: AdminDeps): Promise<Check[]> {
  const facts = await reading(ctx, (tx) => findDatabaseFacts(tx))
  const wanted = listMigrations().length
  const inUse = pool.totalCount - pool.idleCount
  return [
    {
      name: 'PostgreSQL',
      state: 'ok',
      text: `version ${facts.version}, ${megabytes(facts.bytes)}, ${countOf(facts.connections, 'connection')}`,
    },
    {
      name: 'Migrations',
      ...(facts.migrations >= wanted
        ? { state: 'ok', text: `all ${wanted} are applied` }
        : {
            state: 'bad',
            text: `${facts.migrations} of ${wanted} are applied`,
            fix: 'restart: a start applies them',
          }),
    },
    {
      name: 'Connections of this node',
      ...byLimits(
        pool.waitingCount,
        { look: 1, bad: 50 },
        {
          text: `${inUse} of ${pool.options.max ?? pool.totalCount} in use, ${formatCount(pool.waitingCount)} waiting for one`,
          fix: 'the database is slower than what is asked of it: look at the longest statement, or add nodes',
        },
      ),
    },
    {
      name: 'Longest statement',
      ...byLimits(
        facts.longestMs ?? 0,
        { look: 30 * SECOND, bad: 10 * MINUTE },
        {
          text: facts.longestMs === null ? 'none runs' : `has run for ${span(facts.longestMs)}`,
          fix: 'see pg_stat_activity for what it is',
        },
      ),
    },
  ]
}

async function workChecks({ ctx, config }: AdminDeps): Promise<Check[]> {
  const [all, mail] = await reading(ctx, async (tx) => [
    await jobBacklog({ db: tx }),
    await jobBacklog({ db: tx }, MAIL),
  ])
  const now = Date.now()
  const lateness = ({ oldestDueAt }: { oldestDueAt: Date | null }) =>
    oldestDueAt ? now - oldestDueAt.getTime() : 0
  const backlog = { look: MINUTE, bad: 10 * MINUTE }
  const failed = { look: 1, bad: Number.POSITIVE_INFINITY }
  return [
    {
      name: 'Backlog',
      ...byLimits(lateness(all), backlog, {
        text:
          all.due === 0
            ? 'nothing is due'
            : `${countOf(all.due, 'job')} due, the oldest for ${span(lateness(all))}`,
        fix: 'see Jobs for which; a node may be down or too small',
      }),
    },
    {
      name: 'Failed jobs',
      ...byLimits(all.failed, failed, {
        text: all.failed === 0 ? 'none' : countOf(all.failed, 'job'),
        fix: 'see Jobs: try each again, or drop it',
      }),
    },
    {
      name: 'Mail in line',
      ...byLimits(lateness(mail), backlog, {
        text:
          mail.due === 0
            ? 'none waits'
            : `${countOf(mail.due, 'mail')} due, the oldest for ${span(lateness(mail))}`,
        fix: 'check that the server named by SMTP_URL takes mail',
      }),
    },
    {
      name: 'Mail given up',
      ...byLimits(mail.failed, failed, {
        text: mail.failed === 0 ? 'none' : countOf(mail.failed, 'mail'),
        fix: 'see Jobs for why',
      }),
    },
    {
      name: 'Mail server',
      ...(config.smtpUrl === null
        ? {
            state: 'look',
            text: 'none: mail is kept in the outbox of this machine',
            fix: 'set SMTP_URL to send it',
          }
        : { state: 'ok', text: 'named by SMTP_URL' }),
    },
  ]
}
