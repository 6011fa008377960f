/** What the address of the figures asks for: by what, and over which days. What it cannot mean is said beside its field. */
import { GROUPS, type Group, lastDays } from '../../../producers/performance.service.ts'
import { isDay } from '../../../rfq/rfq.schema.ts'
import type { FormState } from '../../kit/fields.tsx'
import { PERFORMANCE_PATH } from '../paths.ts'

export const CSV_PATH = `${PERFORMANCE_PATH}.csv`

export const RANGES = [7, 30, 90, 365] as const
export type Range = (typeof RANGES)[number]
const USUAL: Range = 30

export type Ask = {
  by: Group
  /** Null when days were named. */
  days: Range | null
  from: string
  to: string
  /** As they were typed, where they are no days. */
  state: FormState
}

/** Days that are named win over a range; one of the two alone is completed from the usual one. */
export function readAsk(query: Record<string, string>, now: Date): Ask {
  const by = GROUPS.find((group) => group === query.by) ?? 'day'
  const typed = { from: query.from?.trim() ?? '', to: query.to?.trim() ?? '' }
  const errors = Object.fromEntries(
    Object.entries(typed)
      .filter(([, day]) => day !== '' && !isDay(day))
      .map(([name]) => [name, 'Write a date such as 2026-12-01.']),
  )
  const state = { values: {}, errors: {} }
  if (typed.from === '' && typed.to === '') {
    const days = RANGES.find((range) => String(range) === query.days) ?? USUAL
    return { by, days, ...lastDays(now, days), state }
  }
  if (Object.keys(errors).length > 0)
    return { by, days: null, ...lastDays(now, USUAL), state: { values: typed, errors } }
  const to = typed.to || lastDays(now, 1).to
  const from = typed.from || lastDays(new Date(`${to}T00:00:00Z`), USUAL).from
  const turned =
    from > to ? { values: typed, errors: { from: 'The first day must not be after the last.' } } : state
  return { by, days: null, from, to, state: turned }
}

/** The address of the same figures with something else asked for. */
export function addressOf(path: string, ask: Ask, change: Partial<Pick<Ask, 'by' | 'days'>> = {}): string {
  const { by, days, from, to } = { ...ask, ...change }
  const span: Record<string, string> = days === null ? { from, to } : { days: String(days) }
  return `${path}?${new URLSearchParams({ by, ...span })}`
}
