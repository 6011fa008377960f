/**
 * How long `npm start` takes on a machine that has run it before: from the command to /readyz 200. Beside it a bare server
 * that is started by npm too.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'
import { ROOT, tempDir } from './processes.ts'

export async function benchStart(): Promise<Figures> {
  const dir = tempDir()
  const bareFile = path.join(dir, 'body')
  fs.writeFileSync(bareFile, 'ready')
  const start = () => startOnce(['start'], { SOUK_DATA_DIR: path.join(dir, 'data') })
  const bareServer = path.join(ROOT, 'bench', 'servers', 'bare.ts')
  const startBare = () => startOnce(['exec', '--', 'node', bareServer, bareFile], {})
  const first = await start()
  const [later, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++) {
    later.push(await start())
    bare.push(await startBare())
  }
  fs.rmSync(dir, { recursive: true, force: true })
  printTable(
    'Start (npm start to /readyz 200, packages installed)',
    ['', 'seconds'],
    [
      ['first start: new database, demo catalog', (first / 1000).toFixed(2)],
      ['second start, median of 5', (median(later) / 1000).toFixed(2)],
      ['bare node:http by npm, median of 5', (median(bare) / 1000).toFixed(2)],
    ],
  )
  return {
    'start.second_seconds': figureOf(later.map((ms) => ms / 1000)),
    'start.second_of_bare': ratioOf(later, bare),
  }
}

async function startOnce(args: string[], env: Record<string, string>): Promise<number> {
  const port = await freePort()
  const started = performance.now()
  const npm = spawn('npm', args, {
    cwd: ROOT,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: 'ignore',
    detached: true,
  })
  const deadline = Date.now() + 120_000
  while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status !== 200) {
    if (Date.now() > deadline) throw new Error(`npm ${args.join(' ')} did not become ready`)
    await sleep(5)
  }
  const elapsed = performance.now() - started
  const ended = new Promise((resolve) => npm.once('close', resolve))
  process.kill(-(npm.pid ?? 0), 'SIGTERM')
  await ended
  return elapsed
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
