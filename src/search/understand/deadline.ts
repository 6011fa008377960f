/** "Must arrive by Friday", "delivered within 3 days", "need it tomorrow". */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const WHEN =
  /[,;.]?\s{0,3}\b(?:and )?(?:(?:it |all |everything )?(?:must|has to|have to|needs? to|should|can) )?(?:arrive|arrives|arriving|be here|get here|be delivered|delivered|delivery|need (?:it|them|everything|all)|ship(?:s|ped)?)(?: (?:it|them|all|here))?\s{0,3}(?:by|before|within|in|until|on)?\s{0,3}(?:next |this |the )?(today|tomorrow|sunday|monday|tuesday|wednesday|thursday|friday|saturday|weekend|(\d{1,2}|a|one|two|three|four|five|six|seven|ten) (days?|weeks?))\b/i
const COUNTS = new Map(
  Object.entries({ a: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, ten: 10 }),
)
const SATURDAY = 6
const WEEK = 7

/** The text without it, so that it is no part of the goal. Weekdays need to know today. */
export function readDeadline(text: string, now: Date | null): { arriveInDays: number | null; text: string } {
  const found = WHEN.exec(text)
  if (!found) return { arriveInDays: null, text }
  const [phrase, when = '', count, unit] = found
  const rest = `${text.slice(0, found.index)}${text.slice(found.index + phrase.length)}`
  return { arriveInDays: daysUntil(when.toLowerCase(), count?.toLowerCase(), unit, now), text: rest }
}

function daysUntil(
  when: string,
  count: string | undefined,
  unit: string | undefined,
  now: Date | null,
): number | null {
  if (when === 'today') return 0
  if (when === 'tomorrow') return 1
  if (count !== undefined)
    return (COUNTS.get(count) ?? Number(count)) * (/^week/i.test(unit ?? '') ? WEEK : 1)
  if (now === null) return null
  const day = when === 'weekend' ? SATURDAY : WEEKDAYS.indexOf(when)
  return (day - now.getUTCDay() + WEEK) % WEEK
}
