/**
 * Writes JSON that JSON.stringify would not: numbers beyond its range, thousands of levels, one key twice. A text that
 * begins with a private character stands for what follows it, as it is.
 */
const RAW = '\ue000'
const RAW_TEXT = /"\ue000((?:[^"\\]|\\.)*)"/g

export const raw = (text: string): string => RAW + text

export function writeJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.includes(RAW)
    ? text.replace(RAW_TEXT, (_, inner: string) => JSON.parse(`"${inner}"`) as string)
    : text
}

export function nested(levels: number, form: 'list' | 'object'): string {
  return form === 'list'
    ? '['.repeat(levels) + ']'.repeat(levels)
    : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}
