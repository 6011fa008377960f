/**
 * `npm run faults [-- --rounds 30] [-- --seed 1] [-- --only kill-node,full-disk] [-- --json FILE]`
 *
 * Two nodes on one PostgreSQL under mixed traffic, and in each round something goes wrong: see trials/storm/faults.ts. Then
 * two nodes on a primary and its standby, with up to ten fail-overs: see trials/pair.ts. Then two nodes of an older commit
 * are upgraded one after the other: see trials/upgrade.ts (`--only upgrade`). After
 * each round the auditor holds every answer that was given against what is there. Exit code 1 on any breach; the logs of
 * nodes and database are then kept, and their place is said.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { writeLost } from './lost.ts'
import { FAULTS, type FaultName } from './storm/faults.ts'
import { type Round, runStorm } from './storm.ts'
import { runUpgrade } from './upgrade.ts'
import { openWorld, type World } from './world.ts'

const DISK_MB = 320
const NODES = 2
/** Each takes a copy of the database. */
const FAIL_OVERS = 10
const UPGRADE = 'upgrade'
/** Each round's breaches; the rest are in the JSON. */
const SHOWN_BREACHES = 8

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const seed = wholeNumber('seed', values.seed)
const only = values.only === undefined ? undefined : faultNames(values.only)

const upgrades = only?.includes(UPGRADE) ?? true
const kept: string[] = []
const all: Round[] = []
if (FAULTS.some(({ name, ofPair }) => !ofPair && (only?.includes(name) ?? true)))
  await storm({ rounds, seed }, await openWorld({ nodes: NODES, diskMb: DISK_MB }))
if (only?.includes('fail-over') ?? true) {
  const failOvers = only?.length === 1 ? rounds : Math.min(rounds, FAIL_OVERS)
  await storm({ rounds: failOvers, seed }, await openWorld({ nodes: NODES, pair: true }))
}
const broken = upgrades ? await upgrade() : false
if (all.length > 0) summarize(all)
if (values.json !== undefined)
  fs.writeFileSync(values.json, `${JSON.stringify({ seed, rounds: all }, null, 2)}\n`)
for (const place of kept) console.log(`The logs are in ${place}`)
process.exit(broken || all.some(({ breaches }) => breaches.length > 0) ? 1 : 0)

/** Whether anything failed. */
async function upgrade(): Promise<boolean> {
  try {
    const upgraded = await runUpgrade({ seed })
    const { requests, acknowledged, migrations, seconds: took, breaches, changes } = upgraded
    console.log(
      `Upgrade of two nodes over ${migrations} migrations: ${requests} requests, ${acknowledged} writes acknowledged, nodes served again after ${took.map((each) => `${each.toFixed(1)} s`).join(' and ')}, ${breaches.length} breaches`,
    )
    for (const breach of breaches.slice(0, SHOWN_BREACHES)) console.log(`       ${breach}`)
    if (breaches.length > 0) for (const change of changes) console.log(`       seen of ${change}`)
    return breaches.length > 0
  } catch (error) {
    console.error(`Upgrade: ${error instanceof Error ? error.message : error}`)
    return true
  }
}

async function storm(run: { rounds: number; seed: number }, world: World): Promise<void> {
  const { pair, postgres, dir } = world.cluster
  console.log(`${run.rounds} rounds with seed ${run.seed} on ${NODES} nodes`)
  if (pair) console.log(`Primary and standby: ${pair.programs}\n`)
  else console.log(`The database's disk is filled by: ${postgres.disk.way}\n`)
  let done: Round[] = []
  try {
    done = await runStorm(world, {
      ...run,
      ...(only && { only: FAULTS.map(({ name }) => name).filter((name) => only.includes(name)) }),
      onRound: tell,
    })
  } finally {
    if (done.length === 0 || done.some(({ breaches }) => breaches.length > 0)) kept.push(keepLogs(dir))
    await world.close()
  }
  all.push(...done)
}

function tell(round: Round): void {
  const { requests, acknowledged, unknown, shed, failed, lost, recoverySeconds, breaches } = round
  console.log(
    `${String(round.round).padStart(3)}  ${round.what}: ${requests} requests, ${acknowledged} writes acknowledged, ${unknown} unknown, ${shed} shed, ${failed} failed, ${lost} lost, writing again after ${seconds(recoverySeconds)}, ${breaches.length} breaches`,
  )
  for (const line of writeLost(round.lostBy)) console.log(`       ${line}`)
  for (const { check, what } of breaches.slice(0, SHOWN_BREACHES)) console.log(`       ${check}: ${what}`)
  if (breaches.length > SHOWN_BREACHES) console.log(`       and ${breaches.length - SHOWN_BREACHES} more`)
}

function summarize(done: Round[]): void {
  const rows = FAULTS.flatMap(({ name }) => {
    const of = done.filter(({ fault }) => fault === name)
    if (of.length === 0) return []
    const sum = (pick: (round: Round) => number) => of.reduce((total, round) => total + pick(round), 0)
    return {
      fault: name,
      rounds: of.length,
      requests: sum(({ requests }) => requests),
      acknowledged: sum(({ acknowledged }) => acknowledged),
      unknown: sum(({ unknown }) => unknown),
      shed: sum(({ shed }) => shed),
      lost: sum(({ lost }) => lost),
      'slowest recovery': seconds(slowest(of)),
      breaches: sum(({ breaches }) => breaches.length),
    }
  })
  console.log()
  console.table(Object.fromEntries(rows.map(({ fault, ...figures }) => [fault, figures])))
}

function slowest(of: Round[]): number | null {
  const each = of.map(({ recoverySeconds }) => recoverySeconds)
  return each.includes(null) ? null : Math.max(...each.map(Number))
}

function seconds(value: number | null): string {
  return value === null ? 'not in its round' : `${value.toFixed(1)} s`
}

/** Of nodes and database, beside the folder that goes away. */
function keepLogs(dir: string): string {
  const to = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-faults-'))
  for (const name of fs.readdirSync(dir).filter((file) => file.endsWith('.log')))
    fs.copyFileSync(path.join(dir, name), path.join(to, name))
  return to
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  console.error(`--${name} takes a whole number from 1 on`)
  process.exit(2)
}

function faultNames(text: string): Array<FaultName | typeof UPGRADE> {
  const known = [...FAULTS.map(({ name }) => name), UPGRADE] as const
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.filter((name) => !known.some((one) => one === name))
  if (wrong.length === 0) return known.filter((name) => names.includes(name))
  console.error(`--only takes any of ${known.join(', ')}, separated by commas`)
  process.exit(2)
}
