/** WooCommerce's product export: a row for each product and each variation, joined by the parent that a variation names. */
import type { ByteStream } from './bytes.ts'
import { readCsv } from './csv.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import { plainName } from './values.ts'

export async function* readWoo(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  yield* readCsv(input, options)
}

/** Its export has a type, a name and a regular price, and its own way to say what is shown. */
export function isWooHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const own = [
    'visibilityincatalog',
    'isfeatured',
    'regularprice',
    'attribute1name',
    'salesprice',
    'metatotalsales',
  ]
  return plain.has('name') && plain.has('type') && own.filter((name) => plain.has(name)).length >= 2
}
