/** A row of a producer's file, held against the contract and the categories. Pure: files are read in a thread of their own. */
import { shorten } from '../lib/text.ts'
import type { CategoryIndex, NamedCategory } from './category-index.ts'
import { currencyMeant } from './import/money.ts'
import type { SourceRow } from './import/rows.ts'
import type { ImportRow } from './producer-import-batch.ts'
import type { InputProblem } from './product-input.ts'
import { checkSubmitted } from './submissions.schema.ts'

export type RefusedRow = { row: number; line: number; problem: InputProblem }

/** Nothing longer is a slug, of either form. */
const MAX_SLUG = 300
const DOLLARS = 'USD'

/** `row` counts the rows of the file from 1. */
export function checkRow(
  source: SourceRow,
  row: number,
  categories: CategoryIndex<NamedCategory>,
): ImportRow | RefusedRow {
  const { line } = source
  if ('problem' in source) return { row, line, problem: source.problem }
  const { currency, ...product } = source.product
  const meant = typeof currency === 'string' ? currencyMeant(currency, DOLLARS) : DOLLARS
  if (meant !== DOLLARS) return { row, line, problem: otherCurrency(String(currency)) }
  const checked = checkSubmitted(withPlainSlug(product))
  if ('problem' in checked) return { row, line, problem: checked.problem }
  const { input, notes } = checked
  const category = categories.find(input.category)
  const said = [...(source.notes ?? []), ...notes].map((note) => `${note.field ?? 'row'} ${note.problem}`)
  if (category) return { row, line, input, category: category.slug, notes: said }
  const near = categories.near(input.category)
  const fix = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'list_categories names them all'
  const problem = `there is no category "${shorten(input.category, 60)}"`
  return { row, line, problem: { field: 'category', problem, fix } }
}

function otherCurrency(currency: string): InputProblem {
  return {
    field: 'price',
    problem: `is in ${shorten(currency, 10)}, not in US dollars`,
    fix: 'convert it: prices are USD, written as plain numbers such as 12.50',
  }
}

/** Both forms of a slug are accepted; `<category>/<slug>` names the category too. */
function withPlainSlug(product: Record<string, unknown>): Record<string, unknown> {
  const { slug: stated } = product
  if (typeof stated !== 'string' || stated.length > MAX_SLUG) return product
  const [category, slug, more] = stated.split('/')
  return slug === undefined || more !== undefined ? product : { category, ...product, slug }
}
