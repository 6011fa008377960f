/** One node of the service as a process of its own: the built program, on a port that it keeps over restarts. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { projectFile } from '../src/lib/paths.ts'
import { removeAtExit, signalIfThere } from './leftovers.ts'

const READY_LIMIT_MS = 90_000
const STOP_LIMIT_MS = 60_000
const ASK_LIMIT_MS = 5_000

export type TrialNode = {
  name: string
  address: string
  /** All its output, over restarts. */
  logFile: string
  pid(): number | null
  /** Its process runs. */
  up(): boolean
  /** /readyz says so. */
  ready(): Promise<boolean>
  start(): Promise<void>
  whenReady(limitMs?: number): Promise<void>
  /** SIGTERM, and waits for its end; answers with its exit code or signal. */
  stop(): Promise<number | string>
  /** kill -9. */
  kill(): Promise<void>
  /** Its wall clock is wrong by this from now on, or right again with 0. */
  shiftClock(shiftMs: number): void
  /** How it ended when nobody had told it to, once for each time. */
  deaths(): string[]
}

export type NodeOptions = {
  name: string
  dir: string
  env: Record<string, string>
  /** The folder of the built program, asked for at each start; by default this one. */
  program?: () => string
}

export async function createNode({
  name,
  dir,
  env,
  program = () => projectFile('.'),
}: NodeOptions): Promise<TrialNode> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const logFile = path.join(dir, `${name}.log`)
  const clockFile = path.join(dir, `${name}.clock`)
  const dataDir = path.join(dir, name)
  const deaths: string[] = []
  let child: ChildProcess | null = null
  let ended: Promise<number | string> = Promise.resolve('never started')
  let told = false

  async function ready(): Promise<boolean> {
    if (!child) return false
    try {
      const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) })
      await answer.arrayBuffer()
      return answer.status === 200
    } catch {
      return false
    }
  }

  function spawnProcess(): void {
    const out = fs.openSync(logFile, 'a')
    const process_ = spawn(
      projectFile('node_modules', '.bin', 'node'),
      [path.join(program(), 'dist', 'main.js'), 'serve'],
      {
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          SOUK_DATA_DIR: dataDir,
          SOUK_TRIAL_CLOCK: clockFile,
          NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'clock-shift.mjs')).href}`,
          ...env,
        },
        stdio: ['ignore', out, out],
      },
    )
    fs.closeSync(out)
    const { pid } = process_
    const strike = removeAtExit(() => pid !== undefined && signalIfThere(pid, 'SIGKILL'))
    child = process_
    told = false
    ended = new Promise((resolve) =>
      process_.once('close', (code, signal) => {
        strike()
        if (!told) deaths.push(`${name} ended by itself (${code ?? signal}), see ${logFile}`)
        if (child === process_) child = null
        resolve(code ?? signal ?? 'unknown')
      }),
    )
  }

  return {
    name,
    address,
    logFile,
    pid: () => child?.pid ?? null,
    up: () => child !== null,
    ready,
    deaths: () => deaths,
    async start() {
      if (!child) spawnProcess()
    },
    async whenReady(limitMs = READY_LIMIT_MS) {
      const deadline = Date.now() + limitMs
      while (!(await ready())) {
        if (!child) throw new Error(`${name} did not start:\n${endOf(logFile)}`)
        if (Date.now() > deadline) throw new Error(`${name} is not ready:\n${endOf(logFile)}`)
        await sleep(25)
      }
    },
    async stop() {
      told = true
      const stopping = child
      stopping?.kill('SIGTERM')
      const late = setTimeout(() => stopping?.kill('SIGKILL'), STOP_LIMIT_MS)
      const how = await ended
      clearTimeout(late)
      return how
    },
    async kill() {
      told = true
      child?.kill('SIGKILL')
      await ended
    },
    shiftClock: (shiftMs) => fs.writeFileSync(clockFile, String(shiftMs)),
  }
}

/** Somebody else may take it between the look and the use; on loopback that is rare, and the node says so when it starts. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function endOf(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n') : ''
}
