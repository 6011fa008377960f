/**
 * What a cell says. Text is turned into a number, a list or a flag only where it is clearly one; anything else
 * stays the text it was, so that the schema can refuse it and quote it back.
 */
export function parseFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (['true', 'yes', 'y', '1'].includes(word)) return true
  if (['false', 'no', 'n', '0'].includes(word)) return false
  return null
}

export function splitList(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Addresses may also be separated by commas, which they themselves may hold: a comma counts before a scheme. */
export function splitUrls(text: string): string[] {
  return splitList(text).flatMap((entry) => entry.split(/,(?=\s*https?:)/i).map((url) => url.trim()))
}

/** Without alternative texts, because nobody wrote any. */
export function imagesOf(urls: readonly string[]): { url: string }[] {
  return [...new Set(urls)].map((url) => ({ url }))
}

export function hostOf(url: string): string | null {
  return URL.parse(url)?.hostname.replace(/^www\./, '') || null
}

/** "Home > Kitchen > Kettles" is about kettles. */
export function lastSegment(path: string): string {
  const segments = path.split('>').map((segment) => segment.trim())
  return segments.findLast((segment) => segment !== '') ?? ''
}

/** "Product_Name", "product name" and "PRODUCT NAME" are one name. */
export function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Names come from the file: plain assignment would let one called `__proto__` replace the prototype. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value
}

/** For a message: all of a usual list, and enough of an absurd one. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 50).map((name) => `"${excerpt(name.trim())}"`)
  return names.length > 50 ? `${shown.join(', ')} and ${names.length - 50} more` : shown.join(', ')
}

/** Short enough for a message. */
export function excerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
