/** One JSON object of a stranger as rows: a product in our names or theirs, or schema.org's description of some. */
import { isLinkedData, productsIn, trailOf } from './jsonld.ts'
import { createRecordReader, isFields } from './record.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'

export function createJsonReader(options: ReaderOptions) {
  const records = createRecordReader(options)
  let drafts = 0
  let trail: string[] = []
  return {
    isOwnRow: records.isOwnRow,
    read(line: number, value: Record<string, unknown>): SourceRow[] {
      if (isLinkedData(value)) {
        const rows = Array.from(productsIn(value, trail), (record) => records.read(line, record))
        // It is of the product that follows.
        trail = trailOf(value) ?? []
        return rows
      }
      if (isDraft(value)) {
        drafts++
        return []
      }
      const { product } = value
      const isWrapped = isFields(product) && Object.keys(value).length === 1
      return [records.read(line, isWrapped ? product : value)]
    },
    finish() {
      if (drafts > 0) options.onNotice?.(`Drafts are not imported: ${drafts} skipped.`)
      records.finish()
    },
  }
}

/** As shops mark what nobody can buy yet. */
function isDraft({ status, handle, variants }: Record<string, unknown>): boolean {
  return status === 'draft' && typeof handle === 'string' && Array.isArray(variants)
}
