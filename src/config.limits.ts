/** What SOUK_LIMITS and SOUK_KEEP take: several settings in one variable each, and what holds for those not named. */
import { z } from 'zod'
import { parseNamedValues } from './lib/named-values.ts'
import type { Rate } from './lib/rate-limit.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** What SOUK_LIMITS sets: how often one caller may do it. */
const LIMITS = {
  /** Searches that must be worked out, by network; a remembered answer costs nothing and is not counted. */
  search: { count: 6_000, windowMs: MINUTE },
  /** Suggestions while somebody types, by network: one for each key that is pressed. */
  suggest: { count: 12_000, windowMs: MINUTE },
  /** Requests for quote that a person sends; each goes to every producer of a product. */
  rfq: { count: 120, windowMs: HOUR },
  /** Files that an organization brings. */
  import: { count: 60, windowMs: HOUR },
  /** New accounts, by network. */
  signup: { count: 120, windowMs: HOUR },
  /** New OAuth clients, by network. The servers of a large assistant register one for each user, from few addresses. */
  register: { count: 360, windowMs: HOUR },
  /** Reports of mistakes in products, by network. */
  mistakes: { count: 10, windowMs: HOUR },
} satisfies Record<string, Rate>
export type LimitName = keyof typeof LIMITS

/** Days that SOUK_KEEP sets, after which a sweep deletes; null is for ever. */
const KEEP = {
  searches: 90,
  attempts: 365,
  audit: null,
  requests: null,
} satisfies Record<string, number | null>
export type KeepName = keyof typeof KEEP

const WINDOWS: Record<string, number> = { second: SECOND, minute: MINUTE, hour: HOUR, day: 24 * HOUR }

/** `600/minute`, or `off`. */
function toRate(text: string): Rate | null | undefined {
  if (text === 'off') return null
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})\/(second|minute|hour|day)$/.exec(text) ?? []
  return count === '' ? undefined : { count: Number(count), windowMs: WINDOWS[unit] ?? MINUTE }
}

/** A number of days, or `forever`. */
function toDays(text: string): number | null | undefined {
  if (text === 'forever') return null
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined
}

const namedValues = <Name extends string, Value>(
  presets: Record<Name, Value>,
  read: (text: string) => Value | undefined,
  takes: string,
) =>
  z
    .string()
    .default('')
    .transform((text, issue) => {
      const values = parseNamedValues(text, presets, read)
      if (typeof values !== 'string') return values
      issue.addIssue({ code: 'custom', message: values })
      return z.NEVER
    })
    .describe(takes)

export const limitsSetting = namedValues<LimitName, Rate | null>(
  LIMITS,
  toRate,
  'limits such as search=600/minute,rfq=off, separated by commas',
)

export const keepSetting = namedValues<KeepName, number | null>(
  KEEP,
  toDays,
  'numbers of days such as searches=30,audit=forever, separated by commas',
)
