/**
 * The index on disk: parts that never change, each a file, and a manifest that names them all. Only the manifest is
 * replaced, by renaming, once everything it names is on the disk; so whatever moment a node ends at, the folder holds the
 * old index or the new one. Files are never a reason not to start: what is missing, damaged, made by other code or of
 * another history of the database is left alone, and the index is filled from the database.
 * A folder may be shared by nodes: one of them writes at a time, and not when another has just done so.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import type { Db } from '../../db/database.ts'
import { createBreather } from '../../lib/breathe.ts'
import { isAlive } from '../../lib/is-alive.ts'
import type { Log } from '../../lib/log.ts'
import { type CatalogIndex, createCatalogIndex, type SavedIndex } from '../catalog-index.ts'
import { codeMark } from './code-mark.ts'
import { hasMark, placeMark, removeMarks } from './index-marks.queries.ts'
import { checkPart, Damaged, type FileMark, leavePart, readPart, writePart } from './part-files.ts'
import { copyOf, type LeavingPart, newKey, type Part, type Saved } from './saved.ts'

type Manifest = {
  code: string
  model: string
  dims: number
  /** The row of index_marks. */
  mark: string
  /** In `changes`: what has come since is not in the files, or may not be. */
  position: string
  products: number
  head: FileMark
  parts: Record<string, FileMark>
}

/** From so many slots on, what searching only reads for candidates is not kept in memory. */
const LEAVE_FROM = 50_000

export type Opened = { index: CatalogIndex; position: string }

export type IndexFiles = {
  /** Null when nothing that is there can be used; the log says why. */
  read(): Promise<Opened | null>
  /**
   * Writes what has changed since it was last written or read. `hold` keeps the index as it is until it is let go, and
   * says what position in `changes` it has come to. False when it is another node's turn, or when `isOver` says that
   * nobody waits for it any more.
   */
  write(index: CatalogIndex, hold: Hold, isOver: () => boolean): Promise<boolean>
  /** Of a large index, what need not be in memory goes to files of its own, as soon as it is full. */
  lighten(index: CatalogIndex): Promise<void>
  /** Reads through the files that were left for reading when the index was; throws at the first damaged one. */
  lookThrough(isOver: () => boolean): Promise<void>
}

export type Hold = () => Promise<{ position: string; letGo: () => void }>

const MANIFEST = 'manifest'
const LOCK = 'writing'
/** A node that writes says so this often; one that has not for longer is gone. */
const ALIVE_MS = 5_000
const GONE_MS = 60_000
/** So long after another node wrote here, what it wrote is as good as what we would. */
const FRESH_MS = 30 * 60_000

export function createIndexFiles(
  { db, log }: { db: Db; log: Log },
  {
    folder,
    model,
    leaveFrom = LEAVE_FROM,
  }: { folder: string; model: { id: string; dims: number }; leaveFrom?: number },
): IndexFiles {
  /** What this process knows to be on the disk. */
  let known: Manifest | null = null
  /** The files that parts of an index in memory were left in. */
  const left = new Map<string, FileMark>()
  const unseen: FileMark[] = []
  let lightening: Promise<void> = Promise.resolve()
  const inFolder = (name: string) => path.join(folder, name)

  async function read(): Promise<Opened | null> {
    const started = performance.now()
    try {
      const manifest = await readManifest(inFolder(MANIFEST))
      if (!manifest) return null
      await requireOurs(manifest)
      const index = createCatalogIndex(model.dims, (await readFileOf(manifest.head)) as SavedIndex)
      const leaving = new Map(
        index.slots < leaveFrom ? [] : index.fullParts().map((part) => [part.key, part]),
      )
      for (const part of index.parts()) {
        const mark = manifest.parts[part.key]
        if (!mark) throw new Damaged(`${MANIFEST} does not name all parts`)
        const only = leaving.get(part.key)
        if (only) await leave(only, mark)
        else part.load(await readFileOf(mark))
      }
      unseen.push(...left.values())
      if (index.size !== manifest.products) throw new Damaged('it holds another number of products')
      known = manifest
      const ms = Math.round(performance.now() - started)
      log.info({ products: index.size, ms }, 'search index read from files')
      return { index, position: manifest.position }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      log.warn({ folder, why }, 'the search index in files cannot be used: filling it from the database')
      return null
    }
  }

  async function requireOurs(manifest: Manifest): Promise<void> {
    if (manifest.model !== model.id || manifest.dims !== model.dims)
      throw new Damaged('it was made with another model')
    if (manifest.code !== codeMark()) throw new Damaged('it was made by another version')
    if (!(await hasMark(db, manifest.mark)))
      throw new Damaged('it belongs to another database or to another history of this one')
  }

  async function readFileOf({ file, bytes, crc }: FileMark): Promise<Saved> {
    try {
      return await readPart(inFolder(file), { bytes, crc })
    } catch (error) {
      throw new Damaged(`${file}: ${(error as Error).message}`)
    }
  }

  async function leave(part: LeavingPart, mark: FileMark): Promise<void> {
    try {
      part.leave(await leavePart(inFolder(mark.file), { bytes: mark.bytes, length: part.length }))
    } catch (error) {
      throw new Damaged(`${mark.file}: ${(error as Error).message}`)
    }
    left.set(part.key, mark)
  }

  async function leaveAll(index: CatalogIndex): Promise<void> {
    for (const part of index.fullParts())
      await leave(part, (await onDisk(part.key)) ?? (await writeFileOf(part.save())))
  }

  async function lighten(index: CatalogIndex): Promise<void> {
    if (index.slots < leaveFrom || index.fullParts().length === 0) return
    lightening = lightening
      .catch(() => {})
      .then(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await leaveAll(index)
      })
    await lightening
  }

  async function lookThrough(isOver: () => boolean): Promise<void> {
    for (const mark of unseen.splice(0)) {
      if (isOver()) return
      await checkPart(inFolder(mark.file), mark)
    }
  }

  async function write(index: CatalogIndex, hold: Hold, isOver: () => boolean): Promise<boolean> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = await takeLock(inFolder(LOCK))
    if (!lock) return false
    try {
      if (await isOthersTurn()) return false
      const started = performance.now()
      const { position, head, parts } = await snapshot(index, hold)
      const mark = randomUUID()
      // Before the files: what they know of was committed by now.
      await placeMark(db, mark)
      const { products } = head
      const manifest: Manifest = {
        code: codeMark(),
        model: model.id,
        dims: model.dims,
        mark,
        position,
        products: products.size,
        head: await writeFileOf(head),
        parts: {},
      }
      for (const part of parts) {
        if (isOver()) return false
        manifest.parts[part.key] = (await onDisk(part.key)) ?? (await writeFileOf(part.save()))
      }
      for (const key of left.keys()) if (!manifest.parts[key]) left.delete(key)
      await writeManifest(manifest)
      const before = known
      known = manifest
      await removeMarks(db, before?.mark ?? null)
      const ms = Math.round(performance.now() - started)
      log.info({ products: products.size, ms }, 'search index written to files')
      return true
    } finally {
      await removeOthers().catch(() => {})
      await lock.release()
    }
  }

  async function snapshot(index: CatalogIndex, hold: Hold) {
    const { position, letGo } = await hold()
    try {
      const saved = index.save()
      if (saved === null) throw new Error('this index is kept elsewhere')
      const parts: Part[] = index.parts()
      return { position, parts, head: (await copyOf(saved, createBreather())) as SavedIndex }
    } finally {
      letGo()
    }
  }

  async function isOthersTurn(): Promise<boolean> {
    const there = await readManifest(inFolder(MANIFEST)).catch(() => null)
    if (!there || there.mark === known?.mark) return false
    const { mtimeMs } = await stat(inFolder(MANIFEST))
    if (Date.now() - mtimeMs > FRESH_MS) return false
    const isUsable = there.code === codeMark() && there.model === model.id && (await hasMark(db, there.mark))
    return isUsable
  }

  async function onDisk(key: string): Promise<FileMark | null> {
    const mark = known?.parts[key] ?? left.get(key)
    if (!mark) return null
    const found = await stat(inFolder(mark.file)).catch(() => null)
    return found?.size === mark.bytes ? mark : null
  }

  async function writeFileOf(tree: Saved): Promise<FileMark> {
    const file = `${newKey()}.part`
    return { file, ...(await writePart(inFolder(file), tree)) }
  }

  async function writeManifest(manifest: Manifest): Promise<void> {
    const next = inFolder(`${newKey()}.next`)
    const text = JSON.stringify(manifest)
    const handle = await open(next, 'wx', 0o600)
    try {
      await handle.writeFile(`${crc32(text)}\n${text}`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await syncFolder(folder)
    await rename(next, inFolder(MANIFEST))
    await syncFolder(folder)
  }

  /** What the manifest does not name: older parts, and what a writer that failed or ended early has left. */
  async function removeOthers(): Promise<void> {
    const there = await readManifest(inFolder(MANIFEST)).catch(() => null)
    const marks = [...(there ? [there.head, ...Object.values(there.parts)] : []), ...left.values()]
    const named = new Set(marks.map(({ file }) => file))
    for (const name of await readdir(folder))
      if (/\.(?:part|next)$/.test(name) && !named.has(name)) await rm(inFolder(name), { force: true })
  }

  return { read, write, lighten, lookThrough }
}

async function readManifest(file: string): Promise<Manifest | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const end = text.indexOf('\n')
  const body = text.slice(end + 1)
  if (end < 0 || text.slice(0, end) !== String(crc32(body)))
    throw new Damaged(`${MANIFEST}: its checksum is another`)
  return JSON.parse(body) as Manifest
}

/** So that names are there after a loss of power. Not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

async function isHeld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null)
  if (!found || Date.now() - found.mtimeMs > GONE_MS) return false
  const [pid, host] = (await readFile(file, 'utf8').catch(() => '')).split(' ')
  return host !== os.hostname() || isAlive(Number(pid))
}

async function takeLock(file: string): Promise<{ release(): Promise<void> } | null> {
  const take = () => open(file, 'wx', 0o600).catch(() => null)
  let handle = await take()
  if (!handle) {
    if (await isHeld(file)) return null
    await rm(file, { force: true })
    handle = await take()
  }
  if (!handle) return null
  try {
    await handle.writeFile(`${process.pid} ${os.hostname()}`)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  const alive = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch(() => {})
  }, ALIVE_MS)
  alive.unref()
  return {
    async release() {
      clearInterval(alive)
      await rm(file, { force: true })
    },
  }
}
