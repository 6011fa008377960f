/** Watches the node while it is fuzzed: its log holds no error, its process is the same to the end, its memory is bounded. */
import fs from 'node:fs'
import { type MemorySample, weigh } from '../load/memory.ts'
import type { TrialNode } from '../node.ts'
import type { Finding } from './checks.forms.ts'
import { finding, shape } from './checks.forms.ts'

export type LogTrouble = { finding: Finding; requestId: string | null; line: string }

const ERROR = 50
const RUNTIME = /unhandled|uncaught|warning|error|exception|FATAL|^\s+at /i
const NAMES: Record<string, number> = { warn: 40, error: 50, fatal: 60 }
/** Of what is left after a full collection, from a quarter of the run to its end. */
const MOST_GROWTH_MB = 100
const MOST_RSS_MB = 1_500

export function createLogReader(file: string): () => LogTrouble[] {
  // What was written while it started is not of this run.
  let at = fs.statSync(file).size
  let rest = ''
  return () => {
    const { size } = fs.statSync(file)
    const bytes = Buffer.alloc(size - at)
    const handle = fs.openSync(file, 'r')
    fs.readSync(handle, bytes, 0, bytes.length, at)
    fs.closeSync(handle)
    at = size
    const lines = (rest + bytes.toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    return lines.flatMap((line) => readLine(line) ?? [])
  }
}

/** What is bad about a line of the log; null for nothing. */
export function readLine(line: string): LogTrouble | null {
  if (line.trim() === '') return null
  let told: Record<string, unknown>
  try {
    told = JSON.parse(line) as Record<string, unknown>
  } catch {
    // What is no JSON and sounds like it is the runtime's own word: a rejection nobody heard, a leak of listeners.
    if (!RUNTIME.test(line)) return null
    return { finding: finding('log: not ours', shape(line)), requestId: null, line }
  }
  const level = typeof told.level === 'number' ? told.level : (NAMES[String(told.level)] ?? 0)
  if (level < ERROR) return null
  const { message = '' } = (told.err ?? {}) as { message?: string }
  const requestId = typeof told.requestId === 'string' ? told.requestId : null
  return { finding: finding('log: error', shape(`${told.msg}: ${message}`)), requestId, line }
}

export type NodeWatch = { weigh(): Promise<void>; judge(): Finding[]; samples(): readonly MemorySample[] }

/** The node must have been started with the heap probe of trials/load. */
export function watchNode(node: TrialNode): NodeWatch {
  const pid = node.pid()
  const samples: MemorySample[] = []
  return {
    samples: () => samples,
    async weigh() {
      const sample = await weigh(node.pid() ?? 0, node.logFile.replace(/log$/, 'heap'))
      if (sample) samples.push(sample)
    },
    judge() {
      const found = node.deaths().map((how) => finding('process ended', shape(how)))
      if (node.pid() !== pid) found.push(finding('another process', ''))
      return [...found, ...judgeMemory(samples)]
    },
  }
}

export function judgeMemory(samples: readonly MemorySample[]): Finding[] {
  const early = samples[Math.floor(samples.length / 4)]
  const last = samples.at(-1)
  if (!early || !last) return [finding('memory', 'was never weighed')]
  const most = Math.max(...samples.map(({ rssMb }) => rssMb))
  const grown = last.heapMb + last.bufferMb - early.heapMb - early.bufferMb
  return [
    ...(grown > MOST_GROWTH_MB ? [finding('memory grows', `by more than ${MOST_GROWTH_MB} MB`)] : []),
    ...(most > MOST_RSS_MB ? [finding('memory', `resident size beyond ${MOST_RSS_MB} MB`)] : []),
  ]
}
