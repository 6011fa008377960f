/**
 * The files of our pictures, in `pictures/` of the data folder. A file is named by a hash of its bytes and its other
 * sizes', so it never changes, and the same picture from two shops is one. Files and rows are written and deleted
 * under one lock a name, files first: a crash leaves a file without a row, or a row that nothing uses, and the sweep
 * finds both.
 */
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Db } from '../db/database.ts'
import type { DecodedPicture } from './decoder.limits.ts'
import { pictureName, readPictureName } from './picture.address.ts'
import {
  deletePicture,
  findUploads,
  hasPicture,
  insertPicture,
  insertUploads,
  lockPicture,
} from './pictures.queries.ts'

export type StoreContext = { db: Db; folder: string }

type Sizes = ReadonlyArray<{ width?: number; bytes: Uint8Array }>

const HASH_LENGTH = 40
/** A file being written is renamed within seconds. */
const ABANDONED_MS = 3_600_000

export const PREFIXES = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

export function picturesFolder({ dataDir }: { dataDir: string }): string {
  return path.join(dataDir, 'pictures')
}

/** `use` says in the same transaction what the picture is for. `keepBytes` is for one that cannot be fetched again. */
export async function storePicture(
  { db, folder }: StoreContext,
  { full, thumbnails, width, height }: DecodedPicture,
  { at, use, keepBytes = false }: { at: Date; use(tx: Db, hash: string): Promise<void>; keepBytes?: boolean },
): Promise<string> {
  const sizes: Sizes = [{ bytes: full }, ...thumbnails]
  const digest = createHash('sha256')
  for (const { bytes } of sizes) digest.update(bytes)
  const hash = digest.digest('hex').slice(0, HASH_LENGTH)
  await db.transaction().execute(async (tx) => {
    await lockPicture(tx, hash)
    await writeFiles(folder, hash, sizes)
    const sizeBytes = sizes.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const widths = thumbnails.map((thumbnail) => thumbnail.width)
    await insertPicture(tx, { hash, width, height, widths, sizeBytes, at })
    if (keepBytes) {
      const kept = sizes.map((size) => ({ hash, width: size.width ?? 0, bytes: Buffer.from(size.bytes) }))
      await insertUploads(tx, kept)
    }
    await use(tx, hash)
  })
  return hash
}

/** Null when this node does not have the file. */
export async function readPicture(folder: string, hash: string, width?: number): Promise<Buffer | null> {
  try {
    return await fs.readFile(pathOf(folder, hash, width))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes the files of an uploaded picture again. False when its bytes are not kept. */
export async function restoreUpload({ db, folder }: StoreContext, hash: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockPicture(tx, hash)
    const kept = await findUploads(tx, hash)
    if (kept.length === 0) return false
    await writeFiles(
      folder,
      hash,
      kept.map(({ width, bytes }) => (width === 0 ? { bytes } : { width, bytes })),
    )
    return true
  })
}

/** Deletes a picture that nothing uses, files first. */
export async function removePicture({ db, folder }: StoreContext, hash: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockPicture(tx, hash)
    if (!(await deletePicture(tx, hash))) return false
    await deleteFiles(folder, hash)
    return true
  })
}

/** Deletes files that no row knows: those of a crash between the two. */
export async function removeOrphan({ db, folder }: StoreContext, hash: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockPicture(tx, hash)
    if (await hasPicture(tx, hash)) return false
    await deleteFiles(folder, hash)
    return true
  })
}

/** The names that are here below a prefix. Takes away what was being written when a node died. */
export async function listFiles(folder: string, prefix: string, now: number): Promise<Set<string>> {
  const dir = path.join(folder, prefix)
  const names = new Set<string>()
  for (const name of await fs.readdir(dir).catch(() => [])) {
    if (readPictureName(name)) names.add(name)
    else if (name.endsWith('.tmp')) {
      const file = path.join(dir, name)
      const { mtimeMs } = await fs.stat(file).catch(() => ({ mtimeMs: now }))
      if (now - mtimeMs > ABANDONED_MS) await fs.rm(file, { force: true })
    }
  }
  return names
}

async function writeFiles(folder: string, hash: string, sizes: Sizes): Promise<void> {
  await fs.mkdir(dirOf(folder, hash), { recursive: true })
  for (const { width, bytes } of sizes) {
    const file = pathOf(folder, hash, width)
    const there = await fs.stat(file).catch(() => null)
    if (there?.size !== bytes.length) await writeWhole(file, bytes)
  }
}

/** Under its name there is all of it or nothing, whatever happens meanwhile. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const draft = path.join(path.dirname(file), `${randomUUID()}.tmp`)
  try {
    const handle = await fs.open(draft, 'wx', 0o644)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(draft, file)
  } catch (error) {
    await fs.rm(draft, { force: true })
    throw error
  }
}

async function deleteFiles(folder: string, hash: string): Promise<void> {
  const dir = dirOf(folder, hash)
  for (const name of await fs.readdir(dir).catch(() => []))
    if (readPictureName(name)?.hash === hash) await fs.rm(path.join(dir, name), { force: true })
}

function dirOf(folder: string, hash: string): string {
  return path.join(folder, hash.slice(0, 2))
}

function pathOf(folder: string, hash: string, width?: number): string {
  return path.join(dirOf(folder, hash), pictureName(hash, width))
}
