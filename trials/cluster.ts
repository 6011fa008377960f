/**
 * Several nodes on one PostgreSQL, to run for real and to be mistreated.
 *
 *   const cluster = await startCluster({ nodes: 2, env: { SOUK_POOL_SIZE: '5' } })
 *   cluster.addresses()                 // of the nodes whose process runs, for traffic
 *   await cluster.nodes[0]?.kill()      // kill -9; start() and whenReady() bring it back on its port
 *   await cluster.postgres.kill()       // see postgres.ts: start, hang, goOn, disk.fill, disk.free
 *   await cluster.close()               // leaves no process, mount or folder behind, nor does a crash or Ctrl-C
 *
 * dist/ must be built. All nodes share a secret and a base URL, trust `X-Forwarded-For` and `X-Request-Id`, so that traffic
 * comes from many networks and every action is found again by the id of its request.
 */
import { type Database, openDatabase } from '../src/db/database.ts'
import { followPrimary } from '../src/db/primary.ts'
import { createLog } from '../src/lib/log.ts'
import { makeTrialFolder } from './leftovers.ts'
import { createNode, type TrialNode } from './node.ts'
import { startPair, type TrialPair } from './pair.ts'
import { startPostgres, type TrialPostgres } from './postgres.ts'

export const SECRET = 'a secret for trials of at least 32 characters'
/** Local, so that nodes take tool calls at the addresses they really listen on. */
export const BASE_URL = 'http://localhost:3000'

export type Cluster = {
  /** A folder of its own for logs and whatever the trial keeps. */
  dir: string
  postgres: TrialPostgres
  /** The same with its standby, where one was asked for. */
  pair: TrialPair | null
  nodes: TrialNode[]
  /** Base addresses (`http://127.0.0.1:port`) of the nodes whose process runs. */
  addresses(): string[]
  /** Until every node says that it is ready. */
  whenReady(limitMs?: number): Promise<void>
  /** Straight to the database, for seeding and looking; fixes itself after the database was away. */
  database: Database
  close(): Promise<void>
}

export type ClusterOptions = {
  nodes: number
  /** `none` by default: people.ts then brings sixty products of its own. */
  catalog?: 'demo' | 'none'
  /** More variables for every node. */
  env?: Record<string, string>
  /** Puts the database on a tmpfs of this size, which can be filled. */
  diskMb?: number
  /** More settings for PostgreSQL. */
  settings?: Record<string, string>
  /** Two servers, one a standby, see pair.ts; the database's other options are not for them. */
  pair?: boolean
  /** A data folder to begin with, see postgres.ts. */
  from?: string
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const folder = makeTrialFolder()
  const { dir } = folder
  const { diskMb, settings, from } = options
  const pair = options.pair ? await startPair({ dir }) : null
  const postgres =
    pair ??
    (await startPostgres({
      dir,
      ...(diskMb !== undefined && { diskMb }),
      ...(settings && { settings }),
      ...(from !== undefined && { from }),
    }))
  const env: Record<string, string> = {
    DATABASE_URL: postgres.url,
    SOUK_SECRET: SECRET,
    SOUK_BASE_URL: BASE_URL,
    SOUK_CATALOG: options.catalog ?? 'none',
    SOUK_TRUST_PROXY: '1',
    ...options.env,
  }
  const nodes: TrialNode[] = []
  for (let n = 1; n <= options.nodes; n++) nodes.push(await createNode({ name: `node-${n}`, dir, env }))
  const log = createLog('silent')
  const primary = followPrimary(postgres.url, log)
  await primary.look()
  const database = openDatabase(primary.connection, log, { onMove: primary.onMove })
  const close = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    primary.stop()
    await database.close().catch(() => {})
    await postgres.close()
    folder.remove()
  }
  try {
    // One after the other: the first migrates and loads, and the others only look.
    for (const node of nodes) {
      await node.start()
      await node.whenReady()
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    dir,
    postgres,
    pair,
    nodes,
    addresses: () => nodes.filter((node) => node.up()).map((node) => node.address),
    async whenReady(limitMs) {
      await Promise.all(nodes.map((node) => node.whenReady(limitMs)))
    },
    database,
    close,
  }
}
