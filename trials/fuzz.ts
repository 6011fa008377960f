/**
 * `npm run fuzz`: requests that nobody sends on purpose, against one real node on a real PostgreSQL, and every answer, the
 * log, the process and the rows held to what the interface promises.
 *
 *   npm run fuzz -- --seed 7                       (200,000 requests, about ten minutes)
 *   npm run fuzz -- --requests 20000 --json found.json
 *   npm run fuzz -- --quick                        (3,000, to try it out)
 *
 * The exit code is 1 when anything is found; each finding is printed with the shortest request that shows it.
 */
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { reproduction, writeFound } from './fuzz/findings.ts'
import { writeTables } from './fuzz/report.ts'
import { runFuzz } from './fuzz/run.ts'
import { openFuzzWorld } from './fuzz/world.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
const PROGRESS_MS = 5_000
const QUICK_REQUESTS = 3_000

function readOptions() {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '200000' },
      seed: { type: 'string', default: String(Date.now() % 100_000) },
      nodes: { type: 'string', default: '1' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const [requests, seed] = [values.quick ? QUICK_REQUESTS : Number(values.requests), Number(values.seed)]
  if (!(Number.isInteger(requests) && requests > 0 && requests <= 5_000_000))
    throw new Error('--requests takes a whole number from 1 to 5000000')
  if (!(Number.isInteger(seed) && seed >= 0)) throw new Error('--seed takes a whole number')
  if (values.nodes !== '1')
    throw new Error('--nodes takes 1: what a request does is seen on the node that it went to')
  return { requests, seed, json: values.json }
}

const { requests, seed, json } = readOptions()
say(`Starting a node, a PostgreSQL and people; ${requests} requests, seed ${seed} …`)
const world = await openFuzzWorld(requests)
const began = performance.now()
let saidAt = began
try {
  const result = await runFuzz(world, {
    requests,
    seed,
    onProgress(tally, findings) {
      const now = performance.now()
      if (now - saidAt < PROGRESS_MS) return
      saidAt = now
      const seconds = (now - began) / 1000
      say(
        `  ${tally.sent()} of ${requests} in ${seconds.toFixed(0)} s (${(tally.sent() / seconds).toFixed(0)} a second), ${findings} finding(s)`,
      )
    },
  })
  say(writeTables(result))
  for (const found of result.findings) say(`\n${writeFound(found)}`)
  if (json !== undefined) fs.writeFileSync(json, JSON.stringify(toJson(result), null, 2))
  const { length } = result.findings
  say(length === 0 ? `\nfuzz: nothing found (seed ${seed})` : `\nfuzz: ${length} finding(s) (seed ${seed})`)
  process.exitCode = length === 0 ? 0 : 1
} finally {
  await world.close()
}

function toJson({ findings, tally, seconds, heapMb, rssMb }: Awaited<ReturnType<typeof runFuzz>>) {
  return {
    seed,
    requests: tally.sent(),
    seconds,
    heapMb,
    rssMb,
    faces: Object.fromEntries([...tally.faces()].map(([face, counts]) => [face, Object.fromEntries(counts)])),
    mutations: Object.fromEntries(tally.mutations()),
    findings: findings.map(({ example, ...found }) => ({
      ...found,
      reproduction: example && reproduction(example),
    })),
  }
}
