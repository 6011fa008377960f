/**
 * `npm run load`: what the service bears on this machine, and what it does when it is asked for twice as much.
 *
 *   npm run load -- --minutes 10 --nodes 1 --json figures.json      (about 14 minutes)
 *   npm run load -- --quick                                         (a minute, to try it out; its verdicts mean little)
 *
 * On a fresh cluster with the demo catalog: arrivals get faster until the rate is found that still holds, that rate is held
 * while memory is watched, then twice as many come for a while, then as many as before. Arrivals do not wait for answers.
 * The exit code is 0 when every verdict holds.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type MemorySample, weigh } from './load/memory.ts'
import { type Generator, type PhaseFigures, startGenerator } from './load/phase.ts'
import { type CpuMs, createCpuMeter, shareOfCore } from './load/processes.ts'
import { findRate, type RampOptions } from './load/ramp.ts'
import {
  judgeHold,
  judgeMachine,
  judgeMemory,
  judgeRamp,
  judgeSurge,
  type Verdict,
  writeRecovery,
  writeTable,
} from './load/report.ts'
import { countStatements, STATEMENT_SETTINGS, writeStatements } from './load/statements.ts'
import { writeLost } from './lost.ts'
import type { TrialNode } from './node.ts'
import { openWorld, type World } from './world.ts'

const BOUND_MS = 250
/** Each stops a node for the length of a full collection, so they are few: twice a minute of ten. */
const WEIGHINGS = 20
const LEAST_WEIGHING_MS = 2_000
const WEIGH_SURGE_MS = 5_000
/** PostgreSQL's own defaults: those of other trials are for small disks, and make it write all day. */
const USUAL_SETTINGS = { shared_buffers: '128MB', min_wal_size: '80MB', max_wal_size: '1GB' }
const say = (text: string) => process.stdout.write(`${text}\n`)

const FULL = {
  shoppers: 1_500,
  ramp: { from: 40, growth: 1.4, stageSeconds: 8, halvings: 2, boundMs: BOUND_MS } satisfies RampOptions,
  warmSeconds: 20,
  surge: { overSeconds: 40, afterSeconds: 30 },
}
const QUICK: typeof FULL = {
  shoppers: 150,
  ramp: { ...FULL.ramp, growth: 2, stageSeconds: 3, halvings: 0 },
  warmSeconds: 3,
  surge: { overSeconds: 8, afterSeconds: 12 },
}
const QUICK_MINUTES = 0.3

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      nodes: { type: 'string', default: '1' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const [minutes, nodes] = [Number(values.minutes), Number(values.nodes)]
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes takes a number from above 0 to 600')
  if (!(Number.isInteger(nodes) && nodes >= 1 && nodes <= 16))
    throw new Error('--nodes takes a whole number from 1 to 16')
  const { quick, json } = values
  return { nodes, json, minutes: quick ? QUICK_MINUTES : minutes, ...(quick ? QUICK : FULL) }
}

const heapFile = (node: TrialNode) => node.logFile.replace(/log$/, 'heap')

/** Each node is weighed from time to time until the work is done; a list for each. */
async function weighWhile<Result>(
  nodes: readonly TrialNode[],
  everyMs: number,
  work: Promise<Result>,
): Promise<[Result, MemorySample[][]]> {
  const over = new AbortController()
  const lists = nodes.map((): MemorySample[] => [])
  const weighing = (async () => {
    while (!over.signal.aborted) {
      for (const [at, node] of nodes.entries()) {
        const sample = await weigh(node.pid() ?? 0, heapFile(node))
        if (sample) lists[at]?.push(sample)
      }
      await sleep(everyMs, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  try {
    return [await work, lists]
  } finally {
    over.abort()
    await weighing
  }
}

function sayCpu(cpu: CpuMs, generator: number): void {
  const shares = { nodes: cpu.nodes, database: cpu.database, generator, "producers' agents": cpu.agents }
  const words = Object.entries(shares).map(([who, share]) => `${who} ${share.toFixed(0)} %`)
  say(`  of one core: ${words.join(', ')}; everybody on the machine ${cpu.machine.toFixed(0)} %`)
}

function sayLost({ lost }: PhaseFigures): void {
  for (const line of writeLost(lost)) say(`  ${line}`)
}

const generatorShare = ({ cpuMs, wallMs }: PhaseFigures) => (cpuMs / wallMs) * 100

type Options = ReturnType<typeof readOptions>

async function runTrial({ cluster }: World, generator: Generator, options: Options) {
  const { ramp: rampOptions, surge } = options
  const verdicts: Verdict[] = []
  const conclude = (...found: Verdict[]) => {
    for (const verdict of found) {
      verdicts.push(verdict)
      say(`  ${verdict.holds ? 'holds' : 'DOES NOT HOLD'}: ${verdict.what}\n    ${verdict.found}`)
    }
  }
  const meter = await createCpuMeter(cluster)
  const measured = async (work: Promise<PhaseFigures>) => {
    const [before, started] = [meter(), Date.now()]
    const figures = await work
    return { figures, cpu: shareOfCore(before, meter(), Date.now() - started) }
  }

  await generator.run({
    steps: [{ rate: rampOptions.from / 2, seconds: options.warmSeconds }],
    seed: 99,
    boundMs: BOUND_MS,
  })
  say('\nFaster and faster, until it does not hold')
  const ramp = await findRate(
    generator.run,
    rampOptions,
    ({ rate, p50Ms, p99Ms, shed, held, why, generatorLateMs }) =>
      say(
        `  ${rate.toFixed(1).padStart(6)} acts a second: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${shed} turned away, generator ${generatorLateMs.toFixed(0)} ms late: ${held ? 'holds' : why}`,
      ),
  )
  conclude(judgeRamp(ramp))
  if (ramp.rate === 0) return { verdicts, ramp }

  const seconds = Math.round(options.minutes * 60)
  say(`\n${ramp.rate.toFixed(1)} acts a second for ${seconds} s`)
  const steps = [{ rate: ramp.rate, seconds }]
  const statements = await countStatements(cluster.database.pool)
  const [held, weighed] = await weighWhile(
    cluster.nodes,
    Math.max(LEAST_WEIGHING_MS, (seconds * 1000) / WEIGHINGS),
    measured(generator.run({ steps, seed: 100, boundMs: BOUND_MS })),
  )
  say(writeTable(held.figures.steps[0], seconds))
  sayLost(held.figures)
  sayCpu(held.cpu, generatorShare(held.figures))
  say(writeStatements(await statements(), seconds))
  conclude(
    judgeMachine(held.cpu, generatorShare(held.figures), os.availableParallelism()),
    judgeHold(held.figures, BOUND_MS),
    ...judgeMemory(weighed),
  )

  say(`\nTwice as many for ${surge.overSeconds} s, then as before for ${surge.afterSeconds} s`)
  const [surged, surgeWeighed] = await weighWhile(
    cluster.nodes,
    WEIGH_SURGE_MS,
    measured(
      generator.run({
        steps: [
          { rate: ramp.rate * 2, seconds: surge.overSeconds },
          { rate: ramp.rate, seconds: surge.afterSeconds },
        ],
        seed: 101,
        boundMs: BOUND_MS,
      }),
    ),
  )
  say(writeTable(surged.figures.steps[0], surge.overSeconds))
  sayLost(surged.figures)
  say(writeRecovery(surged.figures.seconds, surge.overSeconds))
  sayCpu(surged.cpu, generatorShare(surged.figures))
  const mostOf = (lists: MemorySample[][]) => Math.max(0, ...lists.flat().map(({ rssMb }) => rssMb))
  conclude(
    ...judgeSurge({
      figures: surged.figures,
      overSeconds: surge.overSeconds,
      heldMb: mostOf(weighed),
      peakMb: mostOf(surgeWeighed),
      boundMs: BOUND_MS,
    }),
  )
  const deaths = cluster.nodes.flatMap((node) => node.deaths())
  conclude({
    holds: deaths.length === 0,
    what: 'no node has ended by itself',
    found: deaths.join('; ') || 'none',
  })
  return { verdicts, ramp, held, weighed, surged, surgeWeighed }
}

const options = readOptions()
say(`Starting ${options.nodes} node(s), a PostgreSQL and ${options.shoppers} people …`)
const probe = pathToFileURL(path.join(import.meta.dirname, 'load', 'heap-probe.mjs')).href
const world = await openWorld({
  nodes: options.nodes,
  shoppers: options.shoppers,
  producers: 12,
  catalog: 'demo',
  settings: { ...USUAL_SETTINGS, ...STATEMENT_SETTINGS },
  env: { NODE_OPTIONS: `--expose-gc --import=${probe}`, SOUK_LOG: 'warn' },
})
const generator = startGenerator({ people: world.people, addresses: world.cluster.addresses() })
const results = await runTrial(world, generator, options)
generator.stop()
await world.close()
if (options.json) fs.writeFileSync(options.json, JSON.stringify(results, replaceMaps, 2))
const failed = results.verdicts.filter(({ holds }) => !holds)
say(
  failed.length === 0
    ? '\nload: holds'
    : `\nload: does not hold (${failed.length} of ${results.verdicts.length})`,
)
process.exitCode = failed.length === 0 ? 0 : 1

function replaceMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value
}
