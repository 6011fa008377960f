/**
 * Reads a form that brings a file: `multipart/form-data`, streamed to a file of ours that nobody else can open and that is
 * gone with its last reader, so that a large upload takes no memory and a crash leaves nothing behind. Fields come as in
 * every other form, each once; the name of the file is the browser's word, a hint and nothing more.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import type { Context } from 'hono'
import { AppError, invalid, unavailable } from '../lib/errors.ts'
import { contentTypeOf, type Form, readForm } from './form.ts'

export type Upload = {
  field: string
  maxBytes: number
  /** For the other fields together, and each of them. */
  roomForFields?: number
  /** How long nothing may move once the whole body is here. */
  stillMs?: number
  /** Where its bytes go as they come, for what is to be kept; a file of ours without it. */
  store?: (fileName: string) => Promise<UploadStore>
}

/** Takes the pieces of one file in their order. */
type UploadStore = {
  id: string
  write(piece: Buffer): Promise<void>
  /** All of it is here. */
  end(): Promise<void>
  pieces(): AsyncIterable<Uint8Array>
  /** Nobody keeps it: nothing of it stays. */
  discard(): Promise<void>
}

export type UploadedFile = {
  name: string
  size: number
  /** What its store calls it; null for a file of ours. */
  storedAs: string | null
  /** In order, from the first byte on, each time it is asked. */
  pieces(): AsyncIterable<Uint8Array>
  /** All of it at once, for what is known to be small. */
  bytes(): Promise<Buffer>
  /** For work that goes on after the form is answered: its keeper closes it. */
  keep(): void
  isKept(): boolean
  close(): Promise<void>
}

const UPLOAD_TYPE = 'multipart/form-data'
/** Beside the file: the other fields, and what stands between the parts. */
const ROOM_FOR_FIELDS = 64 * 1024
const MOST_FIELDS = 300
/** All that is left then is to write what is here to a file of ours. */
const STILL_MS = 5_000

/** A form that nobody is signed in for brings nothing that is worth more. */
const MOST_READ_PAST = 16 * 1024 * 1024
const READ_PAST_MS = 30_000

export function isUploadType(c: Context): boolean {
  return contentTypeOf(c) === UPLOAD_TYPE
}

type Incoming = { form: Form; file: UploadedFile | null } | { refusal: AppError }

/** A form with or without a file; of one with a file, a refusal is about the file, and is shown where it is chosen. */
export async function readIncoming(c: Context, upload: Upload | undefined): Promise<Incoming> {
  if (!upload) return { form: await readForm(c), file: null }
  try {
    return await readUpload(c, upload)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { kind, message, code, max, retryAfterSeconds, cause } = error
    const field = error.field ?? upload.field
    const details = { field, retryAfterSeconds, cause, ...(code && { code }), ...(max && { max }) }
    return { refusal: new AppError(kind, message, details) }
  }
}

/** When the form is answered: nobody reads it any more, unless somebody keeps it. */
export async function letGo(file: UploadedFile | null): Promise<void> {
  if (file && !file.isKept()) await file.close()
}

/** `file` is null when none was chosen. */
async function readUpload(
  c: Context,
  { field, maxBytes, roomForFields = ROOM_FOR_FIELDS, stillMs = STILL_MS, store = openNameless }: Upload,
): Promise<{ form: Form; file: UploadedFile | null }> {
  const contentType = c.req.header('content-type') ?? ''
  if (!isUploadType(c)) throw new AppError('invalid', `the body must be a form with a file (${UPLOAD_TYPE})`)
  if (Number(c.req.header('content-length') ?? 0) > mostRead(maxBytes, roomForFields))
    throw tooLarge(field, maxBytes)
  const form: Form = {}
  const streams: BusboyFileStream[] = []
  const files: Array<Promise<UploadedFile>> = []
  let refusal: AppError | null = null
  let still: NodeJS.Timeout | undefined
  // The parser waits for ever for the end of a part whose head has none, although nothing more can come.
  const stuck = new AbortController()
  const refuse = (error: AppError) => {
    refusal ??= error
  }
  const parser = openParser(contentType, maxBytes, roomForFields)
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (Object.hasOwn(form, name)) refuse(twice(name))
    if (nameCut || valueCut) refuse(new AppError('too_large', `${name}: is too long`, { field: name }))
    form[name] = value
  })
  parser.on('file', (name, stream, fileName = '') => {
    // Of a stream that is cut off, the parser hears too; an error that nobody listens for would end the process.
    stream.on('error', () => {})
    if (name === field && files.length > 0) refuse(twice(name))
    if (name !== field || files.length > 0) {
      stream.resume()
      return
    }
    stream.once('limit', () => refuse(tooLarge(field, maxBytes)))
    streams.push(stream)
    const failed = (error: unknown) => {
      // The file as it is here is not what was sent.
      refuse(noRoom(error))
      stuck.abort()
    }
    files.push(spool(stream, fileName, { store, moved: () => still?.refresh(), failed }))
  })
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(new AppError('too_large', 'the form has too many parts')))
  const body = (c.req.raw.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>
  const most = atMost(mostRead(maxBytes, roomForFields), () => tooLarge(field, maxBytes))
  const last = () => {
    still = setTimeout(() => stuck.abort(), stillMs)
  }
  const broken = await pipeline(Readable.fromWeb(body), most, thenCall(last), parser, {
    signal: stuck.signal,
  }).then(
    () => null,
    (error: unknown) => asRefusal(error),
  )
  clearTimeout(still)
  // The end of what was cut off would be waited for in vain.
  if (broken) for (const stream of streams) stream.destroy()
  const [file = null] = await Promise.all(files)
  const problem = refusal ?? broken
  const chosen = file !== null && file.size > 0
  if (problem || !chosen) await file?.close()
  if (problem) throw problem
  return { form, file: chosen ? file : null }
}

/**
 * The fields of a form whose files are of no use now: they are read past, and `files` names the fields that brought one.
 * Null for a form that is too large to read for that.
 */
export async function readPastFiles(
  c: Context,
): Promise<{ fields: Array<[string, string]>; files: string[] } | null> {
  if (Number(c.req.header('content-length') ?? Number.POSITIVE_INFINITY) > MOST_READ_PAST) return null
  const fields: Array<[string, string]> = []
  const files: string[] = []
  let cut = false
  const parser = openParser(c.req.header('content-type') ?? '', MOST_READ_PAST, ROOM_FOR_FIELDS)
  parser.on('field', (name, value, nameCut, valueCut) => {
    cut ||= nameCut || valueCut
    fields.push([name, value])
  })
  parser.on('file', (name, stream, fileName) => {
    stream.on('error', () => {})
    stream.resume()
    if (fileName) files.push(name)
  })
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(limit, () => {
      cut = true
    })
  const body = (c.req.raw.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>
  // A part whose head has no end would be waited for without one.
  await pipeline(Readable.fromWeb(body), parser, { signal: AbortSignal.timeout(READ_PAST_MS) })
  return cut ? null : { fields, files }
}

/**
 * A file that is too large is read on for a while, so that the browser hears why it was refused: one whose body is not
 * taken says that the line was cut.
 */
function mostRead(maxBytes: number, roomForFields: number): number {
  return 2 * maxBytes + roomForFields
}

function atMost(max: number, error: () => AppError) {
  return async function* (pieces: AsyncIterable<Uint8Array>) {
    let size = 0
    for await (const piece of pieces) {
      size += piece.length
      if (size > max) throw error()
      yield piece
    }
  }
}

function thenCall(last: () => void) {
  return async function* (pieces: AsyncIterable<Uint8Array>) {
    yield* pieces
    last()
  }
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('invalid', 'the upload is incomplete; upload the file again', { cause: error })
}

function openParser(contentType: string, maxBytes: number, fieldSize: number) {
  try {
    // The parser takes an empty one, and waits for it for ever.
    if (!/boundary=(?:"[^"]|[^";\s])/i.test(contentType)) throw new Error('the boundary is empty')
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fileSize: maxBytes, files: 2, fields: MOST_FIELDS, fieldSize },
    })
  } catch (error) {
    throw new AppError('invalid', 'the upload has no boundary; upload the file on the page', { cause: error })
  }
}

async function spool(
  stream: BusboyFileStream,
  name: string,
  how: { store(name: string): Promise<UploadStore>; moved(): void; failed(error: unknown): void },
): Promise<UploadedFile> {
  let size = 0
  let stored: UploadStore | null = null
  const stores = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      how.failed(error)
      throw error
    }
  }
  try {
    const opened = await stores(() => how.store(name))
    stored = opened
    for await (const piece of stream as AsyncIterable<Buffer>) {
      await stores(() => opened.write(piece))
      size += piece.length
      how.moved()
    }
    await stores(() => opened.end())
  } catch {
    // Cut off: the form as a whole is refused for it.
  }
  const file = stored
  let kept = false
  const pieces = () => file?.pieces() ?? Readable.from([])
  return {
    name,
    size,
    storedAs: file?.id || null,
    pieces,
    async bytes() {
      const all: Uint8Array[] = []
      for await (const piece of pieces()) all.push(piece)
      return Buffer.concat(all)
    },
    keep: () => {
      kept = true
    },
    isKept: () => kept,
    close: async () => file?.discard(),
  }
}

/** A file without a name: the system takes it away when it is closed, however that comes about. */
async function openNameless(): Promise<UploadStore> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'souk-upload-'))
  let handle: FileHandle
  try {
    handle = await open(path.join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return {
    id: '',
    write: (piece) => handle.appendFile(piece),
    end: async () => {},
    pieces: () => handle.createReadStream({ start: 0, autoClose: false }),
    discard: () => handle.close(),
  }
}

function noRoom(cause: unknown): AppError {
  const isFull = /^(ENOSPC|EDQUOT)$/.test((cause as NodeJS.ErrnoException).code ?? '')
  const why = isFull ? "the server's disk is full" : 'the server could not store it'
  return unavailable(`the upload failed: ${why}; try again later`, 60, cause)
}

function tooLarge(field: string, maxBytes: number): AppError {
  return new AppError('too_large', `the file is larger than ${Math.floor(maxBytes / 1024 ** 2)} MB`, {
    code: 'body_too_large',
    field,
    max: maxBytes,
  })
}

function twice(name: string): AppError {
  return invalid(name, `${name}: can be given only once`)
}
