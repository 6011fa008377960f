/** Magento 2's product export: simple products, the configurable ones they belong to, and rows of store views. */
import type { ByteStream } from './bytes.ts'
import { readCsv } from './csv.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import { plainName } from './values.ts'

export async function* readMagento(
  input: ByteStream,
  options: ReaderOptions = {},
): AsyncGenerator<SourceRow> {
  yield* readCsv(input, options)
}

/** Its export has a SKU, a type of product and the set of attributes or the store view that a row is of. */
export function isMagentoHeader(names: readonly string[]): boolean {
  const plain = new Set(names.map(plainName))
  const own = [
    'attributesetcode',
    'storeviewcode',
    'productwebsites',
    'additionalattributes',
    'configurablevariations',
  ]
  return plain.has('sku') && plain.has('producttype') && own.some((name) => plain.has(name))
}
