/**
 * The words of saved products: a person's private lists of things to come back to, and what a list name, a note and a
 * moment may be. Text is cleaned here and counted in code points, as people count characters.
 */
import { z } from 'zod'
import type { Product, Variant } from '../catalog/catalog.schema.ts'
import { MAX_VARIANT } from '../catalog/chosen-variant.ts'
import type { ChangeAspect } from '../db/tables.ts'
import { dollarsToCents } from '../lib/money.ts'
import { cleanLine, cleanText } from '../lib/text.ts'
import { lengthFrom } from '../lib/validate.ts'

export const DEFAULT_LIST = 'saved'
export const MAX_SAVED = 500
export const MAX_LISTS = 20
export const MAX_LIST_NAME = 40
export const MAX_NOTE = 500
const MAX_TARGET_USD = 10_000_000

/** What is watched for a person; other texts of a profile change too often to be told. */
export const WATCHED = [
  'price',
  'offers',
  'availability',
  'discontinued',
] as const satisfies readonly ChangeAspect[]
type Watched = (typeof WATCHED)[number]

/** `at` is when it last changed; the states are as the log of changes has them. */
export type WatchedChange = {
  aspect: Watched
  at: Date
  before: unknown
  after: unknown
  /** It is of the variant that is watched. */
  ofVariant?: true
}

/** One row of a person's list. */
export type SavedEntry = {
  id: string
  list: string
  note: string | null
  targetPriceCents: number | null
  /** Null for the product as such. */
  variant: SavedVariant | null
  /** The price when it was saved. */
  was: { priceLowCents: number | null; priceHighCents: number | null }
  savedAt: Date
  /** As the catalog has it now. */
  product: Pick<Product, 'id' | 'slug' | 'title' | 'priceLowCents' | 'priceHighCents' | 'discontinued'> & {
    category: string
  }
}

/** The one that is watched, with the name it had if the catalog has dropped it. */
export type SavedVariant = {
  id: string
  name: string
  isListed: boolean
  priceCents: number | null
  /** Null if the source does not say. */
  availability: NonNullable<Variant['availability']> | null
}

/** What it costs now: the variant's own price, or the product's where all variants cost the same. */
export function priceNow({ variant, product }: Pick<SavedEntry, 'variant' | 'product'>): SavedEntry['was'] {
  const { priceLowCents, priceHighCents } = product
  if (
    variant === null ||
    (variant.isListed && variant.priceCents === null && priceLowCents === priceHighCents)
  )
    return { priceLowCents, priceHighCents }
  return { priceLowCents: variant.priceCents, priceHighCents: variant.priceCents }
}

/** "Rain jacket, Red / M" */
export function savedTitle({ product, variant }: Pick<SavedEntry, 'variant' | 'product'>): string {
  return variant ? `${product.title}, ${variant.name}` : product.title
}

export type ListCount = { name: string; count: number }

export const ListName = z
  .string()
  .transform(cleanLine)
  .superRefine(lengthFrom(1, MAX_LIST_NAME))
  .meta({ minLength: 1, maxLength: MAX_LIST_NAME })

export const Note = z
  .string()
  .transform(cleanText)
  .superRefine(lengthFrom(1, MAX_NOTE))
  .meta({ minLength: 1, maxLength: MAX_NOTE })

export const TargetPrice = z
  .number()
  .positive()
  .max(MAX_TARGET_USD)
  .refine((dollars) => dollarsToCents(dollars) !== null, {
    message: 'must be US dollars with at most two decimals',
  })

export const VariantName = z.string().trim().min(1).max(MAX_VARIANT)

const Day = z.iso.date()
const Moment = z.iso.datetime({ offset: true, local: true })

/** A day is its first moment; a time without a zone is UTC. */
export const Since = z
  .string()
  .trim()
  .max(60)
  .transform((text, ctx): Date => {
    if (Day.safeParse(text).success) return new Date(`${text}T00:00:00Z`)
    if (Moment.safeParse(text).success)
      return new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
    ctx.addIssue({
      code: 'custom',
      message: 'must be an ISO 8601 date or time, such as 2026-11-09',
      input: text,
    })
    return z.NEVER
  })
