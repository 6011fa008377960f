/**
 * A row of a producer's file, held against the contract and the categories, and what it says differently from a
 * profile, as an enrichment proposal. Pure: files are read in a thread of their own. A feed speaks of its own shop and
 * of the specs it knows: the other shops and specs of the profile stay as they are.
 */

import { isDeepStrictEqual } from 'node:util'
import { shorten } from '../lib/text.ts'
import type { ProductFacts, ProductImage, Shop, Spec } from './catalog.schema.ts'
import type { CategoryIndex, NamedCategory } from './category-index.ts'
import {
  fieldValue,
  PROPOSABLE_FIELDS,
  type ProposableField,
  type Proposal,
  readProposal,
} from './enrichment.schema.ts'
import { currencyMeant } from './import/money.ts'
import type { SourceRow } from './import/rows.ts'
import type { ImportRow } from './producer-import-batch.ts'
import { isSameGtin, isSameMpn } from './product-identity.ts'
import type { InputProblem, ProductInput } from './product-input.ts'
import type { ProductProfile } from './profile.ts'
import { checkSubmitted, statedFields } from './submissions.schema.ts'

export type RefusedRow = { row: number; line: number; problem: InputProblem }

/** Nothing longer is a slug, of either form. */
const MAX_SLUG = 300
const DOLLARS = 'USD'

/** `row` counts the rows of the file from 1. */
export function checkRow(
  source: SourceRow,
  row: number,
  categories: CategoryIndex<NamedCategory>,
): ImportRow | RefusedRow {
  const { line } = source
  if ('problem' in source) return { row, line, problem: source.problem }
  const { currency, ...product } = source.product
  const meant = typeof currency === 'string' ? currencyMeant(currency, DOLLARS) : DOLLARS
  if (meant !== DOLLARS) return { row, line, problem: otherCurrency(String(currency)) }
  const checked = checkSubmitted(withPlainSlug(product))
  if ('problem' in checked) return { row, line, problem: checked.problem }
  const { input, notes } = checked
  const category = categories.find(input.category)
  const said = [...(source.notes ?? []), ...notes].map((note) => `${note.field ?? 'row'} ${note.problem}`)
  if (category) return { row, line, input, category: category.slug, notes: said }
  const near = categories.near(input.category)
  const fix = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'see list_categories'
  const problem = `there is no category "${shorten(input.category, 60)}"`
  return { row, line, problem: { field: 'category', problem, fix } }
}

function otherCurrency(currency: string): InputProblem {
  return {
    field: 'price',
    problem: `is in ${shorten(currency, 10)}, not in US dollars`,
    fix: 'convert it to USD, as a plain number such as 12.50',
  }
}

/** Both forms of a slug are accepted; `<category>/<slug>` names the category too. */
function withPlainSlug(product: Record<string, unknown>): Record<string, unknown> {
  const { slug: stated } = product
  if (typeof stated !== 'string' || stated.length > MAX_SLUG) return product
  const [category, slug, more] = stated.split('/')
  return slug === undefined || more !== undefined ? product : { category, ...product, slug }
}

const MOST_IMAGES = 12

/** Null when the row says nothing new. Throws an AppError for what cannot be proposed. */
export function differenceFrom(profile: ProductProfile, { facts }: ProductInput): Proposal | null {
  const stated = statedFields(facts)
  const fields = Object.fromEntries(
    PROPOSABLE_FIELDS.filter((name) => stated.has(name)).flatMap((name) => {
      const value = proposedValue(name, facts, profile)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const images = newImages(facts.images ?? [], profile)
  if (Object.keys(fields).length === 0 && images.length === 0) return null
  const product_slug = { category: profile.category.slug, slug: profile.slug }
  return readProposal({ product_slug, fields, images, note: null })
}

/** In the contract's form; undefined for nothing new. */
function proposedValue(
  name: ProposableField,
  facts: Partial<ProductFacts>,
  profile: ProductProfile,
): unknown {
  if (name === 'specs') return newSpecs(facts.specs ?? [], profile.specs)
  if (name === 'where_to_buy') return newShops(facts.whereToBuy ?? [], profile.whereToBuy)
  if (name === 'gtin' && isSameGtin(facts.gtin, profile.gtin)) return undefined
  if (name === 'mpn' && isSameMpn(facts.mpn, profile.mpn)) return undefined
  const [current, proposed] = [fieldValue(name, profile), fieldValue(name, facts)]
  return isDeepStrictEqual(current, proposed) ? undefined : proposed
}

function newSpecs(stated: Spec[], known: Spec[]): Record<string, string> | undefined {
  const values = new Map(known.map(({ name, value }) => [name.toLowerCase(), value]))
  const fresh = stated.filter(({ name, value }) => values.get(name.toLowerCase()) !== value)
  return fresh.length === 0 ? undefined : Object.fromEntries(fresh.map(({ name, value }) => [name, value]))
}

/** The row's shops take the place of those at the same address; the rest of the list is as it was. */
function newShops(stated: Shop[], known: Shop[]): unknown {
  const address = ({ url }: Shop) => URL.parse(url)?.href ?? url
  const own = new Map(stated.map((shop) => [address(shop), shop]))
  // A row that names no price takes none away.
  const kept = known.map((shop) => {
    const said = own.get(address(shop))
    own.delete(address(shop))
    return said && said.priceCents !== null ? { ...shop, priceCents: said.priceCents } : shop
  })
  const shops = [...kept, ...own.values()]
  return isDeepStrictEqual(shops, known) ? undefined : fieldValue('where_to_buy', { whereToBuy: shops })
}

function newImages(stated: ProductImage[], profile: ProductProfile): ProductImage[] {
  const shown = new Set([...profile.images, ...(profile.additionalImages ?? [])].map(({ url }) => url))
  return stated
    .map(({ url, alt }) => ({ url: URL.parse(url)?.href ?? url, alt }))
    .filter(({ url }) => url.startsWith('https:') && !shown.has(url))
    .slice(0, MOST_IMAGES)
}
