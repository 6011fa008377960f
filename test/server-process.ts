/** The real program as a child process, for tests of starting, stopping and crashing. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectFile } from '../src/lib/paths.ts'

export type ServerProcess = {
  pid: number
  address: string
  output(): string
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
}

const NODE = projectFile('node_modules', '.bin', 'node')

export function tempDataDir(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-data-'))
  fs.chmodSync(dir, 0o755)
  return dir
}

export function spawnSouk(
  args: string[],
  env: Record<string, string>,
): { child: ChildProcess; output: () => string; ended: Promise<number | string> } {
  const child = spawn(NODE, [projectFile('dist', 'main.js'), ...args], {
    env: { PATH: process.env.PATH, SOUK_CATALOG: 'none', PORT: '0', SOUK_PASSWORD_COST: '64x1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  )
  return { child, output: () => output, ended }
}

/** Resolves when /readyz answers 200. */
export async function startSouk(env: Record<string, string>): Promise<ServerProcess> {
  const { child, output, ended } = spawnSouk(['serve'], env)
  let over = false
  void ended.then(() => {
    over = true
  })
  const deadline = Date.now() + 60_000
  for (;;) {
    const address = /listening on (http:\S+?)\)/.exec(output())?.[1]
    if (address && (await fetch(`${address}/readyz`).catch(() => null))?.status === 200) {
      return { pid: child.pid ?? 0, address, output, ended, kill: (signal) => void child.kill(signal) }
    }
    if (over || Date.now() > deadline) throw new Error(`the server did not start:\n${output()}`)
    await sleep(10)
  }
}

export function postmasterPid(dataDir: string): number {
  return Number(fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}
