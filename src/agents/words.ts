/** Turns of phrase that the texts for models share. */
import { formatUsd } from '../lib/money.ts'
import { inlineText } from './untrusted.ts'

export function usd(dollars: number): string {
  return formatUsd(Math.round(dollars * 100))
}

/** "1 product", "1,204 products". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

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
