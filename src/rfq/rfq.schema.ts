/** What a buyer asks for, and the days and moments that requests and answers speak of. */
import { z } from 'zod'
import { MAX_VARIANT, VARIANT } from '../catalog/chosen-variant.ts'
import { checkRegion, MAX_REGION } from '../lib/regions.ts'

export const MAX_QUANTITY = 100_000
export const DELIVERY_REGION = 'State or country, such as CA-US, California or Germany'

/** Agents often send null or an empty string for what they do not know: both count as not given. */
const deliveryRegion = z
  .string()
  .max(MAX_REGION)
  .nullish()
  .transform((text, context) => (text?.trim() ? checkRegion(text, context) : null))

const deadline = z
  .string()
  .max(60)
  .nullish()
  .transform((text, context) => {
    const iso = text?.trim()
    if (!iso) return null
    if (isDay(iso) || readInstant(iso)) return iso
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date, such as 2026-12-01' })
    return z.NEVER
  })

const variant = z
  .string()
  .max(MAX_VARIANT)
  .nullish()
  .transform((text) => text?.trim() || null)

export const RfqRequest = z.object({
  product_slug: z.string().trim().min(1).max(200).describe('<category>/<slug>, or the slug alone'),
  quantity: z.number().int().min(1).max(MAX_QUANTITY).default(1),
  delivery_region: deliveryRegion.describe(DELIVERY_REGION),
  deadline_iso: deadline.describe('Latest acceptable delivery date, ISO 8601'),
  variant: variant.describe(VARIANT),
})
export type RfqRequest = z.output<typeof RfqRequest>

/** The last moment of the day the buyer wrote, whatever hour or zone stands beside it: a delivery has a date. */
export function deadlineOf(deadlineIso: string): Date {
  return new Date(`${deadlineIso.slice(0, 10)}T23:59:59.999Z`)
}

/** An ISO 8601 date that exists in the calendar. */
export function isDay(text: string): boolean {
  return text.length === 10 && readInstant(`${text}T00:00Z`) !== null
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/

/** An ISO 8601 date and time that exists in the calendar; without a zone it is UTC, like all times here. */
export function readInstant(text: string): Date | null {
  const match = INSTANT.exec(text)
  if (!match) return null
  const [, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match
  // Date accepts 30 February and makes it 2 March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return null
  return new Date(`${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
}

/** A day, from its beginning, or a moment of it. */
export const Since = z
  .string()
  .max(60)
  .transform((text, context): Date => {
    const since = readInstant(text.trim().length === 10 ? `${text.trim()}T00:00Z` : text.trim())
    if (since) return since
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date, such as 2026-12-01' })
    return z.NEVER
  })
