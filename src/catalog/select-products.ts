/**
 * The products that an operator means: by their slugs, category, source or import. What is done to many is done in
 * portions, each one transaction, so that nobody waits long for a lock; cut off anywhere, the same command goes on.
 */
import type { Db, Tx } from '../db/database.ts'
import { AppError, invalid } from '../lib/errors.ts'
import { idsOf, isUuid } from '../lib/ids.ts'
import { SLUG } from '../lib/text.ts'
import { tryAgain } from './import-run.ts'
import { type Chosen, countChosen, findChosen, type Selection } from './manage-products.queries.ts'

export type { Chosen, Selection }

const PORTION = 200

/** "kettles/acme-one" or "acme-one". */
export function parseSlug(text: string): string {
  const slug = text.trim().replace(/^.*\//, '')
  if (SLUG.test(slug)) return slug
  throw invalid('slug', `"${text}" is not the slug of a product`)
}

/** How many are meant, and the first of them. */
export async function previewSelection(
  ctx: { db: Db },
  selection: Selection,
  { shown }: { shown: number },
): Promise<{ total: number; first: Chosen[] }> {
  check(selection)
  const [total, first] = [
    await countChosen(ctx.db, selection),
    await findChosen(ctx.db, selection, { after: null, limit: shown }),
  ]
  return { total, first }
}

/** `work` gets each portion in a transaction of its own; answers with what it gave for each. */
export async function forChosen<Result>(
  ctx: { db: Db },
  selection: Selection,
  work: (tx: Tx, ids: string[]) => Promise<Result>,
): Promise<Result[]> {
  check(selection)
  const results: Result[] = []
  for (let after: string | null = null; ; ) {
    const portion: Chosen[] = await findChosen(ctx.db, selection, { after, limit: PORTION })
    const last = portion.at(-1)
    if (!last) return results
    const ids = idsOf(portion)
    results.push(await inTransactionOfItsOwn(ctx, (tx) => work(tx, ids)))
    after = last.id
  }
}

/** Tried again when another write stood in its way. */
export function inTransactionOfItsOwn<Result>(
  ctx: { db: Db },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return tryAgain(() => ctx.db.transaction().execute(work))
}

function check(selection: Selection): void {
  if (Object.values(selection).every((rule) => rule === undefined))
    throw new AppError('invalid', 'choose the products by slugs, category, source or import')
  if (selection.importId !== undefined && !isUuid(selection.importId))
    throw new AppError('not_found', `there is no import ${selection.importId}`)
}
