/**
 * `POST /catalog/lookup` and `/catalog/product`: products by what names them. A batch answers with what it found, one
 * variant for each thing that was named, and says which names led nowhere; a single product that is not there is an
 * error of its own form, still with status 200, because the question was a good one.
 */
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { type ProductSlug, ProductSlugInput } from '../../catalog/relationships.schema.ts'
import type { AgentsContext } from '../context.ts'
import { type Filters, fittingVariants, readFilters } from './filters.ts'
import {
  type Option,
  profilesOf,
  type Sold,
  toProduct,
  type UcpProduct,
  type Variant,
  variantsOf,
} from './product.ts'
import { findBySlugs } from './products.queries.ts'
import { type ErrorAnswer, errorAnswer, info, LOOKUP, type Message, type UcpCaller } from './protocol.ts'
import type { LookupRequest, ProductRequest } from './ucp.schema.ts'

/** Of an id that is shown back. */
const SHOWN_ID = 300
const PRICE_UNKNOWN = 'price_unknown'
const FILTERED_OUT = 'filtered_out'

type LookupAnswer = { products: UcpProduct[]; messages?: Message[] }
type ProductAnswer = { product: UcpProduct; messages?: Message[] }

type Named = { id: string; variant: string | null }
type Reading = Pick<UcpCaller, 'agent' | 'countsRead'>

export async function lookupCatalog(
  ctx: AgentsContext,
  request: LookupRequest,
  { agent, countsRead }: Reading,
): Promise<LookupAnswer> {
  const { filters, messages } = readFilters(request)
  const asked = new Map<string, Named[]>()
  for (const { id, found } of await resolve(ctx, [...new Set(request.ids)])) {
    if (!found) messages.push(notFound(id))
    else asked.set(found.productId, [...(asked.get(found.productId) ?? []), { id, variant: found.variant }])
  }
  const profiles = await profilesOf(ctx, [...asked.keys()])
  const products = profiles.flatMap((profile) => {
    const { product, problems } = lookedUp(ctx, profile, { filters, named: asked.get(profile.id) ?? [] })
    messages.push(...problems)
    if (!product) return []
    if (countsRead()) ctx.reads.count({ productId: profile.id, face: 'ucp', agent })
    return [product]
  })
  return { products, ...(messages.length > 0 && { messages }) }
}

export async function getUcpProduct(
  ctx: AgentsContext,
  request: ProductRequest,
  { agent, countsRead }: Reading,
): Promise<ProductAnswer | ErrorAnswer> {
  const { baseUrl } = ctx.config
  const { filters, messages } = readFilters(request)
  const found = (await resolve(ctx, [request.id]))[0]?.found ?? null
  const [profile] = found ? await profilesOf(ctx, [found.productId]) : []
  const sold = profile ? variantsOf(profile, baseUrl) : []
  const end = endAmong(sold, found?.variant ?? null)
  const asked = end === null ? undefined : sold.find(({ variant }) => endsIn(variant, end))
  if (!found || !profile || (end !== null && !asked)) {
    const content = `Product not found: ${shown(request.id)}`
    return errorAnswer(LOOKUP, { code: 'not_found', content, severity: 'unrecoverable' }, `${baseUrl}/`)
  }
  const page = `${baseUrl}${productPath(profile)}`
  if (sold.length === 0) {
    const content = `${shown(request.id)} has no known price`
    return errorAnswer(LOOKUP, { code: PRICE_UNKNOWN, content, severity: 'unrecoverable' }, page)
  }
  const fitting = fittingVariants(profile, sold, filters)
  const first = asked && fitting.includes(asked) ? [asked] : []
  const { variants: chosen, selected } = narrow(fitting, request.selected ?? first[0]?.variant.options ?? [])
  const others = request.selected ? chosen : fitting
  const ordered = [...first, ...others.filter((one) => one !== asked)].map(({ variant }) => variant)
  if (ordered.length === 0) {
    const content = `${shown(request.id)} has no variant that matches the filters`
    return errorAnswer(LOOKUP, { code: FILTERED_OUT, content, severity: 'recoverable' }, page)
  }
  if (countsRead()) ctx.reads.count({ productId: profile.id, face: 'ucp', agent })
  return {
    product: toProduct(profile, { sold, shown: ordered, baseUrl, detail: 'full', selected }),
    ...(messages.length > 0 && { messages }),
  }
}

/** The variants that have the options asked for, as many of these from the first on as some variant has. */
function narrow(
  fitting: readonly Sold[],
  wanted: readonly Option[],
): { variants: Sold[]; selected: Option[] } {
  const has = ({ variant: { options = [] } }: Sold, { name, label }: Option) =>
    options.some((option) => isSame(option.name, name) && isSame(option.label, label))
  let variants = [...fitting]
  const selected: Option[] = []
  for (const { name, label } of wanted) {
    const left = variants.filter((one) => has(one, { name, label }))
    if (left.length === 0) continue
    variants = left
    selected.push({ name, label })
  }
  return { variants, selected }
}

function isSame(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

/** `listed` is the product as shops sell it; of one that has variants it stands for any of them. */
function endAmong(sold: readonly Sold[], end: string | null): string | null {
  return end === 'listed' && sold.length > 0 && !sold.some(({ variant }) => endsIn(variant, end)) ? null : end
}

/** A product id stands for the first variant that fits; a variant's own id for that one or none. */
function lookedUp(
  { config: { baseUrl } }: AgentsContext,
  profile: ProductProfile,
  { filters, named }: { filters: Filters; named: Named[] },
): { product: UcpProduct | null; problems: Message[] } {
  const sold = variantsOf(profile, baseUrl)
  if (sold.length === 0) {
    const problems = named.map(({ id, variant }) =>
      variant === null ? info(PRICE_UNKNOWN, shown(id)) : notFound(id),
    )
    return { product: null, problems }
  }
  const problems: Message[] = []
  const inputs = new Map<Sold, NonNullable<Variant['inputs']>>()
  const fitting = fittingVariants(profile, sold, filters)
  for (const { id, variant } of named) {
    const end = endAmong(sold, variant)
    const exact = end === null ? null : sold.find(({ variant }) => endsIn(variant, end))
    const one = exact === null ? fitting[0] : exact
    if (exact === undefined) problems.push(notFound(id))
    else if (!one || !fitting.includes(one)) problems.push(info(FILTERED_OUT, shown(id)))
    else inputs.set(one, [...(inputs.get(one) ?? []), { id, match: exact ? 'exact' : 'featured' }])
  }
  const variants = sold.flatMap((one) => {
    const found = inputs.get(one)
    return found ? [{ ...one.variant, inputs: found }] : []
  })
  const product = variants.length > 0 ? toProduct(profile, { sold, shown: variants, baseUrl }) : null
  return { product, problems }
}

type Resolved = { id: string; found: { productId: string; variant: Identifier['variant'] } | null }

async function resolve(ctx: AgentsContext, ids: string[]): Promise<Resolved[]> {
  const read = ids.map((id) => ({ id, identifier: readIdentifier(id, ctx.config.baseUrl) }))
  const slugs = read.flatMap(({ identifier }) => (identifier ? [identifier.product.slug] : []))
  const bySlug = new Map((await findBySlugs(ctx.db, slugs)).map((product) => [product.slug, product]))
  return read.map(({ id, identifier }) => {
    const product = identifier && bySlug.get(identifier.product.slug)
    const wanted = identifier?.product.category ?? null
    const same = product && (wanted === null || wanted === product.category)
    return { id, found: same ? { productId: product.id, variant: identifier.variant } : null }
  })
}

function endsIn({ id }: Variant, end: string | null): boolean {
  return id.endsWith(`:${end}`)
}

/** The id itself and nothing else, so that a program can tell which of its ids it was. */
function notFound(id: string): Message {
  return info('not_found', shown(id))
}

function shown(id: string): string {
  return id.slice(0, SHOWN_ID).toWellFormed()
}

/**
 * What a product may be asked for by: its id (`category/slug`), its handle (the slug alone), the address of its page in
 * any form, and the ids of its variants. All of them stand in the product that is answered.
 */
type Identifier = {
  product: ProductSlug
  /** The end of a variant's id; null when the product itself is named. */
  variant: string | null
}

const VARIANT = /^([^:]+):(listed|offer-[0-9a-f-]{36}|variant-[\w.~-]{1,100})$/
const PAGE = /^\/p\/([a-z0-9-]+\/[a-z0-9-]+?)(?:\.(?:md|json))?\/?$/

/** Null for what can be none of them. */
function readIdentifier(text: string, baseUrl: string): Identifier | null {
  const given = text.trim()
  const [, named = given, variant = null] = VARIANT.exec(given) ?? []
  const slug = variant === null ? (slugOfPage(named, baseUrl) ?? named) : named
  const parsed = ProductSlugInput.safeParse(slug)
  return parsed.success ? { product: parsed.data, variant } : null
}

function slugOfPage(text: string, baseUrl: string): string | null {
  const url = URL.parse(text)
  const home = new URL(baseUrl)
  const root = home.pathname.replace(/\/$/, '')
  if (url?.origin !== home.origin || !url.pathname.startsWith(`${root}/`)) return null
  return PAGE.exec(url.pathname.slice(root.length))?.[1] ?? null
}
