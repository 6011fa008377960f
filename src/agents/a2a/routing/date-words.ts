/** The words that dates are made of, and those that lead to one. */
import { type Phrases, phrases, wordSet } from '../../../search/understand/tokens.ts'
import { addDays, thanksgiving, type Unit, utc } from './calendar.ts'

/** Only a date can follow these … */
export const STRICT = wordSet('by before until till on since after due deadline date than : =')
/** … and these make one of a month's, a feast's or a weekday's name. */
export const LEADS = wordSet(
  'by before until till in on since after for this next last past coming of during deadline : =',
)
export const LED_BY = wordSet(
  'by before until till within the this next last past previous coming over during no later than deadline due on',
)
export const MONTHS = new Map(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((name, month) => [
      [name, month] as const,
      [name.slice(0, 3), month] as const,
      ...(name === 'september' ? [['sept', month] as const] : []),
    ]),
)
export const WEEKDAYS = new Map(
  'sunday monday tuesday wednesday thursday friday saturday'
    .split(' ')
    .flatMap((name, day) => [
      [name, day] as const,
      [name.slice(0, 3), day] as const,
      ...(day === 2 ? [['tues', day] as const] : []),
      ...(day === 4 ? [['thur', day] as const, ['thurs', day] as const] : []),
    ]),
)
export const UNITS = new Map<string, Unit | 'hour'>([
  ...['hour', 'hours', 'hrs', 'hr'].map((name) => [name, 'hour'] as const),
  ...['day', 'days'].map((name) => [name, 'day'] as const),
  ...['week', 'weeks', 'wk', 'wks'].map((name) => [name, 'week'] as const),
  ...['fortnight', 'fortnights'].map((name) => [name, 'fortnight'] as const),
  ...['month', 'months'].map((name) => [name, 'month'] as const),
  ...['year', 'years'].map((name) => [name, 'year'] as const),
])
export const FEASTS: Phrases<(year: number) => Date> = phrases<(year: number) => Date>([
  [(year) => utc(year, 11, 24), 'christmas eve'],
  [(year) => utc(year, 11, 25), 'christmas|christmas day|xmas'],
  [(year) => utc(year, 11, 31), "new year's eve|new years eve"],
  [(year) => utc(year, 0, 1), "new year's day|new year's|new year|new years|new years day"],
  [(year) => utc(year, 1, 14), "valentine's day|valentines day|valentine's|valentines"],
  [(year) => utc(year, 9, 31), 'halloween'],
  [thanksgiving, 'thanksgiving'],
  [(year) => addDays(thanksgiving(year), 1), 'black friday'],
  [(year) => addDays(thanksgiving(year), 4), 'cyber monday'],
])
