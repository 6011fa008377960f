/**
 * What a run over many gigabytes has open, and its end: a node, a database and a folder are closed in this order when the
 * work is done, when it fails, and when somebody interrupts it. PostgreSQL is started by the first process and stopped
 * by the last.
 */
import fs from 'node:fs'
import path from 'node:path'
import { loadConfig } from '../../src/config.ts'
import { type ConnectedDatabase, connectDatabase } from '../../src/db/connect.ts'
import { createLog } from '../../src/lib/log.ts'
import { tempDir } from '../processes.ts'
import { type GrowthNode, startNode } from './node.ts'

const nodes = new Set<GrowthNode>()
const databases = new Set<ConnectedDatabase>()
let interrupted = false

/** Work that was interrupted does not go on behind those who close what it used. */
const forever = () => new Promise<never>(() => {})

export async function withFolder<Result>(work: (dir: string) => Promise<Result>): Promise<Result> {
  const dir = tempDir()
  const remove = () => fs.rmSync(dir, { recursive: true, force: true })
  const interrupt = async () => {
    interrupted = true
    for (const node of nodes) await node.stop()
    for (const database of databases) await database.close().catch(() => {})
    await stopPostgres(dir)
    remove()
    process.exit(130)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await work(dir)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    remove()
  }
}

/** A node that was killed leaves it behind. */
export async function stopPostgres(dir: string): Promise<void> {
  await open(dir)
    .then((database) => database.close())
    .catch(() => {})
}

function open(dir: string): Promise<ConnectedDatabase> {
  const config = loadConfig({ SOUK_DATA_DIR: path.join(dir, 'data') })
  return connectDatabase(config, { log: createLog('error'), role: 'command' })
}

export async function withDatabase<Result>(
  dir: string,
  work: (database: ConnectedDatabase) => Promise<Result>,
): Promise<Result> {
  if (interrupted) await forever()
  const database = await open(dir)
  databases.add(database)
  try {
    return await work(database)
  } finally {
    if (interrupted) await forever()
    databases.delete(database)
    await database.close()
  }
}

export async function withNode<Result>(
  dir: string,
  products: number,
  work: (node: GrowthNode) => Promise<Result>,
  settings: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const node = await startNode(dir, products, settings)
  nodes.add(node)
  try {
    return await work(node)
  } finally {
    await node.stop()
    if (interrupted) await forever()
    nodes.delete(node)
  }
}
