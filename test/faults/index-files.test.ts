/**
 * Files never change what is found: an index that was read from them answers as one that was filled from the database, and
 * whatever is wrong with them, it is filled from there. SOUK_DAMAGE_ROUNDS=200 damages and SOUK_KILL_ROUNDS=50 kills more.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createChangeFollower } from '../../src/catalog/changes.follower.ts'
import { currentPosition } from '../../src/catalog/changes.queries.ts'
import { projectFile } from '../../src/lib/paths.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import { createIndexKeeper, type IndexKeeper } from '../../src/search/index-keeper.ts'
import { findUnlike } from '../../src/search/stored/audit.queries.ts'
import { findChangedSince } from '../../src/search/stored/index-marks.queries.ts'
import { createTestDatabase, type TestDatabase } from '../harness.ts'
import {
  answersOf,
  createIndexWorld,
  createRandom,
  folderFor,
  MODEL,
  randomVector,
} from '../stored-index.world.ts'

const DAMAGE_ROUNDS = Number(process.env.SOUK_DAMAGE_ROUNDS ?? 8)
const KILL_ROUNDS = Number(process.env.SOUK_KILL_ROUNDS ?? 2)
const PRODUCTS = 60
/** Enough for what is read while searching to fill files of its own. */
const LARGE = Array.from({ length: 2_100 }, (_, n) => PRODUCTS + 1 + n)
const LARGE_ROUNDS = Math.ceil(DAMAGE_ROUNDS / 4)

let database: TestDatabase
let world: ReturnType<typeof createIndexWorld>
let folder: string
let nodes: Array<{ stop(): Promise<void> }> = []

type Node = { keeper: IndexKeeper; catchUp(): Promise<void> }

/**
 * Until no transaction of other files is older than the last change. Files written before that are followed by changes that
 * they have already, which are applied anew: the same products, but with scores that count the rows they replace.
 */
async function untilSettled(): Promise<void> {
  const { db } = database
  await vi.waitFor(
    async () => expect(await findChangedSince(db, await currentPosition(db), 10)).toEqual([]),
    {
      timeout: 60_000,
    },
  )
}

/** A node as it starts: it takes its position, then fills its index. */
async function startNode(
  options: { model?: typeof MODEL; spareSlots?: number; in?: string; leaveFrom?: number } = {},
): Promise<Node> {
  const { model = MODEL, spareSlots, leaveFrom } = options
  await untilSettled()
  const stored = { folder: options.in ?? folder, catchUp: () => follower.catchUp(), leaveFrom }
  const keeper = createIndexKeeper(world.ctx, model, spareSlots, undefined, null, stored)
  const follower = createChangeFollower({ ...world.ctx, apply: keeper.apply, pollMs: 60_000 })
  await follower.start()
  await keeper.fill()
  await keeper.settled()
  nodes.push({
    async stop() {
      follower.stop()
      await keeper.stop()
    },
  })
  return { keeper, catchUp: follower.catchUp }
}

function indexOf({ keeper }: Node): CatalogIndex {
  const index = keeper.current()
  if (!index) throw new Error('the index is not there')
  return index
}

async function filledFromDatabase(): Promise<CatalogIndex> {
  const keeper = createIndexKeeper(world.ctx, MODEL)
  await keeper.fill()
  return keeper.current() as CatalogIndex
}

/** Said since the last call. */
const heard = new WeakMap<object, number>()
function said(): string[] {
  const before = heard.get(world) ?? 0
  const lines = world.log.lines().slice(before)
  heard.set(world, before + lines.length)
  return lines
    .map(({ msg, why }) => [msg, why].filter(Boolean).join(' — '))
    .filter((line) => line.includes('search index'))
}

const READ = 'search index read from files'
const LOADED = 'search index loaded'
const refused = (why: string) =>
  `the search index in files cannot be used: filling it from the database — ${why}`

beforeAll(async () => {
  database = await createTestDatabase()
  world = createIndexWorld(database)
  await world.begin(PRODUCTS)
})
beforeEach(() => {
  folder = folderFor('index')
  said()
})
afterEach(async () => {
  for (const node of nodes) await node.stop()
  nodes = []
})

test('a second start reads the files, and finds what a fill from the database finds, with the same scores', async () => {
  const first = await startNode()
  expect(await first.keeper.write()).toBe(true)
  expect(said()).toEqual([LOADED, 'search index written to files'])
  const second = await startNode()
  expect(said()).toEqual([READ])
  expect(await answersOf(indexOf(second))).toBe(await answersOf(await filledFromDatabase()))
  expect(await second.keeper.write()).toBe(false)
  expect(await findUnlike(database.db, MODEL.id, indexOf(second), () => false)).toEqual([])
})

test('what has changed since the files were written is there at once, and what changes then as well', async () => {
  const first = await startNode()
  await first.keeper.write()
  await world.put([1, 2, PRODUCTS])
  await world.remove([3])
  await first.catchUp()
  const second = await startNode()
  await world.put([4])
  await Promise.all([first, second].map(({ catchUp }) => catchUp()))
  expect(said()).toContain(READ)
  expect(indexOf(second).findBySlug('product-3')).toBeUndefined()
  expect(await answersOf(indexOf(second))).toBe(await answersOf(indexOf(first)))
})

test('written again, only what is new is written', async () => {
  const first = await startNode()
  await first.keeper.write()
  const before = fs.readdirSync(folder)
  await world.put([5])
  await first.catchUp()
  await untilSettled()
  await first.keeper.write()
  const after = fs.readdirSync(folder)
  expect(after.filter((name) => !before.includes(name)).length).toBeGreaterThan(0)
  expect(after).toHaveLength(before.length)
  expect(await answersOf(indexOf(await startNode()))).toBe(await answersOf(indexOf(first)))
})

test('what was changed by hand, past the log of changes, is found out after the start', async () => {
  const first = await startNode()
  await first.keeper.write()
  await database.pool.query(
    `update products set title = 'Unlogged teapot', updated_at = now() where slug = 'product-6'`,
  )
  await database.pool.query(`delete from products where slug = 'product-7'`)
  const second = await startNode()
  const teapot = () => indexOf(second).at(indexOf(second).findBySlug('product-6') ?? -1)?.title
  expect([teapot(), indexOf(second).findBySlug('product-7')]).toEqual(['Unlogged teapot', undefined])
  expect(said().slice(-2)).toEqual([READ, 'the search index lacked changes that nobody had logged'])
})

test('a folder that another model, another version or another database has written to is not read', async () => {
  const first = await startNode()
  await first.keeper.write()
  said()
  await startNode({ model: { id: 'random-2/16', dims: 16 } })
  expect(said()).toEqual([refused('it was made with another model'), LOADED])

  const other = await createTestDatabase()
  const here = world
  world = createIndexWorld(other, 2)
  await world.begin(5)
  const elsewhere = await startNode()
  const lines = said()
  world = here
  expect(indexOf(elsewhere).size).toBe(5)
  expect(lines).toEqual([refused('it belongs to another database or to another history of this one'), LOADED])

  const manifest = path.join(folder, 'manifest')
  const [, body = ''] = fs.readFileSync(manifest, 'utf8').split('\n')
  const { crc32 } = await import('node:zlib')
  const changed = JSON.stringify({ ...JSON.parse(body), code: 'of before' })
  fs.writeFileSync(manifest, `${crc32(changed)}\n${changed}`)
  said()
  await startNode()
  expect(said()).toEqual([refused('it was made by another version'), LOADED])
})

test('a database that was restored, even with the row that marks the files, does not get its index from them', async () => {
  const first = await startNode()
  await first.keeper.write()
  await database.pool.query('create table marks_kept as select * from index_marks')
  await database.pool.query('delete from index_marks')
  await startNode()
  await database.pool.query('insert into index_marks select * from marks_kept')
  await database.pool.query('drop table marks_kept')
  await startNode()
  const why = refused('it belongs to another database or to another history of this one')
  expect(said().filter((line) => line === why)).toHaveLength(2)
})

test('nodes that share a folder take turns, and one that just wrote is not written over', async () => {
  const first = await startNode()
  await first.keeper.write()
  const second = await startNode()
  await world.put([8])
  await Promise.all([first, second].map(({ catchUp }) => catchUp()))
  await untilSettled()
  expect(await Promise.all([first.keeper.write(), second.keeper.write()])).toContain(true)
  const third = await startNode()
  expect(said().filter((line) => line === READ)).toHaveLength(2)
  expect(await answersOf(indexOf(third))).toBe(await answersOf(indexOf(first)))
})

test('a folder that cannot be written to costs nothing but the next start', async () => {
  fs.rmSync(folder, { recursive: true })
  fs.writeFileSync(folder, 'in the way')
  const node = await startNode()
  await expect(node.keeper.write()).rejects.toThrow(/EEXIST|ENOTDIR/)
  expect(indexOf(node).size).toBeGreaterThan(0)
})

test(`files damaged in ${DAMAGE_ROUNDS} random ways are never believed, and searching goes on`, {
  timeout: 600_000,
}, async () => {
  const first = await startNode()
  await first.keeper.write()
  const whole = await answersOf(await filledFromDatabase())
  const { random } = world
  for (let round = 0; round < DAMAGE_ROUNDS; round++) {
    const copy = path.join(folderFor('damaged'), 'index')
    fs.cpSync(folder, copy, { recursive: true })
    const how = damage(copy, random)
    said()
    const node = await startNode({ in: copy })
    const [line] = said()
    // Without a manifest there are no files.
    expect(line, how).toMatch(fs.existsSync(path.join(copy, 'manifest')) ? refused('') : LOADED)
    expect(await answersOf(indexOf(node)), how).toBe(whole)
    await nodes.pop()?.stop()
  }
})

test(`killed at ${KILL_ROUNDS} moments while it writes, the next start has all of the old or all of the new`, {
  timeout: 600_000,
}, async () => {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const child = spawn(
      process.execPath,
      [
        projectFile('test', 'stored-index.child.ts'),
        JSON.stringify({ url: database.url, folder, model: MODEL }),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), ended])
    await sleep(world.random() * 150)
    child.kill('SIGKILL')
    await ended
    said()
    const node = await startNode()
    expect(said()).toEqual([expect.stringMatching(`${READ}|${LOADED}`)])
    // Products that were put again have new slots: the same products, as near, and as they are.
    const fresh = await filledFromDatabase()
    expect(await nearestOf(indexOf(node))).toEqual(await nearestOf(fresh))
    await nodes.pop()?.stop()
  }
})

test('what a large index leaves in its files is read from there, and found as before', {
  timeout: 120_000,
}, async () => {
  await world.put(LARGE)
  const first = await startNode({ leaveFrom: 1 })
  expect(fs.readdirSync(folder)).toHaveLength(2)
  await first.keeper.write()
  await world.put(LARGE.slice(0, 30))
  await world.remove([LARGE[40] ?? 0])
  await first.catchUp()
  await untilSettled()
  await first.keeper.write()
  said()
  const second = await startNode({ leaveFrom: 1 })
  expect(said()).toEqual([READ])
  expect(indexOf(second).bytes()).toBeLessThan((await filledFromDatabase()).bytes() * 0.9)
  expect(await answersOf(indexOf(second))).toBe(await answersOf(indexOf(first)))
  // Another node has put its own there, and ours go on being read.
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name))
  expect(await answersOf(indexOf(second))).toBe(await answersOf(indexOf(first)))
  await world.put([LARGE[50] ?? 0])
  await Promise.all([first, second].map(({ catchUp }) => catchUp()))
  await untilSettled()
  expect(await second.keeper.write()).toBe(true)
  expect(await answersOf(indexOf(await startNode({ leaveFrom: 1 })))).toBe(await answersOf(indexOf(second)))
})

test(`files that are read while searching, damaged in ${LARGE_ROUNDS} random ways, are never believed`, {
  timeout: 900_000,
}, async () => {
  if ((await filledFromDatabase()).size < LARGE.length) await world.put(LARGE)
  const first = await startNode({ leaveFrom: 1 })
  await first.keeper.write()
  const whole = await nearestOf(await filledFromDatabase())
  const { random } = world
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    const copy = path.join(folderFor('damaged'), 'index')
    fs.cpSync(folder, copy, { recursive: true })
    const node = await startNode({ in: copy, leaveFrom: 1 })
    const how = damage(copy, random)
    // Reading all of it notices what the start did not.
    await answersOf(indexOf(node))
    await nearestOf(indexOf(node))
    await node.keeper.settled()
    expect(await nearestOf(indexOf(node)), how).toEqual(whole)
    expect(await nearestOf(indexOf(await startNode({ in: copy, leaveFrom: 1 }))), how).toEqual(whole)
    for (const started of nodes.splice(-2)) await started.stop()
    fs.rmSync(copy, { recursive: true })
  }
})

test('when nothing can be read from files any more, searches are answered and then whole again', {
  timeout: 120_000,
}, async () => {
  if ((await filledFromDatabase()).size < LARGE.length) await world.put(LARGE)
  const first = await startNode({ leaveFrom: 1 })
  await first.keeper.write()
  const copy = path.join(folderFor('unreadable'), 'index')
  fs.cpSync(folder, copy, { recursive: true })
  const node = await startNode({ in: copy, leaveFrom: 1 })
  await node.keeper.settled()
  const whole = await nearestOf(indexOf(node))
  const again = await startNode({ in: copy, leaveFrom: 1 })
  await again.keeper.settled()
  for (const name of fs.readdirSync(copy)) {
    const bytes = fs.readFileSync(path.join(copy, name))
    fs.writeFileSync(path.join(copy, name), bytes.fill(0xff))
  }
  const damaged = indexOf(again)
  await answersOf(damaged)
  await again.keeper.settled()
  expect(indexOf(again)).not.toBe(damaged)
  expect(await nearestOf(indexOf(again))).toEqual(whole)
})

/** Every product with its facts and how near it is, by id. */
async function nearestOf(index: CatalogIndex): Promise<unknown> {
  const vector = randomVector(createRandom(5))
  const { slots, scores } = await index.meaning.nearest('full', vector, index.slots)
  const told = Array.from(slots, (slot, at) => {
    const { titleWords: _, measures: __, ...facts } = index.at(slot) ?? { titleWords: [], measures: [] }
    return { score: scores[at], ...facts }
  })
  return told.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** One byte changed, a piece changed, cut short, made longer, emptied, exchanged with another, or gone. */
function damage(copy: string, random: () => number): string {
  const names = fs.readdirSync(copy)
  const pick = () => path.join(copy, names[Math.floor(random() * names.length)] ?? '')
  const file = pick()
  const bytes = fs.readFileSync(file)
  const at = Math.floor(random() * bytes.length)
  const kind = Math.floor(random() * 6)
  if (kind === 0) fs.truncateSync(file, at)
  else if (kind === 1) fs.rmSync(file)
  else if (kind === 2) fs.appendFileSync(file, randomUUID())
  else if (kind === 3) {
    const other = pick()
    const theirs = fs.readFileSync(other)
    if (theirs.equals(bytes)) return damage(copy, random)
    fs.writeFileSync(file, theirs)
  } else {
    const end = kind === 4 ? at + 1 : Math.min(bytes.length, at + Math.ceil(random() * 5_000))
    for (let place = at; place < end; place++)
      bytes[place] = (bytes[place] ?? 0) ^ (1 + Math.floor(random() * 255))
    fs.writeFileSync(file, bytes)
  }
  return `${path.basename(file)} damaged in way ${kind}`
}
