/**
 * Sizes and colours of one product; pure. A file gives them with the product, or one a row in any order: then the rows of
 * a group come together here. The product's price spans theirs, and what tells them apart becomes its specs.
 */
import type { Product, ProductFacts, Spec, Variant } from './catalog.schema.ts'
import { isParentKey } from './import-keys.ts'
import type { ProductInput } from './product-input.ts'

/** A product with more of them keeps the first: nobody chooses among so many. */
const MOST = 500

/** What the row makes of the product. The first variant of a group speaks for the product, the others for themselves. */
export function withVariants(
  base: Product,
  input: ProductInput,
): { facts: Partial<ProductFacts>; isLead: boolean } {
  const { facts } = input
  if (input.group === null) {
    const { variants } = facts
    return { facts: variants?.length ? { ...facts, ...spanned(facts, variants) } : facts, isLead: true }
  }
  const own = variantOf(input)
  const known = base.variants.some(({ id }) => id === own.id)
  const variants = known
    ? base.variants.map((variant) => (variant.id === own.id ? own : variant))
    : [...base.variants, own].slice(0, MOST)
  // Where the product is a row of its own, that row speaks for it, unless it is yet to come.
  const isLead = base.title === '' || (!isParentKey(input.group) && variants[0]?.id === own.id)
  // A number of one variant is not the product's.
  const { gtin: _gtin, sku: _sku, ...shared } = facts
  const start = isLead ? shared : { specs: base.specs }
  return { facts: { ...start, variants, ...spanned(start, variants) }, isLead }
}

/** A variant with the title of all: "Rain jacket - Red / M" is the rain jacket. */
export function namedForAll(input: ProductInput): ProductInput {
  const { facts, options } = input
  return { ...input, facts: { ...facts, title: withoutOptions(facts.title, options) } }
}

/** Takes away what stands at the end and only names options. */
function withoutOptions(title: string, options: Spec[]): string {
  const values = new Set(options.map(({ value }) => value.toLowerCase()))
  const parts = title.split(/(\s+[-–—|/]\s+|\s*[,(/)]\s*)/)
  let end = parts.length
  while (end > 1) {
    const part = (parts[end - 1] ?? '').trim().toLowerCase()
    if (part !== '' && !/^[-–—|/,()]+$/.test(part) && !values.has(part)) break
    end--
  }
  // What was cut off must have named an option: a closing bracket alone is part of the name.
  const cut = parts.slice(end).some((part) => values.has(part.trim().toLowerCase()))
  return cut ? parts.slice(0, end).join('').trim() : title
}

function variantOf({ id, group, options, facts }: ProductInput): Variant {
  return {
    id: id ?? facts.sku ?? group ?? '',
    sku: facts.sku ?? null,
    gtin: facts.gtin ?? null,
    options,
    priceCents: facts.priceLowCents ?? null,
    listPriceCents: facts.listPriceCents ?? null,
  }
}

function spanned(facts: Partial<ProductFacts>, variants: Variant[]): Partial<ProductFacts> {
  const prices = variants.flatMap(({ priceCents }) => priceCents ?? [])
  const names = new Set(variants.flatMap(({ options }) => options.map(({ name }) => name)))
  const options = [...names].map((name): Spec => ({ name, value: valuesOf(name, variants) }))
  const others = (facts.specs ?? []).filter(({ name }) => !names.has(name))
  return {
    ...(prices.length > 0 && { priceLowCents: Math.min(...prices), priceHighCents: Math.max(...prices) }),
    ...(facts.specs !== undefined || options.length > 0 ? { specs: [...others, ...options] } : {}),
  }
}

const MAX_VALUES = 300

function valuesOf(name: string, variants: Variant[]): string {
  const all = variants.flatMap(({ options }) => options.filter((option) => option.name === name))
  const text = [...new Set(all.map(({ value }) => value))].join(', ')
  return text.length <= MAX_VALUES ? text : `${text.slice(0, MAX_VALUES - 1).replace(/,[^,]*$/, '')} …`
}
