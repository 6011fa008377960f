/** Writing categories: by import, all or nothing, because a product without its category cannot be written. */
import { z } from 'zod'
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { cleanLine, cleanText, SLUG, shorten } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import { insertChanges, upsertCategory } from './upsert.queries.ts'

export const CategoryInput = z.object({
  slug: z.string().max(80).regex(SLUG, 'must be lower-case letters, digits and single hyphens'),
  label: z
    .string()
    .transform((text) => shorten(cleanLine(text), 100))
    .refine((text) => text.length > 0, 'must not be empty'),
  description: z
    .string()
    .default('')
    .transform((text) => shorten(cleanText(text), 2_000)),
  /** The names above it, outermost first; one that says none keeps what it has. */
  path: z
    .array(z.string().transform((text) => shorten(cleanLine(text), 100)))
    .max(12)
    .nullish()
    .transform((path) => path ?? null),
})

export type CategoryInput = z.output<typeof CategoryInput>

export function parseCategories(rows: unknown[]): CategoryInput[] {
  return rows.map((row, index) => {
    try {
      return parseInput(CategoryInput, row)
    } catch (error) {
      throw new AppError('invalid', `category ${index + 1}: ${(error as Error).message}`, { cause: error })
    }
  })
}

/** Returns how many were new or different. */
export async function importCategories(ctx: { db: Db; clock: Clock }, rows: unknown[]): Promise<number> {
  const categories = parseCategories(rows)
  return ctx.db.transaction().execute((tx) => writeCategories(tx, categories, ctx.clock.now()))
}

/** In the caller's transaction. */
export async function writeCategories(tx: Tx, categories: CategoryInput[], at: Date): Promise<number> {
  let changed = 0
  for (const input of categories) {
    const result = await upsertCategory(tx, { id: newId(), ...input, at })
    if (!result.changed) continue
    changed++
    const { slug, label, description } = result.category
    const after = { slug, label, description }
    await insertChanges(
      tx,
      [{ productId: null, categoryId: result.category.id, aspect: 'text', before: null, after }],
      at,
    )
  }
  return changed
}
