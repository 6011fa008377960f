/** Phrases that texts for people and models share. Always UTC and US English. */
import { isoDay } from './clock.ts'
import { formatUsd } from './money.ts'

export function usd(dollars: number): string {
  return formatUsd(Math.round(dollars * 100))
}

/** "18,340" */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** "840 ms", "2.5 s", "25 s": what a reader compares, not what a clock measured. */
export function durationWords(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  return `${seconds < 9.95 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`
}

/** "1 product", "1,204 products", "2 categories" */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : many(noun)}`
}

/** "products", "categories" */
export function many(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

const DATES = [
  { year: 'numeric' },
  { year: 'numeric', month: 'long' },
  { year: 'numeric', month: 'long', day: 'numeric' },
] as const
const FORMATS = DATES.map((parts) => new Intl.DateTimeFormat('en-US', { ...parts, timeZone: 'UTC' }))

/**
 * "2024", "March 2024" or "March 5, 2024", as exact as the date is; a time of day is left out. Text that is not an ISO
 * date comes back as it is.
 */
export function formatDate(date: Date | string): string {
  const text = typeof date === 'string' ? date : isoDay(date)
  const day = /^(\d{4}(?:-\d{2}){0,2})(?:T.*)?$/.exec(text)?.[1]
  const at = new Date(day ?? '')
  return day && !Number.isNaN(at.getTime()) ? (FORMATS[day.split('-').length - 1]?.format(at) ?? text) : text
}
