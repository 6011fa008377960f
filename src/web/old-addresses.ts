/**
 * Answers for products and categories that moved or were removed. A moved one redirects, in the same format. A removed
 * one gets a page that says so; its Markdown and JSON are plain 404s.
 */
import { findMovedCategory, findMovedProduct, listCategories } from '../catalog/catalog.service.ts'
import { categoryPath, productPath } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import { SEARCH_PATH } from './components/search-box.tsx'
import { renderMessagePage } from './pages/message.tsx'
import { negotiate, parseReadPath, type ReadAddress } from './read-address.ts'
import type { Site } from './site.ts'

export type Onward = { to: string } | { gonePage: string }

type Context = { db: Db; site: Site }

/** Null if the address never existed or is hidden. */
export async function findOnward(
  ctx: Context,
  path: string,
  accept: string | undefined,
): Promise<Onward | null> {
  const address = parseReadPath(path)
  if (!address) return null
  const to = await pathNow(ctx, address)
  if (to !== 'gone') return to === null ? null : { to }
  const isPage = address.form === null && negotiate(accept, ['html', 'md', 'json']) === 'html'
  return isPage ? { gonePage: await renderGone(ctx, address) } : null
}

async function pathNow(ctx: Context, address: ReadAddress): Promise<string | 'gone' | null> {
  const ending = address.form === null ? '' : `.${address.form}`
  if (address.kind === 'category') {
    const moved = await findMovedCategory(ctx, address.category)
    return moved === null || moved === 'gone' ? moved : `${categoryPath(moved)}${ending}`
  }
  const moved = await findMovedProduct(ctx, address)
  if (moved === null || moved === 'gone') return moved
  const { slug, category } = moved
  if (address.kind === 'product') return `${productPath({ slug, category: { slug: category } })}${ending}`
  return address.category === null ? `/offers/${slug}.json` : `/offers/${category}/${slug}.json`
}

async function renderGone({ db, site }: Context, { kind, category }: ReadAddress): Promise<string> {
  const around = (await listCategories({ db })).find(({ slug }) => slug === category)
  const what = kind === 'category' ? 'category' : 'product'
  return renderMessagePage(
    {
      status: 410,
      title: `This ${what} was removed`,
      text: `It’s no longer in the catalog. ${around ? 'Browse similar products or search' : 'Search'} for something else.`,
      ...(around && { way: { href: categoryPath(around), label: `See ${around.label}` } }),
      also: { href: SEARCH_PATH, label: 'Search the catalog' },
    },
    site,
  )
}
