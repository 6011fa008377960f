/**
 * Whether a claim means the product it names. A slug is easily taken for another; the number under the bar code, or the
 * maker's own, is not. Where the catalog knows no number there is nothing to disagree with. A refusal says which
 * number differs and which product has it, never the number the catalog holds: it is there to be confirmed, not read off.
 */
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { cleanLine } from '../lib/text.ts'
import { findByNumbers, findNumbers } from './claim-numbers.queries.ts'
import { isGtin } from './product-input.ts'
import { differingNumber, gtinForms, type ProductNumbers } from './product-numbers.ts'

const MOST_NAMED = 5
const MAX_NUMBER = 100
/** A brand's name is rarely longer. */
const MAX_BRAND_WORDS = 2

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

/**
 * `<category>/<slug>` of what a text names by a number: the one under the bar code, or the maker's own, alone or after its
 * brand.
 */
export async function findNumbered({ db }: { db: Db }, text: string): Promise<string[]> {
  const line = cleanLine(text.slice(0, MAX_NUMBER))
  const digits = line.replace(/[\s-]/g, '')
  if (isGtin(digits)) return productsWith(db, { gtin: digits, mpn: line })
  const words = line.split(' ')
  for (let brand = 0; brand <= MAX_BRAND_WORDS && brand < words.length; brand++) {
    const found = await productsWith(db, { gtin: null, mpn: words.slice(brand).join(' ') })
    if (found.length > 0) return found
  }
  return []
}

async function productsWith(db: Db, { gtin, mpn }: ProductNumbers): Promise<string[]> {
  if (gtin === null && mpn === null) return []
  return findByNumbers(db, { gtins: gtin === null ? [] : gtinForms(gtin), mpn, limit: MOST_NAMED })
}
