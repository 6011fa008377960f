/** Numbers, dates and phrases for pages. Always UTC and US English, so that pages read the same on every server. */
export { isoDay } from '../lib/clock.ts'
export { counted as countOf, formatCount, formatDate, many } from '../lib/words.ts'

/** "41%" for a share from 0 to 1. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)}%`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Turns a machine name into words: "review_count" → "Review count", "org.deactivated" → "Org deactivated" */
export function humanized(name: string): string {
  return capital(name.replaceAll(/[._]/g, ' '))
}

/** Capitalizes a phrase and ends it with a period: "The file is empty." */
export function sentence(text: string): string {
  const begun = capital(text)
  return /[.!?/]$/.test(begun) ? begun : `${begun}.`
}
