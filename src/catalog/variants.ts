/**
 * Sizes and colours of one product; pure. A file gives them with the product, or one a row in any order: then the rows of
 * a group come together here. The product's price spans theirs, and what tells them apart becomes its specs.
 */
import type { OriginalPrice, Product, ProductFacts, Spec, Variant } from './catalog.schema.ts'
import { isParentKey } from './import-keys.ts'
import { isSameGtin } from './product-identity.ts'
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
    if (variants?.length) return { facts: { ...facts, ...spanned(facts, variants) }, isLead: true }
    // The row of a product whose variants are rows of their own says no more of them than their choices.
    const keeps = variants === undefined && base.variants.length > 0 && facts.specs !== undefined
    return {
      facts: keeps ? { ...facts, specs: withChoices(facts.specs, base.variants) } : facts,
      isLead: true,
    }
  }
  const stated = variantOf(input)
  const known = sameVariant(base.variants, stated)
  const own = known ? { ...stated, id: known.id } : stated
  const variants = known
    ? base.variants.map((variant) => (variant === known ? own : variant))
    : [...base.variants, own].slice(0, MOST)
  // Where the product is a row of its own, that row speaks for it, unless it is yet to come.
  const isLead = base.title === '' || (!isParentKey(input.group) && variants[0]?.id === own.id)
  // A number of one variant is not the product's.
  const { gtin: _gtin, sku: _sku, ...shared } = facts
  const start = isLead ? shared : { specs: base.specs }
  return { facts: { ...start, variants, ...spanned(start, variants) }, isLead }
}

/**
 * The span of all variants in the currency that one of them is stated in. An end is an amount that is known to have
 * become it, or else what it comes to at the rate.
 */
export function originalSpan(
  stated: OriginalPrice,
  before: OriginalPrice | undefined,
  { priceLowCents, priceHighCents }: Pick<Product, 'priceLowCents' | 'priceHighCents'>,
): OriginalPrice {
  const { currency, rate } = stated
  const isAlike = before?.currency === currency && before.rate === rate
  const amounts = [stated.low, stated.high, ...(isAlike ? [before.low, before.high] : [])]
  const ends = { low: Math.min(...amounts), high: Math.max(...amounts) }
  if (rate === null || priceLowCents === null || priceHighCents === null) return { ...stated, ...ends }
  const endOf = (cents: number) =>
    amounts.find((amount) => Math.round(amount * rate * 100) === cents) ?? Math.round(cents / rate) / 100
  return { ...stated, low: endOf(priceLowCents), high: endOf(priceHighCents) }
}

/** The one that another statement means too: by its id, its barcode or its article number, in this order. */
export function sameVariant(
  variants: readonly Variant[],
  { id, gtin, sku }: Pick<Variant, 'id' | 'gtin' | 'sku'>,
): Variant | undefined {
  const only = (isSame: (variant: Variant) => boolean) => {
    const found = variants.filter(isSame)
    return found.length === 1 ? found[0] : undefined
  }
  return (
    variants.find((variant) => variant.id === id) ??
    (gtin === null ? undefined : only((variant) => isSameGtin(variant.gtin, gtin))) ??
    (sku === null ? undefined : only((variant) => variant.sku === sku))
  )
}

/** One name for what files spell differently: "colour", "COLOR" and "pa_color" are "Color". Other names stay as they are. */
export function optionName(name: string): string {
  const plain = name.replace(/^(attribute_)?pa_/, '')
  const words = plain.replaceAll('_', ' ').trim().toLowerCase()
  const known = SPELLINGS[words] ?? words
  const isKnown = KNOWN_OPTIONS.has(known)
  // Written as a code or all in lower case, it is not written for people.
  return isKnown || plain === plain.toLowerCase() ? known.charAt(0).toUpperCase() + known.slice(1) : plain
}

const SPELLINGS: Readonly<Record<string, string>> = { colour: 'color', flavour: 'flavor', colors: 'color' }
const KNOWN_OPTIONS: ReadonlySet<string> = new Set([
  ...['color', 'size', 'material', 'pattern', 'style', 'flavor', 'scent', 'length', 'width', 'capacity'],
])

/** "Red / M", or what its source calls it. */
export function variantName({ id, sku, options }: Variant): string {
  return options.map(({ value }) => value).join(' / ') || sku || id
}

/**
 * Finds the variant that `named` means: by its id, or else by its sku, its gtin or its options in any order and case
 * ("m, red"). Null if there is none or more than one.
 */
export function findVariant(variants: readonly Variant[], named: string): Variant | null {
  const exact = variants.find(({ id }) => id === named)
  if (exact) return exact
  const wanted = plainOptions(named)
  const found = variants.filter(
    ({ sku, gtin, options }) =>
      sku === named || gtin === named || plainOptions(options.map(({ value }) => value).join('/')) === wanted,
  )
  return found.length === 1 ? (found[0] ?? null) : null
}

function plainOptions(text: string): string {
  const values = text
    .toLowerCase()
    .split(/[/,]/)
    .map((value) => value.trim())
  return values
    .filter((value) => value !== '')
    .sort()
    .join('/')
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

function variantOf({ id, group, options, availability, facts }: ProductInput): Variant {
  const [image] = facts.images ?? []
  return {
    id: id ?? facts.sku ?? group ?? '',
    sku: facts.sku ?? null,
    gtin: facts.gtin ?? null,
    options,
    priceCents: facts.priceLowCents ?? null,
    listPriceCents: facts.listPriceCents ?? null,
    ...(image && { image: image.url }),
    ...(availability && { availability }),
  }
}

function spanned(facts: Partial<ProductFacts>, variants: Variant[]): Partial<ProductFacts> {
  const prices = variants.flatMap(({ priceCents }) => priceCents ?? [])
  const isTold = facts.specs !== undefined || variants.some(({ options }) => options.length > 0)
  return {
    ...(prices.length > 0 && { priceLowCents: Math.min(...prices), priceHighCents: Math.max(...prices) }),
    ...(isTold && { specs: withChoices(facts.specs, variants) }),
  }
}

/** What tells the variants apart comes last, and takes the place of what one of them says of itself. */
function withChoices(specs: readonly Spec[] = [], variants: readonly Variant[]): Spec[] {
  const axes = optionAxes(variants)
  const names = new Set(axes.map(({ name }) => name))
  const others = specs.filter(({ name }) => !names.has(optionName(name)))
  return [...others, ...axes.map(({ name, values }) => ({ name, value: listed(values) }))]
}

/** What can be chosen, in the order of the file: Color (Red, Blue), Size (S, M, L). */
export function optionAxes(
  variants: readonly Pick<Variant, 'options'>[],
): { name: string; values: string[] }[] {
  const axes = new Map<string, Set<string>>()
  for (const { options } of variants)
    for (const { name, value } of options) axes.set(name, (axes.get(name) ?? new Set()).add(value))
  return Array.from(axes, ([name, values]) => ({ name, values: [...values] }))
}

const MAX_VALUES = 300

function listed(values: readonly string[]): string {
  const text = values.join(', ')
  return text.length <= MAX_VALUES ? text : `${text.slice(0, MAX_VALUES - 1).replace(/,[^,]*$/, '')} …`
}
