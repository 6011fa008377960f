/**
 * /admin/health and its JSON: how this node and what it runs on are doing. A finding is ok, worth a look, or bad, and then
 * says what to do. What cannot be read is itself a finding, and the other groups still show.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { SERVER_INFO } from '../../../agents/mcp/protocol.ts'
import type { Db } from '../../../db/database.ts'
import { findDatabaseFacts } from '../../../db/health.queries.ts'
import { listMigrations } from '../../../db/migrate.ts'
import { withinTime } from '../../../db/within-time.ts'
import { jobBacklog } from '../../../jobs/jobs.admin.service.ts'
import { byLimits, checkDisk, checkRuntime, type Finding } from '../../../lib/checks.ts'
import { picturesStatus } from '../../../pictures/pictures.service.ts'
import { rfqFacts } from '../../../rfq/rfq.service.ts'
import { checkModel } from '../../../search/embed/check-model.ts'
import { searchFacts } from '../../../search/facts.service.ts'
import { agoWords, Moment } from '../../components/moment.tsx'
import { countOf, formatCount, sentence } from '../../format.ts'
import { LinkButton, noted, State, TablePanel, type Tone } from '../../kit/parts.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { HEALTH, HEALTH_HISTORY } from '../nav.ts'

type Check = Finding & { name: string }
type Health = { state: Finding['state']; at: Date; groups: Array<{ name: string; checks: Check[] }> }

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 1_440 * MINUTE
const MB = 1024 ** 2
const LONGEST_MS = 5_000
const ANY = { look: 1, bad: Number.POSITIVE_INFINITY }

const WORDS: Record<Check['state'], { tone: Tone; word: string; all: string }> = {
  ok: { tone: 'good', word: 'OK', all: 'All systems running.' },
  look: { tone: 'mixed', word: 'Warning', all: 'Some things need a look.' },
  bad: { tone: 'bad', word: 'Problem', all: 'Something needs your attention now.' },
}

const GROUPS: Array<[name: string, run: (deps: AdminDeps) => Promise<Check[]>]> = [
  ['Server', serverChecks],
  ['Database', databaseChecks],
  ['Jobs and email', workChecks],
  ['Search', searchChecks],
  ['Requests for quotes', quoteChecks],
]

export function mountHealth(admin: Admin, deps: AdminDeps): void {
  watchEventLoop()
  admin.page(HEALTH, async () => {
    const { state, at, groups } = await findHealth(deps)
    return {
      title: 'Health',
      lead: (
        <>
          {WORDS[state].all} Seen from this node, <Moment at={at} />.
        </>
      ),
      actions: [
        <LinkButton to={HEALTH_HISTORY} label="Over time" />,
        <LinkButton to={`${HEALTH}.json`} label="View as JSON" />,
      ],
      body: groups.map(({ name, checks }) => (
        <TablePanel
          title={name}
          columns={['Check', 'Status', 'Details']}
          rows={checks.map(({ name, state, text, fix }) => [
            name,
            <State tone={WORDS[state].tone}>{WORDS[state].word}</State>,
            <div class="finding">{noted(sentence(text), fix && sentence(fix))}</div>,
          ])}
        />
      )),
    }
  })
  admin.page(`${HEALTH}.json`, async ({ c }) =>
    c.json(await findHealth(deps), 200, { 'Cache-Control': 'no-store' }),
  )
}

/** One for the process: it measures from the first app on. */
let loopDelay: ReturnType<typeof monitorEventLoopDelay> | undefined

function watchEventLoop(): void {
  if (loopDelay) return
  loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
}

async function findHealth(deps: AdminDeps): Promise<Health> {
  const groups: Health['groups'] = []
  for (const [name, run] of GROUPS) {
    const checks = await run(deps).catch((error: Error): Check[] => [
      { name, state: 'bad', text: `could not be checked: ${error.message}`, fix: 'see the log for details' },
    ])
    groups.push({ name, checks })
  }
  const states = groups.flatMap(({ checks }) => checks.map(({ state }) => state))
  const state = states.includes('bad') ? 'bad' : states.includes('look') ? 'look' : 'ok'
  return { state, at: deps.ctx.clock.now(), groups }
}

function judged(
  name: string,
  value: number,
  limits: { look: number; bad: number },
  text: string,
  fix: string,
): Check {
  return { name, ...byLimits(value, limits, { text, fix }) }
}

async function serverChecks({ config, notReady }: AdminDeps): Promise<Check[]> {
  const reason = await notReady()
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
  const delayMs = (loopDelay?.percentile(99) ?? 0) / 1e6
  return [
    reason === null
      ? { name: 'Readiness', state: 'ok', text: 'ready' }
      : {
          ...{ name: 'Readiness', state: 'bad', text: `not ready: ${reason}` },
          fix: 'wait a moment; if it stays, see the log',
        },
    {
      ...{ name: 'Version', state: 'ok' },
      text: `Souk ${SERVER_INFO.version}, up ${span(process.uptime() * SECOND)}`,
    },
    { name: 'Runtime', ...checkRuntime() },
    judged(
      'Memory',
      used / most,
      { look: 0.8, bad: 0.95 },
      `${megabytes(process.memoryUsage.rss())} in total, ${megabytes(used)} of ${megabytes(most)} heap`,
      'restart, or give Node more memory with NODE_OPTIONS=--max-old-space-size',
    ),
    judged(
      'Event loop',
      delayMs,
      { look: 200, bad: 2_000 },
      `99% of turns start within ${Math.round(delayMs)} ms`,
      'the CPU is overloaded: add a node, or find what uses it',
    ),
    { name: 'Disk', ...checkDisk(config.dataDir) },
  ]
}

async function databaseChecks({ ctx, oauth: { pool } }: AdminDeps): Promise<Check[]> {
  const { version, bytes, connections, migrations, longestMs } = await reading(ctx, findDatabaseFacts)
  const wanted = listMigrations().length
  return [
    {
      ...{ name: 'PostgreSQL', state: 'ok' },
      text: `version ${version}, ${megabytes(bytes)}, ${countOf(connections, 'connection')}`,
    },
    migrations >= wanted
      ? { name: 'Migrations', state: 'ok', text: `all ${wanted} applied` }
      : {
          ...{ name: 'Migrations', state: 'bad', text: `${migrations} of ${wanted} applied` },
          fix: 'restart to apply the rest',
        },
    judged(
      'Connections of this node',
      pool.waitingCount,
      { look: 1, bad: 50 },
      `${pool.totalCount - pool.idleCount} of ${pool.options.max ?? pool.totalCount} in use, ${formatCount(pool.waitingCount)} waiting`,
      'the database is too slow for the load: check the longest statement, or add nodes',
    ),
    judged(
      'Longest statement',
      longestMs ?? 0,
      { look: 30 * SECOND, bad: 10 * MINUTE },
      longestMs === null ? 'none running' : `running for ${span(longestMs)}`,
      'see pg_stat_activity',
    ),
  ]
}

async function workChecks({ ctx, config }: AdminDeps): Promise<Check[]> {
  const [all, mail] = await reading(ctx, async (tx) => [
    await jobBacklog({ db: tx }),
    await jobBacklog({ db: tx }, 'mail.send'),
  ])
  const late = (name: string, { due, oldestDueAt }: typeof all, noun: string, fix: string) => {
    const lateMs = oldestDueAt ? Date.now() - oldestDueAt.getTime() : 0
    const text = due === 0 ? 'nothing due' : `${countOf(due, noun)} due, the oldest for ${span(lateMs)}`
    return judged(name, lateMs, { look: MINUTE, bad: 10 * MINUTE }, text, fix)
  }
  const failed = (name: string, count: number, noun: string, fix: string) =>
    judged(name, count, ANY, count === 0 ? 'none' : countOf(count, noun), fix)
  return [
    late('Backlog', all, 'job', 'see Jobs for which ones; a node may be down or too small'),
    failed('Failed jobs', all.failed, 'job', 'see Jobs: try each again, or delete it'),
    late('Email queue', mail, 'email', 'check that the server in SMTP_URL accepts email'),
    failed('Failed emails', mail.failed, 'email', 'see Jobs for the reason'),
    config.smtpUrl === null
      ? {
          ...{ name: 'Email server', state: 'look', fix: 'set SMTP_URL to send it' },
          text: 'none: email stays in the outbox of this machine',
        }
      : { name: 'Email server', state: 'ok', text: 'set by SMTP_URL' },
    await picturesCheck(ctx, config),
  ]
}

/** A refused picture is no fault of ours: its product shows the original. */
async function picturesCheck(ctx: AdminDeps['ctx'], { copyPictures }: AdminDeps['config']): Promise<Check> {
  const { copied, waiting, refused, reasons } = await reading(ctx, (tx) => picturesStatus(tx))
  const counts = `${formatCount(copied)} copied, ${formatCount(waiting)} waiting, ${formatCount(refused)} refused`
  const often = reasons.find((reason) => reason.refused > 0)
  return {
    ...{ name: 'Pictures', state: 'ok' },
    text: `${copyPictures ? '' : 'not copied (SOUK_COPY_PICTURES): '}${counts}${often ? `, most often because ${often.words}` : ''}`,
  }
}

async function searchChecks({ ctx, config, search }: AdminDeps): Promise<Check[]> {
  const node = search.facts?.() ?? { model: null, indexed: null }
  const facts = await reading(ctx, (tx) => searchFacts({ db: tx }, node))
  const { products, wholePending, sentencesPending, indexed } = facts
  const all = formatCount(products)
  return [
    facts.model === null
      ? {
          ...{ name: 'Embedder', state: 'bad', text: 'not connected: search uses keywords only' },
          fix: 'check that the embedding endpoint answers; we try again automatically',
        }
      : { name: 'Embedder', state: 'ok', text: `model ${facts.model}` },
    ...(config.embedder === null ? [{ name: 'Model files', ...checkModel() }] : []),
    judged(
      'Embedded products',
      wholePending,
      ANY,
      `${formatCount(products - wholePending)} of ${all}`,
      `${formatCount(wholePending)} waiting; until then search finds them by keyword`,
    ),
    judged(
      'Embedded sentences',
      sentencesPending,
      ANY,
      `${formatCount(products - sentencesPending)} of ${all} products`,
      `${formatCount(sentencesPending)} waiting; until then results are slightly less well ordered`,
    ),
    indexed === null
      ? {
          ...{ name: 'Index of this node', state: 'bad', text: 'still loading' },
          fix: 'wait; the log says when it is done',
        }
      : judged(
          'Index of this node',
          Math.abs(products - indexed.products),
          ANY,
          `${countOf(indexed.products, 'product')}, ${megabytes(indexed.bytes)}`,
          `the catalog has ${all}: it catches up within seconds; if not, restart this node`,
        ),
  ]
}

async function quoteChecks({ ctx }: AdminDeps): Promise<Check[]> {
  const facts = await reading(ctx, (tx) => rfqFacts({ db: tx }))
  const now = ctx.clock.now()
  const ageOf = (at: Date | null) => (at ? now.getTime() - at.getTime() : 0)
  const openMs = ageOf(facts.oldestAt)
  return [
    judged(
      'Open requests',
      openMs,
      { look: 5 * MINUTE, bad: 60 * MINUTE },
      facts.inFlight === 0 ? 'none' : `${countOf(facts.inFlight, 'request')}, the oldest for ${span(openMs)}`,
      'see Jobs: rfq jobs should run right away',
    ),
    judged(
      'Seller agents',
      facts.unreachable,
      ANY,
      `${countOf(facts.agents, 'agent')}, ${formatCount(facts.unreachable)} unreachable`,
      'their organizations see why on their own pages; act only if all fail',
    ),
    judged(
      'Signing key',
      ageOf(facts.keySince),
      { ...ANY, look: 365 * DAY },
      facts.keySince === null ? 'created with the first quote' : `created ${agoWords(facts.keySince, now)}`,
      'over a year old: npm run souk -- admin rotate-quote-key',
    ),
  ]
}

function reading<T>(ctx: { db: Db }, work: (tx: Db) => Promise<T>): Promise<T> {
  return withinTime(ctx.db, { message: 'the database took too long to answer' }, work, LONGEST_MS)
}

function megabytes(bytes: number): string {
  return bytes >= 1024 * MB ? `${(bytes / MB / 1024).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`
}

/** "3 days", "5 minutes", "12 seconds" */
function span(ms: number): string {
  const units = [
    ['day', DAY],
    ['hour', 60 * MINUTE],
    ['minute', MINUTE],
  ] as const
  const [unit, size] = units.find(([, least]) => ms >= least) ?? ['second', SECOND]
  return countOf(Math.floor(ms / size), unit)
}
