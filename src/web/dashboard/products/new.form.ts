/** The form of a new product, read into what the tool takes; and a proposal of before, back into the form. */
import { z } from 'zod'
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import { SubmitProduct } from '../../../catalog/submissions.schema.ts'
import type { OwnSubmission } from '../../../catalog/submissions.service.ts'
import { centsToDollars, readDollars, typedDollars } from '../../../lib/money.ts'
import { invalidInput } from '../../../lib/validate.ts'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import { plainLines, readImages, readSpecs, specLine } from './lines.ts'

export const NEW_LABELS = {
  category: 'Category',
  title: FIELD_WORDS.title,
  brand: 'Brand',
  model: FIELD_WORDS.model,
  gtin: FIELD_WORDS.gtin,
  mpn: FIELD_WORDS.mpn,
  description: FIELD_WORDS.description,
  specs: FIELD_WORDS.specs,
  image_urls: 'Images',
  product_url: 'Its page on your site',
  price_usd: 'Price in US dollars',
} as const
type NewField = keyof typeof NEW_LABELS

type NewProduct = { request: SubmitProduct; values: Record<string, string> }

/** Everything that is wrong is told at once, each beside its field. What is left empty is not stated. */
export const NewForm = z.record(z.string(), z.string()).transform((values, check): NewProduct => {
  const told = new Set<string>()
  const refuse = (field: NewField, problem: string) => {
    if (told.has(field)) return
    told.add(field)
    const message = `${NEW_LABELS[field]}: ${problem}`
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  }
  const typed = (field: NewField) => plainLines(values[field] ?? '') || undefined
  if (!typed('category')) refuse('category', 'choose one')
  if (!typed('title')) refuse('title', 'every product needs one')
  const specs = readSpecs(values.specs ?? '')
  if (specs.problem !== null) refuse('specs', specs.problem)
  const images = readImages(values.image_urls ?? '')
  if (images.problem !== null) refuse('image_urls', images.problem)
  const price = typed('price_usd')
  const cents = price === undefined ? null : readDollars(price)
  if (price !== undefined && cents === null) refuse('price_usd', 'write dollars such as 49.99')
  const parsed = SubmitProduct.safeParse(
    {
      category: typed('category') ?? '',
      title: typed('title') ?? '',
      brand: typed('brand'),
      model: typed('model'),
      gtin: typed('gtin'),
      mpn: typed('mpn'),
      description: typed('description'),
      specs:
        specs.entries.length === 0
          ? undefined
          : Object.fromEntries(specs.entries.map(({ name, value }) => [name, value])),
      image_urls: images.entries.length === 0 ? undefined : images.entries.map(({ url }) => url),
      product_url: typed('product_url'),
      price_usd: cents === null ? undefined : centsToDollars(cents),
    },
    { reportInput: true },
  )
  if (!parsed.success)
    for (const issue of parsed.error.issues) {
      const { field = '', message } = invalidInput(new z.ZodError([issue]))
      const top = field.split('.')[0] ?? ''
      const within = field === top ? '' : `“${field.slice(top.length + 1)}” `
      if (isNewField(top)) refuse(top, `${within}${message.slice(`${field}: `.length)}`)
    }
  return parsed.success && told.size === 0 ? { request: parsed.data, values } : z.NEVER
})

export function isNewField(field: string): field is NewField {
  return Object.hasOwn(NEW_LABELS, field)
}

/** What a proposal of before says, to be typed over. */
export function valuesOf({ product, productUrl }: OwnSubmission): Record<string, string> {
  const text = (name: string) => (typeof product[name] === 'string' ? (product[name] as string) : '')
  const list = <Entry>(name: string) => (Array.isArray(product[name]) ? (product[name] as Entry[]) : [])
  const low = (product.price as { low?: number } | null | undefined)?.low
  return {
    category: text('category'),
    title: text('title'),
    brand: text('brand'),
    model: text('model'),
    gtin: text('gtin'),
    mpn: text('mpn'),
    description: text('description'),
    specs: list<Spec>('specs').map(specLine).join('\n'),
    image_urls: list<ProductImage>('images')
      .map(({ url }) => url)
      .join('\n'),
    product_url: productUrl ?? '',
    price_usd: low === undefined ? '' : typedDollars(Math.round(low * 100)),
  }
}
