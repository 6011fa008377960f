/** How a product is named in texts for models. */
import { inlineText } from '../lib/untrusted.ts'

/** The form of a slug that is clear wherever it is sent. */
export function canonicalSlug({ category, slug }: { category: string; slug: string }): string {
  return `${category}/${slug}`
}

export type NamedProduct = {
  slug: string
  category: string
  title: string
  price_range: string | null
  is_sponsored: boolean
  discontinued: boolean
}

/** What a product in a list begins with: its name, how to ask for it, and what a buyer must know first. */
export function productLine(product: NamedProduct): string {
  const facts = [
    `**${inlineText(product.title, 200)}**`,
    canonicalSlug(product),
    product.price_range ?? 'price unknown',
    ...(product.discontinued ? ['**discontinued**'] : []),
    ...(product.is_sponsored ? ['has a promoted offer'] : []),
  ]
  return facts.join(' · ')
}
