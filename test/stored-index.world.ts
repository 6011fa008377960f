/** A small catalog of random products with vectors that need no model, and what an index of it answers. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { importCategories } from '../src/catalog/categories.service.ts'
import { importProducts } from '../src/catalog/import.service.ts'
import { manualClock } from '../src/lib/clock.ts'
import { type CatalogIndex, createCatalogIndex, type SavedIndex } from '../src/search/catalog-index.ts'
import { normalize } from '../src/search/embed/embedder.ts'
import { prepareQuery } from '../src/search/prepare.ts'
import { loadLearned, rank } from '../src/search/rank/rank.ts'
import { readPart, writePart } from '../src/search/stored/part-files.ts'
import { suggest } from '../src/search/suggest.ts'
import type { ProductVectors } from '../src/search/vectors/meaning-index.ts'
import { quantisePassages } from '../src/search/vectors/passages.ts'
import { saveVectors } from '../src/search/vectors.queries.ts'
import { captureLog, type TestDatabase } from './harness.ts'

export const MODEL = { id: 'random/16', dims: 16 }
export const CATEGORIES = ['kettles', 'tents', 'desk-lamps']
const WORDS =
  'copper steel quiet light large travel camping gooseneck electric stove dimmable warm tall slim oak café Ωmega'.split(
    ' ',
  )
const BRANDS = ['Tula Works', 'Norrlund', 'Øst', null]
export const QUERIES = [
  'copper kettle',
  'quiet travel kettle without steel',
  'tent for 3 people under $120',
  'norrlund lamp not large',
  'TW-12',
  'coper stov',
  'something nice',
  'dimmable lamp red',
  'lightest tall tent',
  'café',
]

/** The same numbers for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function randomVector(random: () => number): Float32Array {
  return normalize(Float32Array.from({ length: MODEL.dims }, () => random() - 0.5))
}

export function randomVectors(random: () => number): ProductVectors {
  const sentences = Array.from({ length: Math.floor(random() * 4) }, (_, kind) => ({
    kind,
    vector: randomVector(random),
  }))
  return {
    full: randomVector(random),
    short: randomVector(random),
    passages: quantisePassages(sentences),
  }
}

export function randomRow(random: () => number, n: number): Record<string, unknown> {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const category = pick(CATEGORIES)
  return {
    category,
    slug: `product-${n}`,
    title: `${pick(WORDS)} ${pick(WORDS)} ${category.replace('-', ' ').replace(/s$/, '')} TW-${n}`,
    ...(random() < 0.8 && { brand: pick(BRANDS) ?? 'Anders' }),
    model: `TW-${n}`,
    price: Math.round(random() * 20_000) / 100,
    description: `Made of ${pick(WORDS)} for ${pick(WORDS)} days. It has no ${pick(WORDS)} handle.`,
    specs: {
      Weight: `${Math.ceil(random() * 9)} kg`,
      Color: pick(['red', 'blue', 'none']),
      Room: `${n % 5} person`,
    },
    rating: Math.round(random() * 50) / 10,
    review_count: Math.floor(random() * 900),
  }
}

export function folderFor(name: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `souk-${name}-`))
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function createIndexWorld(database: Pick<TestDatabase, 'db' | 'pool'>, seed = 1) {
  const { db, pool } = database
  const clock = manualClock('2026-11-01T12:00:00Z')
  const random = createRandom(seed)
  const captured = captureLog()
  const ctx = { db, clock, log: captured.log }
  return {
    ctx,
    log: captured,
    random,
    /** New ones, or new forms of those that are there, each with vectors. */
    async put(numbers: readonly number[]): Promise<void> {
      clock.advance(1_000)
      const rows = numbers.map((n) => `${JSON.stringify(randomRow(random, n))}\n`)
      const bytes = (async function* () {
        yield Buffer.from(rows.join(''))
      })()
      await importProducts(ctx, bytes, { format: 'jsonl', source: 'test', fingerprint: randomUUID() })
      const { rows: found } = await pool.query<{ id: string }>(
        'select id from products where slug = any($1)',
        [numbers.map((n) => `product-${n}`)],
      )
      await saveVectors(
        db,
        MODEL.id,
        found.map(({ id }) => ({
          productId: id,
          textHash: Buffer.alloc(8),
          sourceUpdatedAt: new Date(clock.now()),
          ...randomVectors(random),
        })),
      )
    },
    async begin(products: number): Promise<void> {
      await importCategories(
        ctx,
        CATEGORIES.map((slug) => ({ slug, label: slug.replace('-', ' ') })),
      )
      await this.put(Array.from({ length: products }, (_, n) => n))
    },
    async remove(numbers: readonly number[]): Promise<void> {
      await pool.query(
        `with gone as (delete from products where slug = any($1) returning id, category_id)
         insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
        [numbers.map((n) => `product-${n}`)],
      )
    },
  }
}

const learned = loadLearned()

async function embed(text: string): Promise<Float32Array> {
  return randomVector(createRandom([...text].reduce((hash, letter) => hash * 31 + letter.charCodeAt(0), 7)))
}

/** All that can be asked of an index by words and by meaning, in the order and with the scores that it gives. */
export async function answersOf(index: CatalogIndex, queries = QUERIES): Promise<string> {
  const told: unknown[] = [index.size, index.embedded, index.allCategories()]
  for (const query of queries) {
    const prepared = await prepareQuery(index, query, embed)
    const { slots, scores, similarity, fit } = await rank(index, prepared, learned)
    told.push([query, prepared.understood, [...scores], [...similarity], [...fit]])
    told.push(Array.from(slots, (slot) => index.at(slot)))
    told.push(suggest(index, { q: query, limit: 10, kinds: ['products', 'categories', 'brands'] }))
  }
  return JSON.stringify(told)
}

/** The index as its files would give it back. */
export async function throughFiles(index: CatalogIndex, folder: string): Promise<CatalogIndex> {
  const saved = index.save()
  if (!saved) throw new Error('this index cannot be saved')
  const file = () => path.join(folder, randomUUID())
  const again = async (tree: Parameters<typeof writePart>[1]) => {
    const name = file()
    return readPart(name, await writePart(name, tree))
  }
  const parts = new Map(index.parts().map((part) => [part.key, part]))
  const read = createCatalogIndex(MODEL.dims, (await again(saved)) as SavedIndex)
  for (const part of read.parts()) {
    const from = parts.get(part.key)
    if (!from) throw new Error('a part has no file')
    part.load(await again(from.save()))
  }
  return read
}
