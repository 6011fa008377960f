/** What the form for quotes sends, read into a request, and a request written back into a link to the filled form. */
import { z } from 'zod'
import { isDay, MAX_QUANTITY, type RfqRequest } from '../../rfq/rfq.schema.ts'
import type { AskedFor } from '../../rfq/rfq.service.ts'
import { formatCount } from '../format.ts'
import { readPlace, typedPlace } from '../kit/region.ts'

export const QUOTES_PATH = '/quotes'
export const ASK_PATH = '/quotes/new'

/** Longer than anything that can be meant. */
export const MAX_PLACE = 60

const HOW_MANY = `Ask for a whole number from 1 to ${formatCount(MAX_QUANTITY)}.`

const quantity = z
  .string()
  .default('1')
  .transform((text, context) => {
    const digits = text.trim().replaceAll(',', '')
    const count = /^\d{1,9}$/.test(digits) ? Number(digits) : 0
    if (count >= 1 && count <= MAX_QUANTITY) return count
    context.addIssue({ code: 'custom', message: HOW_MANY })
    return z.NEVER
  })

const place = z
  .string()
  .max(MAX_PLACE, `Write the place in at most ${MAX_PLACE} characters.`)
  .default('')
  .transform((text, context): string | null => {
    if (text.trim() === '') return null
    const read = readPlace(text)
    if ('region' in read) return read.region
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })

const day = z
  .string()
  .default('')
  .transform((text) => text.trim() || null)
  .refine((text) => text === null || isDay(text), 'Write the day as year, month and day: 2026-12-01.')

export const AskRequest: z.ZodType<RfqRequest> = z.object({
  product_slug: z
    .string()
    .trim()
    .min(1, 'Choose a product first.')
    .max(200, 'There is no such product here.')
    .default(''),
  quantity,
  delivery_region: place,
  deadline_iso: day,
})

/** What a request was asked with, as the form has it. */
export function askAgainPath(task: AskedFor): string {
  const query = new URLSearchParams({ product_slug: task.productSlug, quantity: String(task.quantity) })
  if (task.deliveryRegion !== null) query.set('delivery_region', typedPlace(task.deliveryRegion))
  if (task.deadlineIso !== null) query.set('deadline_iso', task.deadlineIso.slice(0, 10))
  return `${ASK_PATH}?${query}`
}
