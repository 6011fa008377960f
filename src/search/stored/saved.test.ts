/** An index that was written and read again is the one that was written, whatever comes after. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/harness.ts'
import {
  answersOf,
  createIndexWorld,
  createRandom,
  folderFor,
  MODEL,
  randomVectors,
  throughFiles,
} from '../../../test/stored-index.world.ts'
import { getProfiles } from '../../catalog/catalog.service.ts'
import { type CatalogIndex, createCatalogIndex } from '../catalog-index.ts'
import { normalize } from '../embed/embedder.ts'
import { createLexicalIndex, type LexicalIndex, type SavedLexical } from '../lexical/lexical-index.ts'
import { createVectorIndex, rowsOf, type SavedVectorIndex } from '../vectors/vector-index.ts'
import { readPart, writePart } from './part-files.ts'
import { encode, type Part, type Saved } from './saved.ts'

const folder = folderFor('saved')

async function again(tree: Saved): Promise<Saved> {
  const file = path.join(folder, randomUUID())
  return readPart(file, await writePart(file, tree))
}

test('read again at any moment, it answers as one that was never written, with the same scores', async () => {
  const database = await createTestDatabase()
  const world = createIndexWorld(database)
  const { random } = world
  await world.begin(120)
  const { rows } = await database.pool.query<{ id: string }>('select id from products order by slug')
  const profiles = await getProfiles(
    world.ctx,
    rows.map(({ id }) => id),
  )
  const kept: CatalogIndex = createCatalogIndex(MODEL.dims)
  let read: CatalogIndex = createCatalogIndex(MODEL.dims)
  for (let step = 1; step <= 300; step++) {
    const profile = profiles[Math.floor(random() * profiles.length)]
    if (!profile) continue
    const [chance, vectors] = [random(), randomVectors(random)]
    for (const index of [kept, read]) {
      if (chance < 0.7) index.put(profile, chance < 0.1 ? null : vectors)
      else if (chance < 0.85) index.setVectors(profile.id, vectors)
      else index.remove(profile.id)
    }
    if (step % 60 !== 0) continue
    read = await throughFiles(read, folder)
    expect(await answersOf(read)).toBe(await answersOf(kept))
  }
  for (let slot = 0; slot < kept.slots; slot++) expect(read.at(slot)).toEqual(kept.at(slot))
  const columnsOf = ({ columns, slots }: CatalogIndex) =>
    Object.entries(columns).map(([name, column]) => [name, column.subarray(0, slots)])
  expect(columnsOf(read)).toEqual(columnsOf(kept))
})

test('words read again in the middle of a merge go on with it', async () => {
  const sizes = { sealAt: 4, fanIn: 2, maxSpan: 64, slice: 3 }
  const random = createRandom(7)
  const kept = createLexicalIndex(sizes)
  let read = createLexicalIndex(sizes)
  const word = () => `word${Math.floor(random() * 40)}`
  const letters = () => ['noise', 'pour', 'over', 'quiet', 'lamp'][Math.floor(random() * 5)] ?? ''
  for (let step = 0; step < 160; step++) {
    const doc = {
      title: `${word()} ${word()}`,
      text: `${word()} ${word()}-${letters()} ${letters()}-${letters()}`,
    }
    const gone = random() < 0.4 ? Math.floor(random() * (step + 1)) : null
    for (const index of [kept, read]) {
      index.add(doc)
      if (gone !== null) index.remove(gone)
    }
    if (step % 16 === 0) {
      const saved = (await again(read.save())) as SavedLexical
      const parts = read.parts()
      const next = createLexicalIndex(sizes, saved)
      for (const part of next.parts())
        part.load(await again(parts.find(({ key }) => key === part.key)?.save() ?? null))
      read = next
    }
    const slots = Uint32Array.from({ length: step + 1 }, (_, slot) => slot)
    const terms = [word(), word(), letters() + letters()].map((term, group) => ({ term, weight: 1, group }))
    expect(read.search(terms, 20)).toEqual(kept.search(terms, 20))
    expect(read.explain(terms, slots)).toEqual(kept.explain(terms, slots))
    expect(toldOf(read, terms)).toEqual(toldOf(kept, terms))
  }
})

test('long lists are the same again, and who is served has turns while they are written', async () => {
  const words = Array.from(
    { length: 60_000 },
    (_, n) => `${'é😀"\\'.slice(0, (n % 5) + 1).toWellFormed()}${n}`,
  )
  const tree: Saved = {
    words,
    pairs: words.map((word, n) => [word, n]),
    groups: [[], {}, [[1, [2, Uint8Array.of(3)]]], null, true, -0.5],
    numbers: Float64Array.from({ length: 3 }, (_, n) => n / 3),
  }
  const pauses = vi.fn(async () => {})
  const { shape } = await encode(tree, pauses)
  expect(pauses.mock.calls.length).toBe(shape.length - 1)
  expect(pauses.mock.calls.length).toBeGreaterThan(20)
  expect(await again(tree)).toEqual(tree)
})

function toldOf(index: LexicalIndex, terms: ReadonlyArray<{ term: string }>): unknown {
  return terms.map(({ term }) => {
    const { documents, idf, has, isCompound, near, typed, numberOf } = index
    const called = index.calledBy([typed(term.slice(0, 3), false)]).slice(0, index.slotCount)
    const near1 = near(`${term}x`, 5)
    return [
      documents(term),
      idf(term),
      has(term),
      isCompound(term),
      near1,
      typed(term, true),
      numberOf(term),
      called,
    ]
  })
}

test('vectors of a large index are found as before, by signs too, with those that come after', async () => {
  const random = createRandom(3)
  // With fewer dimensions signs tell so little that all slots would be candidates.
  const vector = (from: () => number) => normalize(Float32Array.from({ length: 128 }, () => from() - 0.5))
  const given: Float32Array[] = []
  const rows = rowsOf(given)
  const kept = createVectorIndex({ dims: 128, rows })
  for (let slot = 0; slot < 20_100; slot++) given.push(vector(random))
  for (const each of given) kept.add(each)
  kept.remove(17)
  const saved = (await again(kept.save())) as SavedVectorIndex
  const read = createVectorIndex({ dims: 128, saved, rows })
  const parts = kept.parts()
  for (const [at, part] of read.parts().entries()) part.load(await again(parts[at]?.save() ?? null))
  for (let n = 0; n < 5; n++) given.push(vector(createRandom(n)))
  for (const index of [kept, read]) for (let n = 0; n < 5; n++) index.add(given[20_100 + n] as Float32Array)
  const queries = Array.from({ length: 5 }, () => vector(random))
  const found = queries.map((query) => kept.search(query, 100))
  expect(queries.map((query) => read.search(query, 100))).toEqual(found)

  // Parts are written while the index goes on: by then it has doubled, and its mean is another.
  const earlier = createVectorIndex({
    dims: 128,
    saved: (await again(read.save())) as SavedVectorIndex,
    rows,
  })
  const later = read.parts()
  const { signedAt } = read.save()
  // Of the blocks that were full by then: 128 dimensions as bytes, as signs, and a scale.
  const full = (part: Part | undefined) =>
    Buffer.from(part?.save() as Uint8Array).subarray(0, 19 * 1024 * (128 + 16 + 4))
  const first = full(later[0])
  for (let slot = 0; slot < 20_100; slot++) read.add(vector(() => 0.4 + random()))
  expect(read.save().signedAt).toBeGreaterThan(signedAt)
  expect(first.equals(full(later[0]))).toBe(false)
  for (const [at, part] of earlier.parts().entries()) part.load(await again(later[at]?.save() ?? null))
  expect(first.equals(full(earlier.parts()[0]))).toBe(true)
  expect(queries.map((query) => earlier.search(query, 100))).toEqual(found)
})
