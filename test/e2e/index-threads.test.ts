/** An index of a large catalog is filled by threads, and is the same as one that is filled without them. */
import { beforeAll, expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import { minilmId } from '../../src/search/embed/minilm.ts'
import { createIndexKeeper, type IndexKeeper } from '../../src/search/index-keeper.ts'
import { toQueryTerms } from '../../src/search/lexical/query-terms.ts'
import type { Elsewhere } from '../../src/search/read-catalog.ts'
import { createDemoDatabase, EMBEDDER, SILENT, type TestDatabase } from '../harness.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDemoDatabase()
})

const keeperWith = (elsewhere: Elsewhere | null): IndexKeeper =>
  createIndexKeeper(
    { db: database.db, log: SILENT },
    EMBEDDER,
    ...[undefined, undefined, null, null],
    elsewhere,
  )
const threads = (more: Partial<Elsewhere> = {}): Elsewhere => ({
  connection: database.connection,
  model: minilmId(),
  fromPages: 1,
  threads: 2,
  ...more,
})

async function filled(elsewhere: Elsewhere | null): Promise<CatalogIndex> {
  const keeper = keeperWith(elsewhere)
  expect(keeper.share()).toBe(0)
  await keeper.fill()
  expect(keeper.share()).toBe(1)
  const index = keeper.current()
  await keeper.stop()
  if (!index) throw new Error('the index was not filled')
  return index
}

test('threads find the same words, facts, sizes and vectors, in the same order', async () => {
  const [here, elsewhere] = [await filled(null), await filled(threads())]
  expect([elsewhere.size, elsewhere.embedded, elsewhere.slots]).toEqual([
    here.size,
    here.embedded,
    here.slots,
  ])
  expect(here.size).toBeGreaterThan(800)
  for (let slot = 0; slot < here.slots; slot++) expect(elsewhere.at(slot)).toEqual(here.at(slot))
  expect(elsewhere.columns).toEqual(here.columns)
  expect(elsewhere.save()?.vocabulary).toEqual(here.save()?.vocabulary)
  expect(elsewhere.save()?.kinds).toEqual(here.save()?.kinds)
  expect(elsewhere.save()?.measures).toEqual(here.save()?.measures)
  const { queries } = readDemoSet()
  for (const { text } of queries.slice(0, 60)) {
    const found = (index: CatalogIndex) => index.words.search(toQueryTerms(text, index.words), 20)
    expect(found(elsewhere)).toEqual(found(here))
  }
  const all = new Uint8Array(here.slots).fill(1)
  const slots = Uint32Array.from({ length: 50 }, (_, at) => at * 16)
  for (const slot of slots)
    expect(elsewhere.meaning.around(slot, 10, all)).toEqual(here.meaning.around(slot, 10, all))
  const vector = await EMBEDDER.embedQuery('a quiet tent for two')
  const gathered = (index: CatalogIndex) =>
    index.meaning.gather({ vector, plainVector: null }, 20, slots, undefined)
  expect(await gathered(elsewhere)).toEqual(await gathered(here))
})

test('a thread that cannot reach the database fails the filling: an empty index would say that nothing fits', async () => {
  const keeper = keeperWith(threads({ connection: { ...database.connection, port: 1 } }))
  await expect(keeper.fill()).rejects.toThrow(/ENOENT|ECONNREFUSED|connect/)
  expect(keeper.current()).toBeNull()
  // A node tries again, and does without them.
  await keeper.fill()
  expect(keeper.current()?.size).toBeGreaterThan(800)
  await keeper.stop()
})

test('a node that stops while threads read does not wait for the rest', async () => {
  const keeper = keeperWith(threads())
  const filling = keeper.fill()
  const ended = expect(filling).rejects.toThrow('the search index was closed while loading')
  await keeper.stop()
  await ended
  expect(keeper.current()).toBeNull()
})
