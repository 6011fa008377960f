/**
 * The variant that a buyer or a seller names, by its id, sku, gtin or options ("Red / M"). What is kept of it stays true
 * when the catalog drops it. Names come from files of strangers: they are one short line wherever they are kept.
 */
import type { Db } from '../db/database.ts'
import type { ChosenVariant } from '../db/tables.ts'
import { invalid } from '../lib/errors.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { inlineText } from '../lib/untrusted.ts'
import type { Variant } from './catalog.schema.ts'
import { findVariants } from './chosen-variant.queries.ts'
import { findVariant, variantName } from './variants.ts'

export const VARIANT = 'One variant of the product: its id, SKU, GTIN or options, such as "Red / M"'
/** As long as the catalog lets an id be. */
export const MAX_VARIANT = 300
const MAX_LABEL = 120
/** Of many variants a refusal names the first. */
const MOST_CHOICES = 20
const MAX_CHOICE = 80

export type { ChosenVariant }
export { findVariants }

/** Its name in one short line. */
export function variantLabel(variant: Variant): string {
  return shorten(cleanLine(variantName(variant)), MAX_LABEL) || shorten(cleanLine(variant.id), MAX_LABEL)
}

/** Throws with some of the choices unless exactly one variant is meant. */
export function requireVariant(variants: readonly Variant[], named: string, field = 'variant'): Variant {
  const variant = findVariant(variants, named)
  if (variant) return variant
  if (variants.length === 0) throw invalid(field, `${field}: this product has no variants; leave it out`)
  const fitting = variants.filter((one) => findVariant([one], named) !== null)
  const [meant, problem] =
    fitting.length > 1
      ? [fitting, `fits ${fitting.length} variants of this product; name one by its id or SKU`]
      : [variants, `is not one of this product's ${variants.length} variants`]
  const valid = meant.slice(0, MOST_CHOICES).map((one) => choiceOf(one, variants))
  const some = valid.length < meant.length ? `; the first ${valid.length} are listed` : ''
  throw invalid(field, `${field}: ${problem}${some}`, { valid })
}

/** By which a variant can be named: its name, or its id where the name fits others too or would have to be escaped. */
function choiceOf(variant: Variant, variants: readonly Variant[]): string {
  const name = variantName(variant)
  const isPlain = inlineText(name, MAX_CHOICE) === name
  return isPlain && findVariant(variants, name) === variant ? name : inlineText(variant.id, MAX_CHOICE)
}

/** What a form offers to choose from: value and words. */
export function variantChoices(
  variants: readonly Variant[],
  any = 'Any',
): Array<readonly [value: string, words: string]> {
  return [['', any], ...variants.map((variant) => [variant.id, variantLabel(variant)] as const)]
}

export function chosenOf(variant: Variant): ChosenVariant {
  const { id, sku, gtin } = variant
  return { id, name: variantLabel(variant), sku, gtin }
}

/** The variant of a stored product that is meant; null if none is named. */
export async function chooseVariant(
  ctx: { db: Db },
  { productId, named }: { productId: string; named: string | null },
): Promise<ChosenVariant | null> {
  if (named === null) return null
  const variants = (await findVariants(ctx.db, [productId])).get(productId) ?? []
  return chosenOf(requireVariant(variants, named))
}
