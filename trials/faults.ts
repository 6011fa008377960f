/**
 * `npm run faults [-- --rounds 30] [-- --seed 1] [-- --only kill-node,full-disk] [-- --json FILE]`
 *
 * Two nodes on one PostgreSQL under mixed traffic, and in each round something goes wrong: see trials/storm/faults.ts. After
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
import { openWorld } from './world.ts'

const DISK_MB = 320
const NODES = 2
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

console.log(`${rounds} rounds with seed ${seed} on ${NODES} nodes`)
const world = await openWorld({ nodes: NODES, diskMb: DISK_MB })
console.log(`The database's disk is filled by: ${world.cluster.postgres.disk.way}\n`)
let all: Round[] = []
let kept: string | null = null
try {
  all = await runStorm(world, { rounds, seed, ...(only && { only }), onRound: tell })
} finally {
  if (all.length === 0 || all.some(({ breaches }) => breaches.length > 0)) kept = keepLogs(world.cluster.dir)
  await world.close()
}
summarize(all)
if (values.json !== undefined)
  fs.writeFileSync(values.json, `${JSON.stringify({ seed, rounds: all }, null, 2)}\n`)
if (kept !== null) console.log(`The logs are in ${kept}`)
process.exit(all.some(({ breaches }) => breaches.length > 0) ? 1 : 0)

function tell(round: Round): void {
  const { requests, acknowledged, unknown, shed, failed, lost, recoverySeconds, breaches } = round
  console.log(
    `${String(round.round).padStart(3)}  ${round.what}: ${requests} requests, ${acknowledged} writes acknowledged, ${unknown} unknown, ${shed} shed, ${failed} failed, ${lost} lost, ready after ${recoverySeconds.toFixed(1)} s, ${breaches.length} breaches`,
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
      'slowest recovery': `${Math.max(...of.map(({ recoverySeconds }) => recoverySeconds)).toFixed(1)} s`,
      breaches: sum(({ breaches }) => breaches.length),
    }
  })
  console.log()
  console.table(Object.fromEntries(rows.map(({ fault, ...figures }) => [fault, figures])))
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

function faultNames(text: string): FaultName[] {
  const known = FAULTS.map(({ name }) => name)
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.filter((name) => !known.some((one) => one === name))
  if (wrong.length === 0) return known.filter((name) => names.includes(name))
  console.error(`--only takes any of ${known.join(', ')}, separated by commas`)
  process.exit(2)
}
