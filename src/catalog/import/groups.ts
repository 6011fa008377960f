/**
 * What tells the variants of a group apart, where they stand together: every spec that is not the same in all of them
 * becomes an option, besides those that the reader knows to be one. Rows of a group are held until the next group
 * starts, or until they are too many to hold.
 */
import { MAX_RECORD_SIZE, type SourceRow } from './rows.ts'
import { setOwn } from './values.ts'

type ProductRow = Extract<SourceRow, { product: unknown }>

const MOST_HELD = 500
const MOST_WEIGHT = 4 * MAX_RECORD_SIZE

export async function* withDifferences(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
  let held: ProductRow[] = []
  let weight = 0
  for await (const row of rows) {
    const group = 'product' in row ? row.product.group : undefined
    if (held.length > 0 && held[0]?.product.group !== group) {
      yield* withOptions(held)
      held = []
      weight = 0
    }
    if (!('product' in row) || group === undefined) {
      yield row
      continue
    }
    held.push(row)
    weight += JSON.stringify(row.product).length
    if (held.length >= MOST_HELD || weight >= MOST_WEIGHT) {
      yield* withOptions(held)
      held = []
      weight = 0
    }
  }
  yield* withOptions(held)
}

/** A gender or a material that all of them share is no choice; a colour or a size is, because the next may come later. */
const CHOICES: ReadonlySet<string> = new Set(['Color', 'Size'])

function withOptions(rows: ProductRow[]): ProductRow[] {
  const names = new Set(rows.flatMap(({ product }) => Object.keys(fieldsOf(product.specs))))
  const different = [...names].filter((name) => {
    const [first, ...others] = rows.map(({ product }) => String(fieldsOf(product.specs)[name] ?? ''))
    return others.some((value) => value !== first)
  })
  for (const { product } of rows) {
    const specs = fieldsOf(product.specs)
    const options: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fieldsOf(product.options)))
      if (rows.length === 1 || CHOICES.has(name) || different.includes(name)) setOwn(options, name, value)
    for (const name of different) if (Object.hasOwn(specs, name)) setOwn(options, name, specs[name])
    product.options = options
  }
  return rows
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
