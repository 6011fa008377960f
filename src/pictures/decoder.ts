/**
 * Decodes pictures of strangers in a process of its own. A thread would not do: the codecs allocate outside of the heap
 * that a thread's limits bound, and one that crashes takes its whole process along. The process has an empty
 * environment, watches its own memory, and is ended when it takes too much of that or of time; the next picture gets a
 * new one. One picture is decoded at a time, so all of them together never cost more than the limits of one, and the
 * event loop of the node only hands bytes over. Whose turn it is goes by arrival, and the line has an end.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { type AppError, unavailable } from '../lib/errors.ts'
import { type DecodedPicture, LIMITS, type PictureReply, type Refusal } from './decoder.limits.ts'
import { formatOf, looksLikeSvg } from './picture.formats.ts'

export type Decoded = { picture: DecodedPicture } | { refused: Refusal }

export type Decoder = {
  decode(bytes: Uint8Array, signal?: AbortSignal): Promise<Decoded>
  /** The process that decodes now or last; null when there is none. */
  pid(): number | null
  /** Ends the process; a picture that is being decoded is interrupted. */
  stop(): void
}

type Options = { decodeMs: number; waiting: number; keepMs: number; script: URL }

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const DEFAULTS: Options = {
  decodeMs: LIMITS.decodeMs,
  waiting: 32,
  keepMs: 20_000,
  script: new URL(`./picture.child${extension}`, import.meta.url),
}
/** A process that grew so large gives way to a new one: what was freed is not always given back. */
const RECYCLE_BYTES = 400 * 1024 ** 2

export function createDecoder(options: Partial<Options> = {}): Decoder {
  const settings = { ...DEFAULTS, ...options }
  let child: ChildProcess | null = null
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  let stopped = false

  function end(): void {
    clearTimeout(idle)
    child?.kill('SIGKILL')
    child = null
  }

  /** Kept for a moment, because pictures come in rows. It must not keep a finished program alive. */
  function rest(): void {
    child?.unref()
    child?.channel?.unref()
    idle = setTimeout(end, settings.keepMs).unref()
  }

  async function run(bytes: Uint8Array, signal?: AbortSignal): Promise<Decoded> {
    clearTimeout(idle)
    if (stopped || signal?.aborted) throw interrupted()
    if (!child?.connected) child = startChild(settings.script)
    const answer = await ask(child, bytes, { limitMs: settings.decodeMs, signal })
    if (typeof answer !== 'string' && answer.rssBytes < RECYCLE_BYTES) rest()
    else end()
    if (answer === 'failed' || stopped) throw interrupted()
    if (typeof answer === 'string') return { refused: answer }
    return 'refused' in answer ? { refused: answer.refused } : { picture: pictureOf(answer) }
  }

  return {
    async decode(bytes, signal) {
      const refused = refusalOf(bytes)
      if (refused) return { refused }
      if (waiting >= settings.waiting) throw tooMany()
      waiting++
      const work = last.then(() => run(bytes, signal))
      last = work.catch(() => {})
      try {
        return await work
      } finally {
        waiting--
      }
    },
    pid: () => child?.pid ?? null,
    stop() {
      stopped = true
      end()
    },
  }
}

function startChild(script: URL): ChildProcess {
  const child = fork(script, [], {
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' },
    execArgv: ['--max-old-space-size=96'],
    serialization: 'advanced',
    stdio: 'ignore',
  })
  // One that nobody waits for may still fail to be ended or written to.
  child.on('error', () => {})
  return child
}

/** What the process says, or how it ended. `failed` is no fault of the picture: it could not start, or nobody wants to know. */
function ask(
  child: ChildProcess,
  bytes: Uint8Array,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal | undefined },
): Promise<PictureReply | 'too_slow' | 'too_much_memory' | 'broken' | 'failed'> {
  return new Promise((resolve) => {
    const settle = (answer: Awaited<ReturnType<typeof ask>>) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', fail)
      child.off('message', hear).off('exit', leave).off('error', fail)
      resolve(answer)
    }
    const hear = (reply: unknown) => settle(reply as PictureReply)
    const fail = () => settle('failed')
    const leave = (code: number | null, by: NodeJS.Signals | null) => {
      // The system ends what takes too much by this signal; codecs that crash get others.
      if (code === LIMITS.memoryExit || by === 'SIGKILL') settle('too_much_memory')
      else settle(by === null ? 'failed' : 'broken')
    }
    const timer = setTimeout(settle, limitMs, 'too_slow')
    signal?.addEventListener('abort', fail, { once: true })
    child.ref()
    child.channel?.ref()
    child.on('message', hear).on('exit', leave).on('error', fail)
    child.send({ bytes }, (error) => error && child.exitCode === null && fail())
  })
}
/** Of what needs no decoding. */
function refusalOf(bytes: Uint8Array): Refusal | null {
  if (bytes.length === 0) return 'empty'
  if (bytes.length > LIMITS.bytes) return 'too_large'
  if (formatOf(bytes) !== null) return null
  return looksLikeSvg(bytes) ? 'svg' : 'not_a_picture'
}

function pictureOf({ width, height, full, thumbnails }: DecodedPicture): DecodedPicture {
  return { width, height, full, thumbnails }
}

function tooMany(): AppError {
  return unavailable('many pictures are being read right now; try again in a minute', 60)
}

function interrupted(): AppError {
  return unavailable('reading the picture was interrupted; try again', 5)
}
