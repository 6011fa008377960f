/**
 * A rolling upgrade under load: two nodes of an older commit on one PostgreSQL behind a balancer, replaced one after the
 * other by nodes of this program, the first of which migrates the database while the other serves and writes. Nobody may
 * notice: no request fails, and what was acknowledged is there.
 *
 * The older program is built from the repository, in a folder of its own, with the packages that are installed here.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listMigrations } from '../src/db/migrate.ts'
import { projectFile } from '../src/lib/paths.ts'
import { startAgents } from './agents.ts'
import { startBalancer } from './balancer.ts'
import { BASE_URL, SECRET } from './cluster.ts'
import { createJournal } from './journal.ts'
import { makeTrialFolder } from './leftovers.ts'
import { createNode, type TrialNode } from './node.ts'
import { type People, producerDomain } from './people.ts'
import { startPostgres } from './postgres.ts'
import { runTraffic } from './traffic.ts'

/** The last commit before logs, index and sources were changed. */
const BEFORE = 'a534ecf38a1a77959b78bb3c31a2755710c1bb1c'

const PEOPLE = { shoppers: 12, producers: 3 }
const ACTS_PER_SECOND = 20
const MOST_AT_ONCE = 3
/** Ten times what the balancer needs to see that a node goes. */
const DRAIN_MS = 1_000
const BETWEEN_MS = 3_000
const SERVED_LIMIT_MS = 20_000
const LARGE = 64 * 1024 * 1024

export type Upgrade = {
  requests: number
  acknowledged: number
  migrations: number
  /** How long each node took from its end to its being served again. */
  seconds: number[]
  breaches: string[]
  /** What the balancer saw of the nodes. */
  changes: string[]
}

/** Throws where the repository does not have the older commit, as in a shallow clone. */
export async function runUpgrade({ seed }: { seed: number }): Promise<Upgrade> {
  const folder = makeTrialFolder()
  const closing: Array<() => unknown> = [folder.remove]
  try {
    const older = buildOlder(path.join(folder.dir, 'older'))
    const hosts = Array.from({ length: PEOPLE.producers }, (_, n) => producerDomain(n + 1))
    const agents = await startAgents({ dir: folder.dir, hosts })
    closing.push(agents.close)
    const postgres = await startPostgres({ dir: folder.dir })
    closing.push(postgres.close)
    const balancer = await startBalancer()
    closing.push(balancer.close)
    const env = {
      ...agents.env,
      DATABASE_URL: postgres.url,
      SOUK_BASE_URL: BASE_URL,
      SOUK_SECRET: SECRET,
      SOUK_CATALOG: 'none',
      SOUK_TRUST_PROXY: '1',
      SOUK_LIMITS: 'search=off,suggest=off,rfq=off,import=off,signup=off,register=off',
      SOUK_DRAIN_MS: String(DRAIN_MS),
      SOUK_RFQ_DEADLINE_MS: '3000',
    }
    let program = older
    const nodes: TrialNode[] = []
    for (const name of ['node-1', 'node-2'])
      nodes.push(await createNode({ name, dir: folder.dir, env, program: () => program }))
    closing.push(() => Promise.all(nodes.map((node) => node.stop())))
    for (const node of nodes) {
      await node.start()
      await node.whenReady()
      balancer.add(node.address)
    }
    const people = seedOlder(older, postgres.url)
    const served = (node: TrialNode) => until(() => balancer.ready().includes(node.address))
    for (const node of nodes) await served(node)

    const breaches: string[] = []
    const journal = createJournal()
    const over = new AbortController()
    const traffic = runTraffic({
      addresses: () => [balancer.address],
      ...{ people, journal, seed, mix: { account: 0 }, until: over.signal },
      ...{ rate: ACTS_PER_SECOND, mostAtOnce: MOST_AT_ONCE },
      onAnswer({ status, cause, act, method, path: at, text }) {
        if (status === 0 || status >= 500)
          breaches.push(`failed: ${act}: ${method} ${at} ${status} ${cause ?? text.slice(0, 200)}`)
      },
    })
    await sleep(BETWEEN_MS)
    program = projectFile('.')
    const seconds: number[] = []
    for (const node of nodes) {
      const begun = performance.now()
      await node.stop()
      await node.start()
      await node.whenReady()
      await served(node)
      seconds.push((performance.now() - begun) / 1_000)
      await sleep(BETWEEN_MS)
    }
    over.abort()
    const figures = await traffic
    breaches.push(...balancer.counts.failures.map((failure) => `failed: ${failure}`))
    breaches.push(...nodes.flatMap((node) => node.deaths()))

    const { default: pg } = await import('pg')
    const client = new pg.Client(postgres.connection)
    await client.connect()
    const { rows: migrated } = await client.query<{ name: string }>('select name from migrations')
    const { rows: audited } = await client.query<{ request_id: string }>(
      'select distinct request_id from audit_log where request_id is not null',
    )
    await client.end()
    const [applied, found] = [
      new Set(migrated.map(({ name }) => name)),
      new Set(audited.map((row) => row.request_id)),
    ]
    for (const name of listMigrations()) if (!applied.has(name)) breaches.push(`migration ${name} is missing`)
    const acknowledged = journal.writes.filter(({ outcome }) => outcome === 'acknowledged')
    for (const { requestId, audited: action } of acknowledged)
      if (action !== null && !found.has(requestId))
        breaches.push(`lost: ${action} of request ${requestId} was acknowledged and is not in the audit log`)
    for (const { outcome, requestId } of journal.writes)
      if (outcome === 'unknown') breaches.push(`failed: nobody knows what became of the write ${requestId}`)
    const known = new Set(olderMigrations(older))
    return {
      requests: figures.all.count,
      acknowledged: acknowledged.length,
      migrations: listMigrations().filter((name) => !known.has(name)).length,
      ...{ seconds, breaches, changes: balancer.counts.changes },
    }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The folder of the older program, built. */
function buildOlder(dir: string): string {
  const there = spawnSync('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: projectFile('.') })
  if (there.status !== 0)
    throw new Error(
      `the upgrade begins at commit ${BEFORE.slice(0, 8)}, which this clone does not have: fetch the whole history (git fetch --unshallow), or leave the upgrade out with --only`,
    )
  fs.mkdirSync(dir)
  const files = ok(spawnSync('git', ['archive', BEFORE], { cwd: projectFile('.'), maxBuffer: LARGE * 16 }))
  ok(spawnSync('tar', ['-x', '-C', dir], { input: files, maxBuffer: LARGE }))
  fs.symlinkSync(projectFile('node_modules'), path.join(dir, 'node_modules'))
  ok(spawnSync(nodeProgram(), ['scripts/build.mjs'], { cwd: dir, maxBuffer: LARGE }))
  return dir
}

/** By the older program's own hand: only it knows its tables. */
function seedOlder(dir: string, url: string): People {
  const script = `
    import { openDatabase } from './src/db/database.ts'
    import { createLog } from './src/lib/log.ts'
    import { seedPeople } from './trials/people.ts'
    const database = openDatabase({ connectionString: process.env.DATABASE_URL }, createLog('silent'))
    const people = await seedPeople(database.db, ${JSON.stringify(PEOPLE)})
    await database.close()
    process.stdout.write(JSON.stringify(people))`
  const env = { PATH: process.env.PATH, DATABASE_URL: url }
  const said = ok(
    spawnSync(nodeProgram(), ['--input-type=module', '--eval', script], { cwd: dir, env, maxBuffer: LARGE }),
  )
  return JSON.parse(said.toString()) as People
}

function olderMigrations(dir: string): string[] {
  return listMigrations(path.join(dir, 'src', 'db', 'migrations'))
}

function nodeProgram(): string {
  return projectFile('node_modules', '.bin', 'node')
}

function ok({ status, stdout, stderr, error }: ReturnType<typeof spawnSync>): Buffer {
  if (status !== 0) throw error ?? new Error(`building the older program failed:\n${stderr}`)
  return stdout as Buffer
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + SERVED_LIMIT_MS
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('the balancer does not see the node')
    await sleep(20)
  }
}
