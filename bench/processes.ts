/** Contenders as processes of their own, so that each has its own core time and memory to be measured. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const ROOT = path.resolve(import.meta.dirname, '..')
export const NODE = path.join(ROOT, 'node_modules', '.bin', 'node')

export type Contender = { port: number; pid: number; stop(): Promise<void> }

export function tempDir(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-bench-'))
  fs.chmodSync(dir, 0o755)
  return dir
}

/** Souk itself, on a data folder of its own; what is measured is its work, so that no limit stands before it. */
export function startSouk(env: Record<string, string> = {}): Promise<Contender> {
  return start(
    [path.join(ROOT, 'dist', 'main.js'), 'serve'],
    { PORT: '0', SOUK_LOG: 'info', SOUK_LIMITS: 'search=off,rfq=off', ...env },
    /listening on http:\/\/127\.0\.0\.1:(\d+)/,
  )
}

/** A script in bench/servers that prints `port N`. */
export function startServer(name: string, ...args: string[]): Promise<Contender> {
  return start([path.join(import.meta.dirname, 'servers', name), ...args], {}, /port (\d+)/)
}

async function start(args: string[], env: Record<string, string>, ready: RegExp): Promise<Contender> {
  // Its output goes to a file, as a service's does: reading it here would slow the load generator, not the server.
  const file = path.join(tempDir(), 'output')
  const out = fs.openSync(file, 'a')
  const child = spawn(NODE, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', out, out] })
  fs.closeSync(out)
  const deadline = Date.now() + 120_000
  for (;;) {
    const output = fs.readFileSync(file, 'utf8')
    const found = ready.exec(output)
    if (found)
      return { port: Number(found[1]), pid: child.pid ?? 0, stop: () => stop(child, path.dirname(file)) }
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`did not start: ${args.join(' ')}\n${output}`)
    await sleep(20)
  }
}

function stop(child: ChildProcess, outputDir: string): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => {
      fs.rmSync(outputDir, { recursive: true, force: true })
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/** Processor time a process has used so far, in milliseconds (Linux; NaN elsewhere). */
export function cpuMs(pid: number): number {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
