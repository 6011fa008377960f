/** BigCommerce's product export, old and new: a row for each product, and below it rows of its SKUs, rules or variants. */
import type { ByteStream } from './bytes.ts'
import { readCsv } from './csv.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import { plainName } from './values.ts'

export async function* readBigCommerce(
  input: ByteStream,
  options: ReaderOptions = {},
): AsyncGenerator<SourceRow> {
  yield* readCsv(input, options)
}

/** The older export says "Item Type"; the newer one says "Item" and numbers its images with a prefix of their own. */
export function isBigCommerceHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const isOlder = plain.has('itemtype') && plain.has('productname')
  const newer = [
    'options',
    'internalimageurlexport',
    'imageurlimport',
    'calculatedprice',
    'channels',
    'inventorytracking',
  ]
  const isNewer =
    (plain.has('item') || plain.has('type')) &&
    plain.has('name') &&
    newer.filter((name) => plain.has(name)).length >= 2
  return isOlder || isNewer
}
