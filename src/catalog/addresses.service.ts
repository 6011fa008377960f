/**
 * Where an address leads at which nothing stands: on to where the product or category is now, or nowhere, because it was
 * deleted. Asked only when nothing was found, so that the usual read costs nothing more.
 */
import type { Db } from '../db/database.ts'
import { findBelowOldCategory, findCategoryAddress, findProductAddress } from './addresses.queries.ts'

type Context = { db: Db }

/** Null for what never was, and for what is hidden: from outside these are the same. */
export async function findMovedProduct(
  { db }: Context,
  { category, slug }: { category: string | null; slug: string },
): Promise<{ category: string; slug: string } | 'gone' | null> {
  const left = await findProductAddress(db, { category, slug })
  if (left) return left.gone ? 'gone' : left.place
  return category === null ? null : findBelowOldCategory(db, { category, slug })
}

export async function findMovedCategory(
  { db }: Context,
  slug: string,
): Promise<{ slug: string } | 'gone' | null> {
  const left = await findCategoryAddress(db, slug)
  if (left?.gone) return 'gone'
  return left?.slug ? { slug: left.slug } : null
}
