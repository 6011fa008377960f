/**
 * From records to a file, or to standard output. The file is written beside under another name, brought to the disk and
 * then renamed: under its name there is a whole backup or nothing, whatever happens in between. Only its owner may read
 * it, because it holds everything, the secret included.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { isAlive } from '../lib/is-alive.ts'
import { END_MARK, FIRST_LINE, HASH } from './format.ts'

export const STDOUT = '-'

export type Target = { file: string; force: boolean }

/** Before any work is done: whether there is a place for the file. */
export function refuseTaken({ file, force }: Target): void {
  if (file === STDOUT) {
    if (process.stdout.isTTY) throw new Error('a backup is binary: redirect it to a file or a pipe')
    return
  }
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new Error(`${file} is a folder: give the name of a file in it`)
  if (found && !force) throw new Error(takenText(file))
  if (!fs.existsSync(path.dirname(path.resolve(file))))
    throw new Error(`the folder ${path.dirname(path.resolve(file))} does not exist: create it first`)
}

/** Returns the size in bytes. */
export async function writeBackupFile(records: AsyncIterable<Buffer>, target: Target): Promise<number> {
  const { file, force } = target
  if (file === STDOUT)
    return writeTo(records, process.stdout, { end: false }).catch((error) => {
      throw explained(error, 'standard output')
    })
  const folder = path.dirname(path.resolve(file))
  removeAbandoned(file)
  const partial = `${file}.partial-${process.pid}`
  const stream = fs.createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()))
  try {
    const size = await writeTo(records, stream)
    if (force) fs.renameSync(partial, file)
    else takeName(partial, file)
    syncFolder(folder)
    return size
  } catch (error) {
    stream.destroy()
    // The file may be made only now, behind what failed.
    await closed
    fs.rmSync(partial, { force: true })
    throw explained(error, folder)
  }
}

async function writeTo(
  records: AsyncIterable<Buffer>,
  out: Writable,
  options: { end?: boolean } = {},
): Promise<number> {
  let size = 0
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  async function* sealed(compressed: AsyncIterable<Buffer>) {
    const hash = createHash(HASH)
    const counted = (bytes: Buffer) => {
      size += bytes.length
      return bytes
    }
    const hashed = (bytes: Buffer) => {
      hash.update(bytes)
      return counted(bytes)
    }
    yield hashed(FIRST_LINE)
    for await (const bytes of compressed) yield hashed(bytes)
    yield hashed(END_MARK)
    yield counted(hash.digest())
  }
  await pipeline(Readable.from(records), compress, sealed, out, options)
  return size
}

/** Fails when somebody has taken the name meanwhile, where the file system can tell. */
function takeName(partial: string, file: string): void {
  try {
    fs.linkSync(partial, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Error(takenText(file))
    // A file system without second names.
    if (fs.existsSync(file)) throw new Error(takenText(file))
    fs.renameSync(partial, file)
    return
  }
  fs.rmSync(partial)
}

/** What a command that was killed has left; one that still writes keeps its own. */
function removeAbandoned(file: string): void {
  const folder = path.dirname(path.resolve(file))
  const prefix = `${path.basename(file)}.partial-`
  for (const name of fs.readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (/^\d+$/.test(pid) && !isAlive(Number(pid))) fs.rmSync(path.join(folder, name), { force: true })
  }
}

export function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } catch {
    // Some file systems cannot; the rename itself is done.
  } finally {
    fs.closeSync(handle)
  }
}

function takenText(file: string): string {
  return `${file} already exists: choose another name, or replace it with --force`
}

const REFUSALS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than allowed there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'permission denied',
  EPIPE: 'the reader closed the pipe',
}

function explained(error: unknown, where: string): unknown {
  const why = REFUSALS[(error as NodeJS.ErrnoException).code ?? '']
  return why ? new Error(`cannot write the backup to ${where}: ${why}`, { cause: error }) : error
}
