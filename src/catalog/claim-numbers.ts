/**
 * Whether a claim means the product it names. A slug is easily taken for another; the number under the bar code, or the
 * maker's own, is not. Where the catalog knows no number there is nothing to disagree with. A refusal says which
 * number differs and which product has it, never the number the catalog holds: it is there to be confirmed, not read off.
 */
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { findByNumbers, findNumbers } from './claim-numbers.queries.ts'
import { differingNumber, gtinForms, type ProductNumbers } from './product-numbers.ts'

const MOST_NAMED = 5

/** Throws when a number is not the product's. */
export async function requireSameProduct(
  db: Db,
  product: { id: string; category: string; slug: string },
  { gtin, mpn }: ProductNumbers,
): Promise<void> {
  if (gtin === null && mpn === null) return
  const known = await findNumbers(db, product.id)
  const field = known && differingNumber(known, { gtin, mpn })
  if (!field) return
  const [other] = await productsWith(db, field === 'gtin' ? { gtin, mpn: null } : { gtin: null, mpn })
  const whose =
    other === undefined ? 'it may be another product, or a mistyped number' : `it is that of ${other}`
  throw new AppError('invalid', `${field}: is not that of ${product.category}/${product.slug}; ${whose}`, {
    field,
  })
}

/** What to answer a claim to a product that is not there; names those that the numbers belong to. */
export async function noSuchProduct(db: Db, numbers: ProductNumbers): Promise<AppError> {
  const valid = await productsWith(db, numbers)
  return valid.length === 0
    ? new AppError('not_found', 'there is no such product', { code: 'not_found', field: 'product_slug' })
    : new AppError('not_found', 'there is no such product; the number given names another one', {
        code: 'not_found',
        field: 'product_slug',
        valid,
      })
}

async function productsWith(db: Db, { gtin, mpn }: ProductNumbers): Promise<string[]> {
  if (gtin === null && mpn === null) return []
  return findByNumbers(db, { gtins: gtin === null ? [] : gtinForms(gtin), mpn, limit: MOST_NAMED })
}
