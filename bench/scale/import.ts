/** `souk import` of new products beside a running node, and the taking back of them, so that sizes stay what they are. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import type { ConnectedDatabase } from '../../src/db/connect.ts'
import { NODE, ROOT } from '../processes.ts'
import { nodeEnv } from './node.ts'

export const IMPORTED = 5_000
const SOURCE = 'growth import'

/** Products a second, of the whole command. */
export async function timeImport(dir: string, file: string): Promise<number> {
  const started = performance.now()
  const child = spawn(NODE, [path.join(ROOT, 'dist', 'main.js'), 'import', file, '--source', SOURCE], {
    env: nodeEnv(dir, 0),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const seconds = (performance.now() - started) / 1_000
  if (code !== 0 || !output.includes(`${IMPORTED} created`))
    throw new Error(`the import did not bring ${IMPORTED} new products:\n${output}`)
  return IMPORTED / seconds
}

export async function undoImport({ pool }: ConnectedDatabase): Promise<void> {
  await pool.query(`delete from products where provenance -> 'title' ->> 'source' = $1`, [SOURCE])
}
