/**
 * The rows of a producer's file, each held against the contract and the categories. A row may hold a megabyte, so the
 * node has a turn after each: whoever else it serves waits for one row, not for a file.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { shorten } from '../lib/text.ts'
import type { SourceRow } from './import/rows.ts'
import type { ImportRow } from './producer-import-batch.ts'
import type { InputProblem } from './product-input.ts'
import { checkSubmitted } from './submissions.schema.ts'
import type { CategoryIndex } from './upsert.service.ts'

export type RefusedRow = { row: number; line: number; problem: InputProblem }

/** Nothing longer is a slug, of either form. */
const MAX_SLUG = 300
const ASKED_EVERY = 100

/** `going` is asked now and then, and throws when the import is not to go on. */
export async function checkRows(
  rows: readonly SourceRow[],
  categories: CategoryIndex,
  going: () => Promise<void> = async () => {},
): Promise<{ good: ImportRow[]; refused: RefusedRow[] }> {
  const good: ImportRow[] = []
  const refused: RefusedRow[] = []
  for (const [index, source] of rows.entries()) {
    const row = check(source, index + 1, categories)
    if ('problem' in row) refused.push(row)
    else good.push(row)
    await turn()
    if (index % ASKED_EVERY === 0) await going()
  }
  return { good, refused }
}

function check(source: SourceRow, row: number, categories: CategoryIndex): ImportRow | RefusedRow {
  const { line } = source
  if ('problem' in source) return { row, line, problem: source.problem }
  const checked = checkSubmitted(withPlainSlug(source.product))
  if ('problem' in checked) return { row, line, problem: checked.problem }
  const { input, notes } = checked
  const category = categories.find(input.category)
  if (category)
    return { row, line, input, category: category.slug, notes: notes.map((n) => `${n.field} ${n.problem}`) }
  const near = categories.near(input.category)
  const fix = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'list_categories names them all'
  const problem = `there is no category "${shorten(input.category, 60)}"`
  return { row, line, problem: { field: 'category', problem, fix } }
}

/** Both forms of a slug are accepted; `<category>/<slug>` names the category too. */
function withPlainSlug(product: Record<string, unknown>): Record<string, unknown> {
  const { slug: stated } = product
  if (typeof stated !== 'string' || stated.length > MAX_SLUG) return product
  const [category, slug, more] = stated.split('/')
  return slug === undefined || more !== undefined ? product : { category, ...product, slug }
}
