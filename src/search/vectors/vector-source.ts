/**
 * Where a node's index gets its vectors from, as SOUK_VECTORS says. In memory they are read with the products. With
 * pgvector only the numbers of their rows are; every node that learns of a product sees to it that its row is there and
 * of the current text, so that it does not matter which node embedded it, nor whether one of them ended in the middle.
 */
import type { Db } from '../../db/database.ts'
import { findVectors } from '../vectors.queries.ts'
import type { MeaningIndex, ProductVectors, VectorRow } from './meaning-index.ts'
import { createMemoryMeaning } from './memory-meaning.ts'
import { createPgvectorMeaning, type PgvectorLimits } from './pgvector-meaning.ts'
import {
  bringRows,
  createExtension,
  createIndexes,
  createTable,
  findExtension,
  isNewEnough,
  vectorTable,
} from './pgvector-tables.queries.ts'

export type VectorSource = {
  /** Before the first product is read. */
  prepare(): Promise<void>
  createMeaning(): MeaningIndex
  /** Those of these products that are embedded. */
  find(productIds: string[]): Promise<Map<string, ProductVectors | VectorRow>>
  /** After the last product is read. */
  filled(): Promise<void>
}

type Model = { id: string; dims: number }

export function vectorsInMemory(db: Db, model: Model): VectorSource {
  return {
    prepare: async () => {},
    createMeaning: () => createMemoryMeaning(model.dims),
    find: (productIds) => findVectors(db, model.id, productIds),
    filled: async () => {},
  }
}

export function vectorsInDatabase(db: Db, model: Model, limits?: PgvectorLimits): VectorSource {
  const table = vectorTable(model)
  return {
    prepare: () => createTable(db, table),
    createMeaning: () => createPgvectorMeaning(db, table, limits),
    async find(productIds) {
      const rows = await bringRows(db, table, productIds)
      return new Map([...rows].map(([id, row]) => [id, { row }]))
    },
    filled: () => createIndexes(db, table),
  }
}

const WHAT_TO_DO = {
  absent:
    'install pgvector 0.8 or newer on the database server, or set SOUK_VECTORS=memory (the embedded PostgreSQL has no pgvector)',
  old: 'install pgvector 0.8 or newer and run "alter extension vector update", or set SOUK_VECTORS=memory',
  refused: 'run "create extension vector" in this database as a superuser, or set SOUK_VECTORS=memory',
}

/** Throws with one line that says what to do when pgvector cannot be used. */
export async function requirePgvector(db: Db): Promise<void> {
  const found = await findExtension(db)
  const refuse = (why: string, fix: string, cause?: unknown) => {
    throw new Error(`SOUK_VECTORS=pgvector, but ${why}: ${fix}`, { cause })
  }
  if (!found) return refuse('the database server has no extension "vector"', WHAT_TO_DO.absent)
  if (!isNewEnough(found.version))
    return refuse(`its extension "vector" is version ${found.version}`, WHAT_TO_DO.old)
  if (found.created) return
  await createExtension(db).catch((error: Error) =>
    refuse(`the extension "vector" cannot be created (${error.message})`, WHAT_TO_DO.refused, error),
  )
}

/** For those who only want to know. */
export async function checkPgvector(db: Db): Promise<{ version: string } | { problem: string; fix: string }> {
  const found = await findExtension(db)
  if (!found) return { problem: 'the server has no extension "vector"', fix: WHAT_TO_DO.absent }
  if (!isNewEnough(found.version))
    return { problem: `pgvector is version ${found.version}`, fix: WHAT_TO_DO.old }
  return { version: found.version }
}
