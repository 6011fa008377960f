/**
 * Reads files of outsiders in threads of their own, so that no file can hold up what else the node serves. There are few
 * threads, and everybody has one at a time, whatever they bring; the others wait in a line that has an end. A thread that
 * takes too long, takes too much memory or dies costs the file that it was reading, with words for who brought it,
 * and nothing else: the next file gets a new one.
 */
import os from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { AppError, unavailable } from '../lib/errors.ts'
import type { FromWorker, ToWorker } from './file-reader.worker.ts'
import { type Ask, type Given, READINGS, type ReadingKind } from './file-readings.ts'
import type { ByteStream } from './import/bytes.ts'
import type { Content } from './import-drafts.reading.ts'

export type ReaderOptions = {
  threads: number
  /** How many may wait for a thread, in all and of one kind of caller. */
  waiting: number
  waitingEach: number
  /** How long one waits before they are told to come back. */
  waitMs: number
  /** How long a thread may be silent with something to do. */
  silentMs: number
  /** How long an unused thread is kept. */
  keepMs: number
  memoryMb: number
  /** What the threads run. */
  script: URL
}

type ReadFor = {
  /** Whose file it is: files of one are read one after the other. */
  who: string
  signal?: AbortSignal
  /** How long its thread may work on it in all; without it, as long as there is more of the file. */
  workMs?: number
}

export type ReadFile = <Kind extends ReadingKind>(
  kind: Kind,
  content: Content,
  ask: Ask<Kind>,
  options: ReadFor,
) => AsyncGenerator<Given<Kind>>

const PIECE_BYTES = 256 * 1024
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

const DEFAULTS: ReaderOptions = {
  threads: Math.max(2, Math.min(4, os.availableParallelism() - 1)),
  waiting: 64,
  waitingEach: 8,
  waitMs: 60_000,
  silentMs: 20_000,
  keepMs: 30_000,
  memoryMb: 256,
  script: new URL(`./file-reader.worker${extension}`, import.meta.url),
}

/** What a producer's file of at most 20 MB may take. */
export const PRODUCER_WORK_MS = 60_000

let producers: ReadFile | null = null
let operators: ReadFile | null = null

/** For the files of producers. One set of threads a process, started by the first file. */
export const readProducers: ReadFile = (...args) => {
  producers ??= createFileReaders()
  return producers(...args)
}

/** For the operator's files, which may take an hour, and then are in nobody's way. */
export const readOperators: ReadFile = (...args) => {
  operators ??= createFileReaders({ threads: 2 })
  return operators(...args)
}

/** In this thread, for a program that serves nobody meanwhile. */
export const readHere: ReadFile = <Kind extends ReadingKind>(
  kind: Kind,
  content: Content,
  ask: Ask<Kind>,
) => {
  const read = READINGS[kind] as unknown as (content: Content, ask: Ask<Kind>) => AsyncGenerator<Given<Kind>>
  return read(content, ask)
}

/** The one thing that a reading gives, of a kind that gives one. */
export async function readOnce<Value>(reading: AsyncGenerator<Value>): Promise<Value> {
  let last: { value: Value } | null = null
  for await (const value of reading) last = { value }
  if (!last) throw new Error('a reading gave nothing')
  return last.value
}

export function createFileReaders(options: Partial<ReaderOptions> = {}): ReadFile {
  const settings = { ...DEFAULTS, ...options }
  const places = createPlaces(settings)

  return async function* read(kind, content, ask, { who, signal, workMs = Number.POSITIVE_INFINITY }) {
    const place = await places.take(who, signal)
    const { thread } = place
    let source: AsyncIterator<Uint8Array> | null = null
    let stream = 0
    let leftMs = workMs
    let isUsable = false
    try {
      thread.say({ type: 'start', kind, ask } as ToWorker)
      for (;;) {
        const since = performance.now()
        const message = await thread.hear(Math.min(settings.silentMs, leftMs), signal)
        leftMs -= performance.now() - since
        if (message.type === 'open') {
          await source?.return?.()
          source = inPieces(content())[Symbol.asyncIterator]()
          stream = message.stream
        } else if (message.type === 'next') {
          const piece = message.stream === stream ? await source?.next() : undefined
          const bytes = piece && !piece.done ? new Uint8Array(piece.value) : null
          thread.say({ type: 'piece', stream: message.stream, bytes }, bytes ? [bytes.buffer] : [])
        } else if (message.type === 'close') {
          if (message.stream === stream) await source?.return?.()
        } else if (message.type === 'batch') {
          yield message.batch as Given<typeof kind>
          thread.say({ type: 'more' })
          // One batch a turn: who else is served has theirs in between.
          await turn()
        } else {
          isUsable = message.isClean
          if (message.type === 'done') return
          if (message.type === 'refused')
            throw new AppError(message.error.kind, message.error.message, message.error)
          throw new Error(`a file could not be read: ${message.message}`)
        }
      }
    } finally {
      places.give(place, isUsable)
      await source?.return?.()
    }
  }
}

async function* inPieces(content: ByteStream): AsyncGenerator<Uint8Array> {
  for await (const bytes of content)
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      yield bytes.subarray(from, from + PIECE_BYTES)
}

type Thread = {
  say(message: ToWorker, transfer?: ArrayBuffer[]): void
  /** What it says next. Throws when it has died, says nothing for too long, or nobody wants to know any more. */
  hear(limitMs: number, signal?: AbortSignal): Promise<FromWorker>
  isAlive(): boolean
  rest(): void
  end(): void
}

function startThread({ script, memoryMb }: ReaderOptions): Thread {
  const worker = new Worker(script, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  })
  const said: FromWorker[] = []
  let dead: Error | null = null
  let wake = () => {}
  const die = (error: Error) => {
    dead ??= error
    wake()
  }
  worker.on('message', (message: FromWorker) => {
    said.push(message)
    wake()
  })
  worker.on('error', (error: NodeJS.ErrnoException) =>
    die(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('memory', error) : gaveUp(error)),
  )
  worker.on('exit', () => die(gaveUp()))
  return {
    say(message, transfer = []) {
      worker.ref()
      worker.postMessage(message, transfer)
    },
    async hear(limitMs, signal) {
      const next = () => said.shift()
      let timer: NodeJS.Timeout | undefined
      const isLate = new Promise<'late'>((resolve) => {
        timer = setTimeout(resolve, Math.max(0, limitMs), 'late')
      })
      const leave = () => wake()
      signal?.addEventListener('abort', leave)
      try {
        for (;;) {
          const message = next()
          if (message) return message
          if (dead) throw dead
          if (signal?.aborted) throw left()
          const woken = new Promise<void>((resolve) => {
            wake = resolve
          })
          // What it said last may have come while this was being set up, but nothing was awaited since.
          if ((await Promise.race([woken, isLate])) === 'late' && said.length === 0)
            throw tooMuch('time', dead ?? undefined)
        }
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
    },
    isAlive: () => dead === null,
    // One that waits for work must not keep a finished program alive.
    rest: () => worker.unref(),
    end() {
      worker.unref()
      worker.terminate().catch(() => {})
    },
  }
}

type Place = { who: string; thread: Thread }

function createPlaces(settings: ReaderOptions) {
  const { threads, waiting, waitingEach, waitMs, keepMs } = settings
  const busy = new Set<string>()
  const line: Array<{ who: string; come: () => void }> = []
  let unused: Array<{ thread: Thread; timer: NodeJS.Timeout }> = []

  const isFree = (who: string) => busy.size < threads && !busy.has(who)

  function sit(who: string): Place {
    busy.add(who)
    for (let kept = unused.pop(); kept; kept = unused.pop()) {
      clearTimeout(kept.timer)
      if (kept.thread.isAlive()) return { who, thread: kept.thread }
    }
    return { who, thread: startThread(settings) }
  }

  function call(): void {
    const at = line.findIndex(({ who }) => isFree(who))
    const [next] = at === -1 ? [] : line.splice(at, 1)
    next?.come()
  }

  return {
    async take(who: string, signal?: AbortSignal): Promise<Place> {
      if (signal?.aborted) throw left()
      if (isFree(who)) return sit(who)
      if (line.length >= waiting || line.filter((other) => other.who === who).length >= waitingEach)
        throw tooMany()
      return new Promise<Place>((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', go)
          const at = line.indexOf(entry)
          if (at !== -1) line.splice(at, 1)
          act()
        }
        const entry = { who, come: () => settle(() => resolve(sit(who))) }
        const go = () => settle(() => reject(left()))
        const timer = setTimeout(() => settle(() => reject(tooMany())), waitMs)
        signal?.addEventListener('abort', go, { once: true })
        line.push(entry)
      })
    },
    give({ who, thread }: Place, isUsable: boolean): void {
      busy.delete(who)
      if (isUsable && thread.isAlive()) {
        thread.rest()
        const timer = setTimeout(() => {
          unused = unused.filter((kept) => kept.thread !== thread)
          thread.end()
        }, keepMs)
        timer.unref()
        unused.push({ thread, timer })
      } else thread.end()
      call()
    },
  }
}

function tooMuch(what: 'time' | 'memory', cause?: Error): AppError {
  return new AppError(
    'too_large',
    `reading this file takes too much ${what}; split it into smaller files, or use a simpler format`,
    { code: 'body_too_large', cause },
  )
}

function tooMany(): AppError {
  return unavailable('many files are being read right now; try again in a minute', 60)
}

function gaveUp(cause?: Error): AppError {
  return unavailable('reading the file was interrupted; try again', 5, cause)
}

function left(): AppError {
  return unavailable('the import was canceled; try again', 5)
}
