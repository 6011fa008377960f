/**
 * Which product or category somebody means who names it in another way than by its slug: by the address of its page, by an
 * old address that leads on, by a title or a label that belongs to one alone. Nothing is guessed: of several the names
 * are given, and what names none is left to who asked.
 */
import { findMovedCategory, findMovedProduct } from '../catalog/catalog.service.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import { findProduct } from '../catalog/relationships.service.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import type { Search } from './search.service.ts'

export type NamesContext = {
  db: Db
  search: Pick<Search, 'index' | 'reading'>
  config: { baseUrl: string; mcpUrl: string }
}
export type Place = { category: string; slug: string }
type Named = { category: string | null; slug: string }

const SLUG = '[a-z0-9]+(?:-[a-z0-9]+)*'
const PLAIN = new RegExp(`^(?:(${SLUG})/)?(${SLUG})$`)
const PAGE = new RegExp(`^/p/(${SLUG})/(${SLUG})(?:\\.md|\\.json)?/?$`)
const RESOURCE = new RegExp(`^souk://products/(${SLUG})/(${SLUG})$`)
const MAX_NAME = 300
/** Of products that share words with a title, so many are looked at. */
const LOOKED_AT = 50
const MOST_CANDIDATES = 5

/**
 * Null for what names no product by these rules. `exact`: a title must be given whole, as what writes wants it. Throws
 * with the candidates when a title is that of several, and for a product that was deleted.
 */
export async function resolveProduct(
  ctx: NamesContext,
  text: string,
  { field, category = null, exact = false }: { field: string; category?: string | null; exact?: boolean },
): Promise<Place | null> {
  const name = text.trim()
  if (name === '' || name.length > MAX_NAME) return null
  const named = namedBy(ctx, name)
  if (named) return placeOf(ctx, { ...named, category: named.category ?? category }, field)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name))
    throw new AppError('invalid', `${field}: is not the address of a product page of this service`, { field })
  if (!/\s/.test(name)) return null
  // A title is looked for in the index alone: while it is loading, that is what is said. What writes wants a slug then.
  if (exact && !readyIndex(ctx)) return null
  const found = await ctx.search.reading((index) => titled(index, name, { category, exact }))
  if (found.length > 1) throw severalMeant(name, found, field)
  return found[0] ? { category: found[0].category.slug, slug: found[0].slug } : null
}

/** By an address of a page, of a resource, or by the slug with or without its category. */
function namedBy({ config }: NamesContext, name: string): Named | null {
  const plain = PLAIN.exec(name)
  if (plain?.[2] !== undefined) return { category: plain[1] ?? null, slug: plain[2] }
  const own = [config.baseUrl, config.mcpUrl].find((base) => name.startsWith(`${base}/`))
  const path = own === undefined ? name : (name.slice(own.length).split(/[?#]/)[0] ?? '')
  const page = PAGE.exec(path) ?? RESOURCE.exec(name)
  return page?.[1] !== undefined && page[2] !== undefined ? { category: page[1], slug: page[2] } : null
}

async function placeOf(ctx: NamesContext, { category, slug }: Named, field: string): Promise<Place | null> {
  const known = readyIndex(ctx)
    ? await ctx.search.reading((index) => index.at(index.findBySlug(slug) ?? -1))
    : null
  if (known && (category === null || known.category.slug === category))
    return { category: known.category.slug, slug }
  const stored = known ? null : await findProduct(ctx, { category, slug })
  if (stored) return { category: stored.category, slug: stored.slug }
  const moved = await findMovedProduct(ctx, { category, slug })
  if (moved !== 'gone') return moved
  const message = `${field}: ${canonicalName(category, slug)} is no longer in the catalog`
  throw new AppError('not_found', message, { code: 'not_found', field })
}

/** Those whose title is the name; or else, unless it must be exact, those whose title has all its words. */
function titled(
  index: CatalogIndex,
  name: string,
  { category, exact }: { category: string | null; exact: boolean },
): IndexedProduct[] {
  const wanted = wordsOf(name)
  if (wanted.length < 2) return []
  const { slots } = index.words.search(toQueryTerms(name, index.words), LOOKED_AT)
  const products = Array.from(slots, (slot) => index.at(slot)).flatMap((product) => product ?? [])
  const within = products.filter((product) => category === null || product.category.slug === category)
  const same = within.filter(({ title }) => wordsOf(title).join(' ') === wanted.join(' '))
  if (same.length > 0 || exact) return same
  return within.filter(({ title }) => {
    const own = new Set(wordsOf(title))
    return wanted.every((word) => own.has(word))
  })
}

function severalMeant(name: string, found: readonly IndexedProduct[], field: string): AppError {
  const valid = found
    .slice(0, MOST_CANDIDATES)
    .map((product) => canonicalName(product.category.slug, product.slug))
  const message = `${field}: ${found.length} products are called so; name one by its <category>/<slug>`
  return new AppError('invalid', `${message} (${name.slice(0, 100)})`, { field, valid })
}

/** By its slug, its label or an address it had before; null for what names none. */
export async function resolveCategory(ctx: NamesContext, text: string): Promise<string | null> {
  const index = readyIndex(ctx)
  const name = wordsOf(text).join(' ')
  const found = index
    ?.allCategories()
    .filter(({ slug, label }) => wordsOf(slug).join(' ') === name || wordsOf(label).join(' ') === name)
  if (found?.length === 1) return found[0]?.slug ?? null
  const moved = PLAIN.test(text) ? await findMovedCategory(ctx, text) : null
  return moved && moved !== 'gone' ? moved.slug : null
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

function canonicalName(category: string | null, slug: string): string {
  return category === null ? slug : canonicalSlug({ category, slug })
}

/** Null while it is loading: names are then what they are. */
export function readyIndex({ search }: Pick<NamesContext, 'search'>): CatalogIndex | null {
  try {
    return search.index()
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return null
    throw error
  }
}
