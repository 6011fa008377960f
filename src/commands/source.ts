/**
 * `souk source`: the operator's sources from the command line. A run is the same job as on a server: this process takes it
 * unless a running server is quicker, and follows it to its end either way.
 */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAccountsContext } from '../accounts/context.ts'
import { IMPORT_FORMATS } from '../catalog/import/rows.ts'
import { readCategoryMap } from '../catalog/import-categories.ts'
import { storeFile } from '../catalog/import-content.ts'
import type { FileRules } from '../catalog/import-files.schema.ts'
import { parseCurrency } from '../catalog/rates.service.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { createJobRunner } from '../jobs/runner.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createOutbound } from '../lib/outbound.ts'
import { loadSecret } from '../lib/secret.ts'
import { printable } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { counted } from '../lib/words.ts'
import { RELATIONSHIP_HOOKS } from '../org-hooks.ts'
import { createSourcesContext, type SourcesContext } from '../sources/context.ts'
import {
  intervalWords,
  nextWords,
  OUTCOME_WORDS,
  STATE_WORDS,
  shownUrl,
  stateOf,
} from '../sources/source-words.ts'
import { createSourceJobs } from '../sources/sources.job.ts'
import { GONE, type Run, SourceInput, type SourceView } from '../sources/sources.schema.ts'
import {
  addSource,
  askRun,
  countProducts,
  decide,
  getRun,
  getSourceNamed,
  listSources,
  pauseSource,
  removeSource,
  SOURCE_JOB,
} from '../sources/sources.service.ts'
import { parseEncoding, parseMapping, parseStore } from './import.ts'
import { readArguments, showUsage } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const OPERATOR = { by: { kind: 'operator', id: null } } as const
const POLL_MS = 200

const HELP = `usage: npm run souk -- source list [--json]
       npm run souk -- source add NAME --url URL | --file PATH [options]
       npm run souk -- source run NAME [--file PATH] [--dry-run] [--full]
       npm run souk -- source approve | reject | pause | resume NAME
       npm run souk -- source remove NAME [--with-products discontinue|remove] [--yes]

  --url URL             fetched on a schedule: https, or an address in SOUK_OUTBOUND_ALLOW
  --file PATH           a file that you bring: read when you run the source
  --every TIME          such as 15m, 6h or 1d; 15m to 30d; default: only when you run it
  --gone WHAT           products no longer in it: ${GONE.join(', ')}; default keep
  --auth KIND           basic, bearer or header, with --secret-file
  --secret-file FILE    the credentials, or - for standard input: user:password, the token, or "Name: value"

  --format NAME         ${IMPORT_FORMATS.join(', ')}; default: detected
  --encoding NAME       such as windows-1250; default: detected
  --currency CODE       the currency when the file does not say
  --store-url URL       the shop's address, used for product links missing from the file
  --category NAME       the category for rows without one
  --category-map FILE   maps their categories to yours: a CSV with two columns, or a JSON object
  --no-new-categories   reject rows whose category is not in the catalog
  --map FIELD=COLUMN    the column of a field; repeatable

  --dry-run             fetch and check everything, and write nothing
  --full                import although the file is the same
  --with-products WHAT  what becomes of its products; they stay unless you say so
`

type Values = ReturnType<typeof parse>['values']
type Ask = { ctx: SourcesContext; name: string; values: Values; say(text: string): void }

function parse(args: string[]) {
  return readArguments(args, {
    texts: [
      ...(['url', 'file', 'every', 'gone', 'auth', 'secret-file', 'format', 'encoding', 'currency'] as const),
      ...(['store-url', 'category', 'category-map', 'with-products'] as const),
    ],
    flags: ['no-new-categories', 'dry-run', 'full', 'yes', 'json'],
    lists: ['map'],
  })
}

const COMMANDS: Record<string, { takesName: boolean; run(ask: Ask): Promise<number> }> = {
  list: { takesName: false, run: list },
  add: { takesName: true, run: add },
  run: { takesName: true, run },
  approve: { takesName: true, run: (ask) => decideOn(ask, true) },
  reject: { takesName: true, run: (ask) => decideOn(ask, false) },
  pause: { takesName: true, run: (ask) => pause(ask, true) },
  resume: { takesName: true, run: (ask) => pause(ask, false) },
  remove: { takesName: true, run: remove },
}

export async function sourceCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parse(args)
  const [verb = '', name = ''] = positionals
  const command = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined
  if (values.help || !command || positionals.length !== (command.takesName ? 2 : 1))
    return showUsage(HELP, values)
  // Names and what servers say may hold anything; a terminal must not obey it.
  const say = (text: string) => process.stdout.write(`${text.split('\n').map(printable).join('\n')}\n`)
  return withDatabase(config, ({ db }) =>
    withContext(config, db, (ctx) => command.run({ ctx, name, values, say })),
  )
}

async function withContext(
  config: Config,
  db: Db,
  work: (ctx: SourcesContext) => Promise<number>,
): Promise<number> {
  const secret = loadSecret(config)
  const outbound = createOutbound({ allow: config.outboundAllow })
  const accounts = createAccountsContext({ db, clock: systemClock, log: createLog('error'), config, secret })
  try {
    return await work(
      createSourcesContext(
        { ...accounts, config, outbound, relationshipHooks: RELATIONSHIP_HOOKS },
        { secret },
      ),
    )
  } finally {
    await outbound.close()
  }
}

async function list({ ctx, values, say }: Ask): Promise<number> {
  const sources = await listSources(ctx, OPERATOR)
  if (values.json) {
    process.stdout.write(`${JSON.stringify(sources.map(jsonOf))}\n`)
    return 0
  }
  if (sources.length === 0)
    say('No sources yet. Add one: npm run souk -- source add NAME --url URL --every 6h')
  for (const source of sources) for (const line of linesOf(source)) say(line)
  return 0
}

function jsonOf(source: SourceView) {
  const { name, kind, everyMinutes, gone, nextRunAt, last, waiting } = source
  return {
    ...{ name, kind, gone, every_minutes: everyMinutes, state: stateOf(source), next_run_at: nextRunAt },
    last: last && {
      ...{
        outcome: last.outcome,
        rows: last.rows,
        counts: last.counts,
        message: last.message,
        fix: last.fix,
      },
      ...{ started_at: last.startedAt, import_id: last.importId },
    },
    waits_for_decision: waiting !== null,
  }
}

const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

function linesOf(source: SourceView): string[] {
  const { name, url, path, everyMinutes, last, lastGood, waiting, stopped } = source
  const where = url === null ? (path ?? 'a file that you bring') : shownUrl(url)
  const told = waiting ?? last
  return [
    `${name}: ${STATE_WORDS[stateOf(source)]}`,
    `  ${where}, ${intervalWords(everyMinutes).toLowerCase()}; next: ${nextWords(source, minute)}`,
    ...(stopped === null ? [] : [`  ${stopped}`]),
    ...(told ? runLines(told) : []),
    ...(waiting && last && last.id !== waiting.id && last.outcome === 'failed' ? runLines(last) : []),
    ...(lastGood && lastGood.id !== told?.id
      ? [`  Last import: ${minute(lastGood.startedAt)}: ${lastGood.message ?? ''}`]
      : []),
  ]
}

function runLines(run: Run): string[] {
  const { outcome, message, fix, startedAt, state } = run
  const words = outcome === null ? (state === 'running' ? 'Running' : '') : OUTCOME_WORDS[outcome]
  return [
    `  ${minute(startedAt)}: ${words}${message === null ? '' : `. ${message}`}`,
    ...(fix === null ? [] : [`  ${fix}`]),
    ...(state === 'waiting' ? ['  Decide with: npm run souk -- source approve NAME, or reject NAME'] : []),
  ]
}

async function add({ ctx, name, values, say }: Ask): Promise<number> {
  const { url, file } = values
  if ((url === undefined) === (file === undefined)) throw new Error('use either --url URL or --file PATH')
  if (file !== undefined && !fs.existsSync(file)) throw new Error(`the file ${file} does not exist`)
  const secret = values['secret-file']
  const input = parseInput(SourceInput, {
    name,
    url: url ?? null,
    auth: values.auth ?? 'none',
    credentials: secret === undefined ? null : fs.readFileSync(secret === '-' ? 0 : secret, 'utf8').trim(),
    gone: values.gone ?? 'keep',
    every_minutes: values.every === undefined ? null : minutesOf(values.every),
  })
  const path = file === undefined ? null : fs.realpathSync(file)
  await addSource(ctx, OPERATOR, { ...input, path, rules: rulesOf(values) })
  say(
    `Added ${name}. ${input.every_minutes === null ? '' : `It runs ${intervalWords(input.every_minutes).toLowerCase()}, from now on. `}To run it now: npm run souk -- source run NAME`,
  )
  return 0
}

function minutesOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? []
  const minutes = Number(count) * ({ m: 1, h: 60, d: 1_440 }[unit] ?? 0)
  if (minutes >= 15 && minutes <= 43_200) return minutes
  throw new Error(`--every takes a time from 15m to 30d, such as 6h; "${text}" is not valid`)
}

function rulesOf(values: Values): Partial<FileRules> {
  const { format, currency, category } = values
  if (format !== undefined && !IMPORT_FORMATS.some((known) => known === format))
    throw new Error(`--format takes ${IMPORT_FORMATS.join(', ')}`)
  const map = values['category-map']
  return {
    ...(format !== undefined && { format }),
    ...(values.encoding !== undefined && { encoding: parseEncoding(values.encoding) }),
    ...(currency !== undefined && { currency: parseCurrency(currency) }),
    ...(values['store-url'] !== undefined && { storeUrl: parseStore(values['store-url']) }),
    ...(category !== undefined && { defaultCategory: category }),
    ...(map !== undefined && { categories: readCategoryMap(fs.readFileSync(map, 'utf8')) }),
    makeNew: !values['no-new-categories'],
    mapping: parseMapping(values.map),
  }
}

async function run({ ctx, name, values, say }: Ask): Promise<number> {
  const source = await getSourceNamed(ctx, OPERATOR, name)
  const path = values.file ?? source.path
  if (source.kind === 'file' && path === null) throw new Error('this source takes a file: use --file PATH')
  const file =
    source.kind === 'file' && path !== null
      ? await storeFile(ctx, { fileName: path, bytes: fs.createReadStream(path) })
      : undefined
  const ask = { dryRun: values['dry-run'], full: values.full, ...(file && { file }) }
  return follow(ctx, await askRun(ctx, OPERATOR, source.id, ask), say)
}

async function decideOn({ ctx, name, say }: Ask, approve: boolean): Promise<number> {
  const { id, waiting } = await getSourceNamed(ctx, OPERATOR, name)
  if (!waiting) throw new Error('no run of this source waits for a decision')
  await decide(ctx, OPERATOR, { id, runId: waiting.id, approve })
  if (approve) return follow(ctx, waiting.id, say)
  say('Rejected. The catalog stays as it was.')
  return 0
}

/** Takes the job here, unless a server has it already, and says what came of it. */
async function follow(ctx: SourcesContext, runId: string, say: (text: string) => void): Promise<number> {
  const jobs = createSourceJobs(ctx).filter(({ kind }) => kind === SOURCE_JOB.kind)
  const runner = createJobRunner({ db: ctx.db, log: ctx.log, jobs, pollMs: POLL_MS })
  runner.start()
  try {
    for (;;) {
      const found = await getRun(ctx, runId)
      if (!found) throw new Error('the source was removed')
      if (found.state !== 'running') {
        for (const line of [
          ...runLines(found).map((text) => text.trim()),
          ...found.report.map((text) => `  ${text}`),
        ])
          say(line)
        if (found.importId !== null) say(`To undo it: npm run souk -- import undo ${found.importId}`)
        return found.outcome === 'failed' || found.state === 'waiting' ? 1 : 0
      }
      await sleep(POLL_MS)
    }
  } finally {
    await runner.stop()
  }
}

async function pause({ ctx, name, say }: Ask, paused: boolean): Promise<number> {
  const { id } = await getSourceNamed(ctx, OPERATOR, name)
  await pauseSource(ctx, OPERATOR, id, paused)
  say(paused ? 'Paused.' : 'Resumed.')
  return 0
}

async function remove({ ctx, name, values, say }: Ask): Promise<number> {
  const source = await getSourceNamed(ctx, OPERATOR, name)
  const asked = values['with-products']
  const products = GONE.find((one) => one === (asked ?? 'keep'))
  if (!products) throw new Error(`--with-products takes discontinue or remove; "${asked}" is not valid`)
  const count = counted(await countProducts(ctx, source), 'product')
  const words = {
    keep: `Its ${count} stay as they are. A source of the same name finds them again.`,
    discontinue: `Of its ${count}, those that no other source has are marked as discontinued.`,
    remove: `Of its ${count}, those that no other source has are hidden; those that people hold are discontinued.`,
  }
  if (!values.yes) {
    say(`This removes the source ${name}, its settings and its history. ${words[products]}`)
    say('Nothing is done yet. Add --yes to do it.')
    return 0
  }
  const { discontinued, removed, importId } = await removeSource(ctx, OPERATOR, { id: source.id, products })
  say(`Removed the source ${name}: ${discontinued} products discontinued, ${removed} hidden.`)
  if (importId !== null) say(`To undo that: npm run souk -- import undo ${importId}`)
  return 0
}
