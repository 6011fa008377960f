/** Numbers and dates as people read them. Always UTC and US English, so that a page reads the same on every server. */
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** "18,340" */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** "1 product", "21 products", "2 categories" */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : many(noun)}`
}

/** "products", "categories" */
export function many(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** "41%" for a share from 0 to 1. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** 2024 → "2024", 2024-03 → "March 2024", 2024-03-05 → "March 5, 2024"; null when it is no such date. */
export function formatDate(date: string): string | null {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date)
  if (!match) return null
  const [, year, monthDigits, day] = match
  if (monthDigits === undefined) return year ?? null
  const month = MONTHS[Number(monthDigits) - 1]
  if (!month) return null
  return day === undefined ? `${month} ${year}` : `${month} ${Number(day)}, ${year}`
}

/** The day of a moment, as `datetime` wants it: "2026-11-15". */
export function isoDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A name that machines use: "review_count" → "Review count", "org.deactivated" → "Org deactivated" */
export function humanized(name: string): string {
  return capital(name.replaceAll(/[._]/g, ' '))
}

/** A part of a sentence as one that stands alone: "The file is empty." */
export function sentence(text: string): string {
  const begun = capital(text)
  return /[.!?/]$/.test(begun) ? begun : `${begun}.`
}
