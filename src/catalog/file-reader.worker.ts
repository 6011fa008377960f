/** Runs one reading after the other in a thread of its own. Bytes are asked for piece by piece, and batches wait for room. */
import os from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { AppError } from '../lib/errors.ts'
import { type Ask, READINGS, type ReadingKind } from './file-readings.ts'
import type { ByteStream } from './import/bytes.ts'

export type ToWorker =
  | { [Kind in ReadingKind]: { type: 'start'; kind: Kind; ask: Ask<Kind> } }[ReadingKind]
  /** Null at the end of the file. */
  | { type: 'piece'; stream: number; bytes: Uint8Array | null }
  /** A batch was taken. */
  | { type: 'more' }

export type FromWorker =
  | { type: 'open'; stream: number }
  | { type: 'next'; stream: number }
  | { type: 'close'; stream: number }
  | { type: 'batch'; batch: unknown }
  | (End & { isClean: boolean })

/** Clean when nothing of the file is being read any more, so that the thread can be used again. */
type End =
  | { type: 'done' }
  | { type: 'refused'; error: Pick<AppError, 'kind' | 'message' | 'code' | 'field' | 'max' | 'valid'> }
  | { type: 'failed'; message: string }

/** Batches that may be on their way before the first of them is taken. */
const AHEAD = 4

// Who is served comes first when there are few processors. On Linux this is the thread's own; elsewhere the process's.
if (process.platform === 'linux') os.setPriority(0, 10)

let streams = 0
let room = AHEAD
let onRoom = () => {}
const open = new Set<number>()
const asking = new Map<number, (bytes: Uint8Array | null) => void>()
/** A reader that has seen enough lets go of its streams within a few turns. */
const MOST_TURNS = 100

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'start') run(message).catch(endThread)
  else if (message.type === 'piece') {
    asking.get(message.stream)?.(message.bytes)
    asking.delete(message.stream)
  } else {
    room++
    onRoom()
  }
})

/** The main thread hears of it as an error of this one, and gives the file's reader a clear end. */
function endThread(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

async function run(start: Extract<ToWorker, { type: 'start' }>): Promise<void> {
  const end = await read(start)
  for (let turns = 0; open.size > 0 && turns < MOST_TURNS; turns++) await turn()
  say({ ...end, isClean: open.size === 0 })
}

async function read({ kind, ask }: Extract<ToWorker, { type: 'start' }>): Promise<End> {
  room = AHEAD
  try {
    const reading = READINGS[kind] as (content: () => ByteStream, ask: unknown) => AsyncGenerator<unknown>
    for await (const batch of reading(content, ask)) {
      while (room === 0)
        await new Promise<void>((resolve) => {
          onRoom = resolve
        })
      room--
      say({ type: 'batch', batch })
    }
    return { type: 'done' }
  } catch (error) {
    return told(error)
  }
}

async function* content(): ByteStream & AsyncGenerator<Uint8Array> {
  const stream = ++streams
  open.add(stream)
  say({ type: 'open', stream })
  try {
    for (;;) {
      const bytes = await new Promise<Uint8Array | null>((resolve) => {
        asking.set(stream, resolve)
        say({ type: 'next', stream })
      })
      if (bytes === null) return
      yield bytes
    }
  } finally {
    open.delete(stream)
    say({ type: 'close', stream })
  }
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message)
}

function told(error: unknown): End {
  if (!(error instanceof AppError))
    return {
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
  const { kind, message, code, field, max, valid } = error
  return { type: 'refused', error: { kind, message, code, field, max, valid } }
}
