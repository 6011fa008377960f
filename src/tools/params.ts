/** Parameters that many tools share. A model learns them once: the same name means the same everywhere. */
import { z } from 'zod'

export const DEFAULT_PAGE = 10
export const MAX_PAGE = 50
export const MAX_OFFSET = 10_000

export const limit = z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe('How many to return')
export const offset = z
  .int()
  .min(0)
  .max(MAX_OFFSET)
  .default(0)
  .describe('How many to skip: next_offset of the previous page')
export const category = z.string().trim().min(1).max(100).describe('Category slug, such as air-fryers')
export const slug = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('Product slug; <category>/<slug> is accepted too')
export const productSlug = z.string().trim().min(1).max(200).describe('<category>/<slug>, or the slug alone')

/** What every page of a list says about itself. */
export const page = {
  total: z.int().describe('Total number'),
  next_offset: z.int().nullable().describe('Send as offset for the next page; null at the end'),
}

export function nextOffset(
  total: number,
  { offset, shown }: { offset: number; shown: number },
): number | null {
  const next = offset + shown
  return shown > 0 && next < total && next <= MAX_OFFSET ? next : null
}
