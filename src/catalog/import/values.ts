/**
 * What a cell says. Text is turned into a number, a list or a flag only where it is clearly one; anything else stays
 * the text it was, so that the schema can refuse it and quote it back.
 */
import { parseBounded } from './json.ts'

export function parseFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (['true', 'yes', 'y', '1'].includes(word)) return true
  if (['false', 'no', 'n', '0'].includes(word)) return false
  return null
}

/** True for a sale that is on: dates that cannot be read, or are not there, do not end it. */
export function isInEffect(from: string, to: string, now: Date): boolean {
  const [start, end] = [from, to].map((text) => Date.parse(text.trim()))
  const hasBegun = start === undefined || Number.isNaN(start) || start <= now.getTime()
  // A date without a time is the whole of its day.
  const dayMs = /\d:\d/.test(to) ? 0 : 24 * 60 * 60 * 1000 - 1
  return hasBegun && (end === undefined || Number.isNaN(end) || now.getTime() <= end + dayMs)
}

export function splitList(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/**
 * Addresses may also be separated by commas, semicolons and spaces, which they themselves may hold: one counts before a
 * scheme. Lists in JSON give their addresses, of entries such as {"src": "https://…"} too.
 */
export function splitUrls(text: string): string[] {
  const listed = /^[[{]/.test(text) ? parseLoose(text) : undefined
  if (listed !== undefined) return urlsIn(listed)
  return splitList(text).flatMap((entry) =>
    entry
      // A name may stand before an address: then a space is no end of one.
      .split(/^https?:/i.test(entry) ? /[,;](?=\s*(?:https?:|\/\/))|\s(?=https?:)/i : /[,;](?=\s*https?:)/i)
      .map(plainUrl)
      .filter((url) => url !== ''),
  )
}

/** Shops leave the scheme out, and spaces in. */
function plainUrl(text: string): string {
  const url = text.trim().replace(/^\/\//, 'https://')
  return /^https?:/i.test(url) ? url.replaceAll(' ', '%20') : url
}

function urlsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return /^(https?:|\/\/)/i.test(value.trim()) ? [plainUrl(value)] : []
  if (typeof value !== 'object' || value === null || depth > 3) return []
  if (Array.isArray(value)) return value.flatMap((entry) => urlsIn(entry, depth + 1))
  const { src, url, link, href } = value as Record<string, unknown>
  return urlsIn(src ?? url ?? link ?? href ?? Object.values(value), depth + 1)
}

/** JSON, or what Python and Ruby print for the same: ['a', 'b'], {"key"=>"Type"}. Undefined for what is neither. */
export function parseLoose(text: string): unknown {
  for (const json of [text, asJson(text)]) {
    try {
      const parsed = parseBounded(json)
      return 'value' in parsed ? parsed.value : undefined
    } catch {
      // Perhaps it is written in the other way.
    }
  }
  return undefined
}

function asJson(text: string): string {
  let json = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (letter === '"' || letter === "'") {
      const end = endOfString(text, at)
      const inside = text.slice(at + 1, end)
      json += letter === '"' ? text.slice(at, end + 1) : JSON.stringify(inside.replaceAll("\\'", "'"))
      at = end
    } else if (letter === '=' && text[at + 1] === '>') {
      json += ':'
      at++
    } else if (/[a-z]/i.test(letter)) {
      const [word = letter] = /^\w{1,10}/.exec(text.slice(at, at + 10)) ?? []
      json += { nil: 'null', None: 'null', True: 'true', False: 'false' }[word] ?? word
      at += word.length - 1
    } else json += letter
  }
  return json
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  return text.length
}

/** Without alternative texts, because nobody wrote any. */
export function imagesOf(urls: readonly string[]): { url: string }[] {
  return [...new Set(urls)].map((url) => ({ url }))
}

export function hostOf(url: string): string | null {
  return URL.parse(url)?.hostname.replace(/^www\./, '') || null
}

type PathRules = {
  /** What stands between paths where a cell holds several. */
  between?: RegExp
  /** Whether "A/B" is a path: the format says so, or the other cells of the column do (see slashIsPath). */
  slash?: boolean
}

/**
 * The path of a category, outermost first, from a cell that may hold several ("Clothing > Tees, Sale"): the deepest. Lists
 * in JSON are read in any format.
 */
export function categoryPath(
  text: string,
  { between = /[\n;]/, slash = false }: PathRules = {},
): string[] | undefined {
  const paths = pathTexts(text, between).map((one) => segmentsOf(one, slash))
  const deepest = paths.reduce((best, path) => (path.length > best.length ? path : best), [])
  return deepest.length === 0 ? undefined : deepest
}

function pathTexts(text: string, between: RegExp): string[] {
  // Entities end with what may stand between paths.
  const plain = text.slice(0, 20_000).replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  const listed = /^[[{]/.test(plain) ? parseLoose(plain) : undefined
  const texts = Array.isArray(listed)
    ? listed.filter((entry): entry is string => typeof entry === 'string')
    : plain.split(between)
  return texts.slice(0, 100)
}

/**
 * Whether a column writes paths with slashes. "TV/Video" alone is a name; beside "TV", "TV/Antennas" or "TV/Video/Cables" it
 * is a path.
 */
export function slashIsPath(cells: readonly string[]): boolean {
  const behind = new Map<string, string>()
  const values = new Set(cells.flatMap((cell) => pathTexts(cell, /[\n;]/)).map((cell) => cell.trim()))
  for (const value of values) {
    const [first = '', ...rest] = value.split('/').map((name) => name.trim())
    if (rest.length === 0 || !rest.every(isName)) continue
    const other = behind.get(first)
    if (rest.length > 1 || values.has(first) || (other !== undefined && other !== rest[0])) return true
    behind.set(first, rest[0] ?? '')
  }
  return false
}

/** "CD", "w" and "o" are no names of categories. */
function isName(name: string): boolean {
  return name === '' || /\p{L}{3}/u.test(name)
}

/**
 * Marks between the names of a path, the clearest first: the first that is there is the one. A sign that stands close to a
 * number is part of a name: "Monitors >27 inch".
 */
const PATH_MARKS = [/\s>+\s|>{2,}/, />(?!\s*[\d=])/, /[»›→]/, /\|+/, /\/{2,}|:{2,}|\\+/, /\s\/\s/]
const SLASH = /\//
const MAX_DEPTH_OF_CATEGORY = 12
/** Shops hang everything below these. */
const ROOTS: ReadonlySet<string> = new Set([
  ...['defaultcategory', 'rootcatalog', 'root', 'allproducts', 'allcategories', 'shopall', 'uncategorized'],
  ...['startseite', 'alleprodukte', 'accueil', 'unkategorisiert', 'uncategorised', 'nezarazene'],
  ...['all', 'saleable', 'heurekacz', 'heurekask', 'zbozicz'],
])

function segmentsOf(text: string, slash: boolean): string[] {
  const plain = text.slice(0, 1_000)
  const mark = PATH_MARKS.find((one) => one.test(plain))
  const bySlash = mark ? [] : plain.split(SLASH).map((name) => name.trim())
  const isRooted = ROOTS.has(plainName(bySlash[0] ?? ''))
  const isPath = bySlash.every(isName) && (slash || isRooted || bySlash.length > 2)
  const names = mark ? plain.split(mark).map((name) => name.trim()) : isPath ? bySlash : [plain.trim()]
  // "11700:Home & Garden", as marketplaces number theirs.
  const path = names
    .map((name) => name.replace(/^\d{2,}:\s*(?=\p{L})/u, ''))
    .filter((name) => /[\p{L}\p{N}]/u.test(name))
  while (path[0] !== undefined && ROOTS.has(plainName(path[0]))) path.shift()
  return path.length <= MAX_DEPTH_OF_CATEGORY ? path : [...path.slice(0, 11), ...path.slice(-1)]
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

/** Space in front does not keep every program from running it, and some read the wide forms alike. */
const RUNS = /^'*\s*[=+\-@＝＋－＠]/

/**
 * A spreadsheet runs a cell that starts like a formula, who wrote it. In files that we hand out such a cell has an
 * apostrophe in front, which the reader takes away again: what was downloaded, corrected and uploaded says what it said.
 * Cells that have one already get another, so that no text is lost on the way. Others keep the zeros of a number by making
 * it a formula, ="0012"; the reader takes the text out of that.
 */
export function withGuard(cell: string): string {
  return RUNS.test(cell) ? `'${cell}` : cell
}

export function withoutGuard(cell: string): string {
  if (cell.startsWith('="') && cell.endsWith('"') && cell.length > 3) return cell.slice(2, -1)
  return cell.startsWith("'") && RUNS.test(cell) ? cell.slice(1) : cell
}

/** A table to download. Spreadsheets take a file for UTF-8 by the mark at its start. */
export function tableText(rows: ReadonlyArray<readonly string[]>, delimiter = ','): string {
  const quoted = (cell: string) => {
    const guarded = withGuard(cell)
    return guarded.includes(delimiter) || /["\r\n]|^\s|\s$/.test(guarded)
      ? `"${guarded.replaceAll('"', '""')}"`
      : guarded
  }
  const lines = rows.map((cells) => cells.map(quoted).join(delimiter))
  return `\ufeff${lines.join('\r\n')}\r\n`
}
