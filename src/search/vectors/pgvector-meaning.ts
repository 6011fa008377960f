/**
 * Vectors in PostgreSQL. This process keeps four bytes and a map entry a product: which row is whose. What a filter
 * allows is told to the database as a list of rows when it is short, and then compared exactly; else as a mask, a bit a
 * row, and the index is walked until enough rows pass. A database that fails or takes too long fails the question, and
 * the next ones at once for a moment, so that not every search waits for it.
 */
import type { Db } from '../../db/database.ts'
import { inTime } from '../../lib/abort.ts'
import { growTo } from '../lexical/segments.ts'
import { PASSAGE_KINDS } from '../product-text.ts'
import {
  type Allowed,
  type Gathered,
  type MeaningIndex,
  MeaningUnavailable,
  type ProductVectors,
  type VectorRow,
} from './meaning-index.ts'
import { noPassages } from './memory-meaning.ts'
import { raise } from './passages.ts'
import { cosineRows, gatherRows, meansOf, nearestRows, rowsAround, type Scope } from './pgvector.queries.ts'
import type { VectorTable } from './pgvector-tables.queries.ts'

/** A table of so few is compared row by row in a few milliseconds, and exactly. */
const EXACT_UP_TO = 5_000
/** So few allowed, or so small a share, are compared one by one: the index would be walked far for them. */
const FEW_ROWS = 2_000
const FEW_SHARE = 0.01
/** An order that goes deeper is read from all rows. */
const INDEX_DEPTH = 1_000
const ANSWER_WITHIN_MS = 2_000
const REST_MS = 1_000

/** Other than the usual ones, for tests: a small catalog can be searched as a large one is, a slow machine given time. */
export type PgvectorLimits = { exactUpTo?: number; fewRows?: number; answerWithinMs?: number }

export function createPgvectorMeaning(
  db: Db,
  table: VectorTable,
  { exactUpTo = EXACT_UP_TO, fewRows = FEW_ROWS, answerWithinMs = ANSWER_WITHIN_MS }: PgvectorLimits = {},
): MeaningIndex {
  const { dims } = table
  /** By slot: the number of its row, which is at least 1, or 0 when it has none. */
  let rowOfSlot = new Uint32Array(1024)
  let alive = new Uint8Array(1024)
  const slotOfRow = new Map<number, number>()
  let slots = 0
  let lastRow = 0
  const ask = createAsker(answerWithinMs)

  const rowOf = (slot: number) => rowOfSlot[slot] ?? 0
  const rowsOf = (of: Iterable<number>) => Array.from(of, rowOf).filter((row) => row > 0)

  /** Null when all that is allowed has no vectors. */
  function scopeOf(allowed: Allowed, depth: number): Scope | null {
    const isSmall = slotOfRow.size <= exactUpTo || depth > INDEX_DEPTH
    if (!allowed) return isSmall ? { all: null } : { mask: null }
    let count = 0
    for (let slot = 0; slot < slots; slot++) if (allowed[slot] === 1 && rowOf(slot) > 0) count++
    if (count === 0) return null
    const isFew = count <= Math.max(fewRows, slotOfRow.size * FEW_SHARE)
    // Where products have come and gone for long, numbers are so far apart that a list is shorter than a mask.
    const isSparse = lastRow > count * 64
    if (isFew || isSparse) {
      const rows: number[] = []
      for (let slot = 0; slot < slots; slot++)
        if (allowed[slot] === 1 && rowOf(slot) > 0) rows.push(rowOf(slot))
      return { rows }
    }
    const mask = new Uint8Array(Math.ceil((lastRow + 1) / 8))
    for (let slot = 0; slot < slots; slot++) {
      const row = allowed[slot] === 1 ? rowOf(slot) : 0
      if (row > 0) mask[row >> 3] = (mask[row >> 3] ?? 0) | (1 << (row & 7))
    }
    return isSmall ? { all: mask } : { mask }
  }

  /** By slot, in the order of slots; a product that this node does not know, or no longer, is left out. */
  function bySlot<T extends { row: number }>(rows: T[]): Array<{ slot: number; row: T }> {
    return rows
      .flatMap((row) => {
        const slot = slotOfRow.get(row.row)
        return slot === undefined ? [] : [{ slot, row }]
      })
      .sort((a, b) => a.slot - b.slot)
  }

  async function gather(
    query: Parameters<MeaningIndex['gather']>[0],
    k: number,
    found: Iterable<number>,
    allowed: Allowed,
  ): Promise<Gathered> {
    const also = new Set(found)
    let scope = scopeOf(allowed, k)
    if (allowed && count(allowed) <= k) {
      // All of them are candidates, those without vectors too.
      for (let slot = 0; slot < slots; slot++) if (allowed[slot] === 1) also.add(slot)
      scope = null
    }
    const without = [...also].filter((slot) => rowOf(slot) === 0)
    const rows = await ask(() => gatherRows(db, table, query, { k, scope, also: rowsOf(also) }))
    const known = new Map(bySlot(rows).map(({ slot, row }) => [slot, row]))
    const gathered = Uint32Array.from([
      ...known.keys(),
      ...without.filter((slot) => alive[slot] === 1),
    ]).sort()
    const cosines = {
      full: Float32Array.from(gathered, (slot) => known.get(slot)?.full ?? 0),
      short: Float32Array.from(gathered, (slot) => known.get(slot)?.short ?? 0),
      plain: query.plainVector && Float32Array.from(gathered, (slot) => known.get(slot)?.plain ?? 0),
      passages: noPassages(gathered.length),
    }
    for (const [at, slot] of gathered.entries()) {
      const { kinds, passages } = known.get(slot) ?? { kinds: [], passages: null }
      for (const [place, cosine] of (passages ?? []).entries()) {
        const kind = PASSAGE_KINDS[kinds[place] ?? -1]
        if (kind) raise(cosines.passages[kind], at, cosine)
        raise(cosines.passages.any, at, cosine)
      }
    }
    return { slots: gathered, cosines }
  }

  async function nearest(reading: 'full' | 'short', vector: Float32Array, k: number, allowed?: Uint8Array) {
    const scope = scopeOf(allowed, k)
    const rows = scope ? await ask(() => nearestRows(db, table, reading, vector, { k, scope })) : []
    const hits = rows.flatMap(({ row, cosine }) => {
      const slot = slotOfRow.get(row)
      return slot === undefined ? [] : [{ slot, cosine }]
    })
    return {
      slots: Uint32Array.from(hits, ({ slot }) => slot),
      scores: Float32Array.from(hits, ({ cosine }) => cosine),
    }
  }

  function set(slot: number, vectors: ProductVectors | VectorRow | null): void {
    const row = vectors && 'row' in vectors ? vectors.row : 0
    rowOfSlot[slot] = row
    lastRow = Math.max(lastRow, row)
    if (row > 0) slotOfRow.set(row, slot)
  }

  return {
    dims,
    add(vectors) {
      const slot = slots++
      rowOfSlot = growTo(rowOfSlot, slots)
      alive = growTo(alive, slots)
      alive[slot] = 1
      set(slot, vectors)
    },
    set,
    remove(slot) {
      alive[slot] = 0
      if (slotOfRow.get(rowOf(slot)) === slot) slotOfRow.delete(rowOf(slot))
    },
    gather,
    nearest,
    async inOrder(vector, k, allowed) {
      const { slots: near } = await nearest('full', vector, k, allowed)
      if (near.length >= k) return near
      // Behind them those that have no vectors yet.
      const rest: number[] = []
      for (let slot = 0; slot < slots && near.length + rest.length < k; slot++)
        if (alive[slot] === 1 && rowOf(slot) === 0 && (!allowed || allowed[slot] === 1)) rest.push(slot)
      return Uint32Array.from([...near, ...rest])
    },
    async cosines(vector, of) {
      const rows = await ask(() => cosineRows(db, table, vector, rowsOf(of)))
      const known = new Map(rows.map((row) => [row.row, row]))
      return {
        full: Float32Array.from(of, (slot) => known.get(rowOf(slot))?.full ?? 0),
        short: Float32Array.from(of, (slot) => known.get(rowOf(slot))?.short ?? 0),
      }
    },
    async around(own, k, allowed) {
      const scope = rowOf(own) > 0 ? scopeOf(allowed, k) : null
      const rows = scope ? await ask(() => rowsAround(db, table, rowOf(own), { k, scope })) : []
      const near = bySlot(rows)
      return {
        slots: Uint32Array.from(near, ({ slot }) => slot),
        full: Float32Array.from(near, ({ row }) => row.full),
        short: Float32Array.from(near, ({ row }) => row.short),
      }
    },
    async means(groups) {
      const members = groups.flatMap((slots, group) => rowsOf(slots).map((row) => ({ row, group })))
      const means = await ask(() => meansOf(db, table, members))
      return groups.map((_, group) => means.get(group) ?? new Float32Array(dims))
    },
    // A map entry takes about forty bytes.
    bytes: () => rowOfSlot.byteLength + alive.byteLength + slotOfRow.size * 40,
  }
}

/** Puts a question to the database, with a limit to waiting for the answer. */
function createAsker(withinMs: number): <T>(question: () => Promise<T>) => Promise<T> {
  let restsUntil = 0
  return async (question) => {
    if (performance.now() < restsUntil)
      throw new MeaningUnavailable(new Error('it failed a moment ago and is being skipped'))
    try {
      return await inTime(question(), withinMs, () => new Error(`it took over ${withinMs} ms`))
    } catch (error) {
      restsUntil = performance.now() + REST_MS
      throw new MeaningUnavailable(error)
    }
  }
}

function count(allowed: Uint8Array): number {
  let sum = 0
  for (const one of allowed) sum += one
  return sum
}
