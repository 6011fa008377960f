/**
 * One node on a catalog of some size, from its command to its end. A catalog may be too large for the machine, so
 * anyone who waits for the node also waits for its death and learns what it died of.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODE, ROOT } from '../processes.ts'

export type Memory = { rssMb: number; peakMb: number }

export type GrowthNode = {
  port: number
  pid: number
  base: string
  /** By performance.now(), when the command was given. */
  startedAt: number
  memory(): Memory
  /** What the work gives, or why there is no node any more. */
  whileAlive<Result>(work: Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

const MAIN = path.join(ROOT, 'dist', 'main.js')
/** From here on the heap needs more room than Node takes by itself (docs/sizing.md). */
const LARGE_CATALOG = 1_000_000
const KILL_AFTER_MS = 60_000
const LOOK_MS = 250
const DEATH_MS = 1_000

export async function startNode(
  dir: string,
  products: number,
  settings: NodeJS.ProcessEnv = {},
): Promise<GrowthNode> {
  const file = path.join(dir, `node-${products}.log`)
  const out = fs.openSync(file, 'w')
  const startedAt = performance.now()
  const child = spawn(NODE, [MAIN, 'serve'], {
    env: {
      ...nodeEnv(dir, products),
      ...settings,
      PORT: '0',
      SOUK_LOG: 'info',
      SOUK_LIMITS: 'search=off,rfq=off',
    },
    stdio: ['ignore', out, out],
    // Ctrl-C is for us alone: a node that is told twice to stop does not close its database.
    detached: true,
  })
  fs.closeSync(out)
  const pid = child.pid ?? 0
  let last: Memory = { rssMb: 0, peakMb: 0 }
  const memory = () => {
    last = readMemory(pid) ?? last
    return last
  }
  const watch = setInterval(memory, LOOK_MS)
  const gone = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearInterval(watch)
      reject(new Error(`the node ended by itself: ${causeOf(file, code, signal)}, ${inWords(last)}`))
    })
  })
  gone.catch(() => {})
  // A connection that breaks is heard of before the end that broke it.
  const deathFirst = async (error: unknown): Promise<never> => {
    await Promise.race([gone, sleep(DEATH_MS)])
    throw error
  }
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopChild(child)
    return stopping
  }
  try {
    const port = await Promise.race([gone, listeningPort(file)])
    const base = `http://127.0.0.1:${port}`
    return {
      port,
      pid,
      base,
      startedAt,
      memory,
      whileAlive: (work) => Promise.race([gone, work.catch(deathFirst)]),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** For the node and for commands beside it. */
export function nodeEnv(dir: string, products: number): NodeJS.ProcessEnv {
  const halfMb = Math.floor(os.totalmem() / 2 / 2 ** 20)
  return {
    PATH: process.env.PATH,
    TMPDIR: dir,
    SOUK_DATA_DIR: path.join(dir, 'data'),
    SOUK_CATALOG: 'none',
    ...(products >= LARGE_CATALOG && { NODE_OPTIONS: `--max-old-space-size=${halfMb}` }),
  }
}

const LISTENING_WITHIN_MS = 120_000

async function listeningPort(file: string): Promise<number> {
  const deadline = Date.now() + LISTENING_WITHIN_MS
  while (Date.now() < deadline) {
    const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(fs.readFileSync(file, 'utf8'))
    if (found) return Number(found[1])
    await sleep(10)
  }
  throw new Error(`the node does not listen after ${LISTENING_WITHIN_MS / 1_000} s`)
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(kill)
}

/** Linux; null elsewhere and when the process is gone. */
function readMemory(pid: number): Memory | null {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
    const kb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
    const rssMb = kb('VmRSS') / 1_024
    // The system brings its highest mark up to date only now and then.
    const memory = { rssMb, peakMb: Math.max(rssMb, kb('VmHWM') / 1_024) }
    // A process that is ending has a status without memory.
    return memory.rssMb > 0 ? memory : null
  } catch {
    return null
  }
}

function causeOf(file: string, code: number | null, signal: string | null): string {
  const output = fs.readFileSync(file, 'utf8')
  const heap = /FATAL ERROR: ([^\n]*)/.exec(output)?.[1]
  if (heap) return heap
  if (signal === 'SIGKILL') return 'killed, as the system does when memory runs out'
  const lastLine = output.trimEnd().split('\n').at(-1)?.slice(0, 200) ?? ''
  return `${signal ?? `exit code ${code}`}, saying "${lastLine}"`
}

function inWords({ peakMb }: Memory): string {
  return `at ${(peakMb / 1_024).toFixed(1)} GB of memory`
}
