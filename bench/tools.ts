/**
 * What a call of a tool costs beside the floor and beside the protocol's own libraries: the same tools on the same data,
 * Souk with token, quota, log and headers as in service, the others with none of that. Targets: at most 2.5 times a
 * bare node:http dispatch with the same validation, at most an eighth of the library's documented server.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../src/config.ts'
import { connectDatabase } from '../src/db/connect.ts'
import { createLog } from '../src/lib/log.ts'
import type { Figure, Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'
import { fillTokens, tokenOf } from './people.ts'
import { type Contender, cpuMs, startServer, startSouk, tempDir } from './processes.ts'
import { type Callers, createCallers, loadTools, type ToolCost } from './tools/load.ts'
import { benchTokenShare } from './tools/tokens.ts'

const TOKENS = 100_000
const ROUNDS = 5
const SECONDS = 0.9
const QUIET_WITHIN_SECONDS = 180
const MOST_IDLE_MS = 60

const REQUESTS: Record<string, { name: string; params: Record<string, unknown>; method: string }> = {
  call: {
    name: 'tools/call search_products, asked before, one result',
    method: 'tools/call',
    params: { name: 'search_products', arguments: { query: 'quiet tent for two in the rain', limit: 1 } },
  },
  categories: {
    name: 'tools/call list_categories',
    method: 'tools/call',
    params: { name: 'list_categories', arguments: {} },
  },
  list: { name: 'tools/list', method: 'tools/list', params: {} },
}

export async function benchTools({ quick }: { quick: boolean }): Promise<Figures> {
  const dir = tempDir()
  const dataDir = path.join(dir, 'data')
  const souk = await startSouk({ SOUK_DATA_DIR: dataDir })
  await addPeople(dataDir)
  await untilQuiet(souk)
  const contenders: Array<[string, Contender]> = [
    ['bare node:http, same validation', await startServer('tools.ts', 'bare', dataDir)],
    ['Souk: token, quota, log', souk],
    ['SDK v2, a server a request', await startServer('tools.ts', 'sdk-v2', dataDir)],
    ['SDK v1, a server a request', await startServer('tools.ts', 'sdk-v1', dataDir)],
  ]
  const figures: Figures = {}
  let callMicros = Number.NaN
  let used = 0
  // One token a person; each person has ten.
  const callers = createCallers(() => tokenOf((used++ * 10) % TOKENS))
  for (const [key, { name, method, params }] of Object.entries(REQUESTS)) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const rows = await compareTools(contenders, { body, callers, rounds: quick ? 3 : ROUNDS })
    printTable(
      `${name} (50 connections)`,
      ['', 'requests/s', 'CPU µs', '× bare', 'spread', 'of SDK v2'],
      rows.map(({ contender, perSecond, cpuMicros, ofBare, ofSdk }) => [
        contender,
        Math.round(perSecond).toLocaleString('en'),
        cpuMicros.toFixed(0),
        ofBare.value.toFixed(2),
        `± ${ofBare.spread.toFixed(2)}`,
        `1 / ${ofSdk.value.toFixed(1)}`,
      ]),
    )
    const costs = (at: number) => rows[at]?.costs ?? []
    figures[`tools.${key}_of_bare`] = rows[1]?.ofBare ?? figureOf([])
    figures[`tools.${key}_sdk_v2_of_souk`] = ratioOf(costs(2), costs(1))
    figures[`tools.${key}_sdk_v1_of_souk`] = ratioOf(costs(3), costs(1))
    if (key === 'call') callMicros = rows[1]?.cpuMicros ?? Number.NaN
  }
  Object.assign(figures, await benchTokenShare(dataDir, callMicros))
  for (const [, contender] of contenders.reverse()) await contender.stop()
  fs.rmSync(dir, { recursive: true, force: true })
  return figures
}

type Compared = ToolCost & { contender: string; costs: number[]; ofBare: Figure; ofSdk: Figure }

/** Ratios of CPU within each round, then their medians. */
async function compareTools(
  contenders: Array<[string, Contender]>,
  { body, callers, rounds }: { body: string; callers: Callers; rounds: number },
): Promise<Compared[]> {
  const run = ({ port, pid }: Contender, seconds: number) => loadTools({ port, pid, body, callers }, seconds)
  for (const [, contender] of contenders) await run(contender, 1)
  const results: ToolCost[][] = []
  for (let round = 0; round < rounds; round++) {
    const row: ToolCost[] = []
    for (const [, contender] of contenders) row.push(await run(contender, SECONDS))
    results.push(row)
  }
  const costsOf = (at: number) => results.map((row) => row[at]?.cpuMicros ?? Number.NaN)
  return contenders.map(([contender], at) => ({
    contender,
    perSecond: median(results.map((row) => row[at]?.perSecond ?? 0)),
    cpuMicros: median(costsOf(at)),
    costs: costsOf(at),
    ofBare: ratioOf(costsOf(at), costsOf(0)),
    ofSdk: ratioOf(costsOf(2), costsOf(at)),
  }))
}

async function addPeople(dataDir: string): Promise<void> {
  const config = loadConfig({ SOUK_DATA_DIR: dataDir })
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  await fillTokens(database.db, TOKENS)
  await database.close()
}

/** Ready, and done with what a new catalog sets going behind the requests. */
async function untilQuiet({ port, pid }: Contender): Promise<void> {
  for (let turn = 0; turn < QUIET_WITHIN_SECONDS; turn++) {
    const before = cpuMs(pid)
    await sleep(1_000)
    const idle = !(cpuMs(pid) - before > MOST_IDLE_MS)
    if (idle && (await fetch(`http://127.0.0.1:${port}/readyz`)).ok) return
  }
  throw new Error('the server did not come to rest')
}
