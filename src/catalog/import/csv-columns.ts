/**
 * Which column of somebody's spreadsheet is which of our fields. Names are compared without case, accents, spaces and
 * punctuation, against our own names and what shops commonly call the same thing; what a column holds in the first
 * rows speaks where no name does, and says how the file writes its numbers; an explicit mapping wins. A file that
 * cannot be understood at all is refused here, before its first row, with the names it does have.
 */

import { invalid } from '../../lib/errors.ts'
import { isGtin } from '../product-input.ts'
import { COLUMN_NAMES, ID_NAMES, NET_WORDS, NO_SPEC, OPTION_NAMES, SIDE_WORDS } from './column-names.ts'
import { currencyNamed, type DecimalMark, parseMoney } from './money.ts'
import { excerpt, listNames, plainName, slashIsPath } from './values.ts'

/** A header cell longer than this is no name. */
const MAX_NAME_LENGTH = 200
const MOST_SPECS = 40

export type ColumnField = keyof typeof COLUMN_NAMES

/** What we write beside the rows of a file that somebody is to correct; nothing of theirs. */
export const OWN_COLUMNS = ['Souk problem', 'Souk fix'] as const
const OWN_NAMES: ReadonlySet<string> = new Set(OWN_COLUMNS.map(plainName))

export function isOwnColumn(name: string): boolean {
  return OWN_NAMES.has(plainName(name))
}

export const COLUMN_FIELDS = Object.keys(COLUMN_NAMES) as ColumnField[]

export type ColumnPlan = {
  /** The columns of a field, the one to ask first in front. */
  fields: ReadonlyMap<ColumnField, readonly number[]>
  specs: readonly { name: string; column: number }[]
  unused: readonly string[]
  /** Whether a column is there to name the slug, not the shop's own handle. */
  hasSlug: boolean
  /** What the file's own names did not say outright, in words. */
  found: readonly string[]
  /** The column whose values tell the rows apart. */
  id: number | null
  /** The column that rows of one product share, and what such a value is the key of. */
  group: { column: number; key: '' | 'id:' | 'sku:' } | null
  options: readonly { name: string; column: number }[]
  /** Columns of which one names what the other holds: "Option Name 1" and "Option Value 1". */
  pairs: readonly { name: number; value: number }[]
  /** Columns that hold options with their names. */
  optionLists: readonly number[]
  /** The column that says whether a row is shown, and what it says of rows that are not. */
  hidden: { column: number; words: RegExp } | null
  /** The columns of a category that has one for each of its levels, outermost first. */
  levels: readonly number[]
  /** Whether its list price is what it sells at: beside what things cost the shop, there is no other. */
  sellsAtList: boolean
  /** Whether its category writes paths with slashes. */
  slash: boolean
  /** Columns whose header says that commas stand between their parts. */
  commas: ReadonlySet<ColumnField>
  /** What the name of the price says of its currency. */
  currency: string | null
  mark: DecimalMark | undefined
}

type Target = { field: ColumnField; rank: number } | { spec: string } | { ignored: true }
type Assignment = { column: number; target: Target }
type Ranked = Map<ColumnField, { column: number; rank: number }[]>

/** `sample` is the first rows, where they are known: without them names alone speak. */
export function planColumns(
  header: readonly string[],
  mapping: Readonly<Record<string, string>>,
  sample: Sample = [],
): ColumnPlan {
  const mapped = Object.entries(mapping).map(([ours, theirs]): Assignment => {
    return { target: mappedTarget(ours), column: findColumn(header, ours, theirs) }
  })
  const mappedColumns = new Set(mapped.map(({ column }) => column))
  const mappedFields = new Set(mapped.map(({ target }) => ('field' in target ? target.field : null)))
  const free = new Set<number>()
  const found: string[] = []
  const say = (field: string, column: number, how = '') =>
    found.push(`${field.replaceAll('_', ' ')} from "${excerpt(header[column]?.trim() ?? '')}"${how}`)
  // What is mapped explicitly is not also guessed.
  const guessed = header.flatMap((name, column): Assignment[] => {
    if (mappedColumns.has(column)) return []
    const target = guessTarget(name)
    if (target && !('field' in target && mappedFields.has(target.field))) return [{ target, column }]
    if (name.trim() !== '' && !isOwnColumn(name)) free.add(column)
    return []
  })

  const specs: { name: string; column: number }[] = []
  const ranked: Ranked = new Map()
  const ignored: number[] = []
  for (const { target, column } of [...mapped, ...guessed]) {
    if ('ignored' in target) ignored.push(column)
    else if ('spec' in target) specs.push({ name: target.spec, column })
    else ranked.set(target.field, [...(ranked.get(target.field) ?? []), { column, rank: target.rank }])
  }
  const isNamed = ranked.size > 0
  const contents = sample.length === 0 ? [] : [...free].map((column) => contentOf(sample, column))
  if (isNamed || header.every((name) => !/\d[.,]\d|:\/\//.test(name))) {
    for (const { field, column } of foundByContent(contents, ranked, mappedFields)) {
      ranked.set(field, [...(ranked.get(field) ?? []), { column, rank: 0 }])
      free.delete(column)
      say(field, column, ', detected from its values')
    }
  }
  if (ranked.size === 0) {
    throw invalid('header', `None of the columns is known: ${listNames(header)}.`, {
      valid: Object.keys(COLUMN_NAMES),
    })
  }
  const fields = new Map(
    [...ranked].map(([field, columns]) => [
      field,
      columns.toSorted((a, b) => a.rank - b.rank).map(({ column }) => column),
    ]),
  )
  const options = [...free].flatMap((column) => {
    const name = header[column]?.trim() ?? ''
    const own = OF_VARIATION.exec(name)?.[1]
    if (own !== undefined) return [{ name: own, column }]
    return OPTION_NAMES.has(foldedName(name).replace(/\d$/, '')) ? [{ name, column }] : []
  })
  const hasVariations = header.some((name) => OF_VARIATION.test(name.trim()))
  const pairs = pairsOf(header, free)
  for (const { name, value } of pairs) {
    free.delete(name)
    free.delete(value)
  }
  const optionLists = [...free].filter((column) => {
    const cells = cellsOf(sample, column)
    const main = wordsOf(header[column] ?? '').filter((word) => !SIDE_WORDS.has(word))
    const isList = LISTED.test(main.join('')) && cells.length > 0
    return isList && cells.filter((cell) => /^[^:]{1,60}:[^:]+/.test(cell)).length * 2 >= cells.length
  })
  for (const column of optionLists) free.delete(column)
  const id = idColumn(header, fields, sample)
  const group = groupOf(header, fields, {
    id,
    sample,
    hasOptions: options.length + pairs.length + optionLists.length > 0,
  })
  const hidden = hiddenColumn(header, free, sample)
  for (const content of contents) {
    const name = header[content.column]?.trim() ?? ''
    if (!free.has(content.column) || specs.length >= MOST_SPECS || !isFact(name, content, sample.length))
      continue
    free.delete(content.column)
    specs.push({ name, column: content.column })
  }
  const levels = levelsOf(header, fields.get('category'))
  for (const [field, [first = -1]] of fields) {
    const column = field === 'category' ? (levels[0] ?? first) : first
    const isOwn = mappedColumns.has(column) || plainName(header[column] ?? '') === plainName(field)
    if (!isOwn && guessTarget(header[column] ?? '')) say(field, column)
  }
  if (group && !fields.has('group')) say('group', group.column)
  return {
    fields,
    specs,
    unused: [...free, ...ignored].map((column) => header[column]?.trim() ?? ''),
    hasSlug: mappedFields.has('slug') || foldedName(header[fields.get('slug')?.[0] ?? -1] ?? '') === 'slug',
    found,
    id,
    group,
    options: (group || hasVariations ? options : []).filter(
      ({ column }) => !pairs.some(({ value }) => value === column),
    ),
    ...{ pairs, hidden, optionLists },
    levels,
    sellsAtList:
      [...PRICE_FIELDS, 'price_high' as const].every(
        (field) => fields.has(field) === (field === 'list_price'),
      ) && header.some((name) => COST.test(foldedName(name))),
    slash: slashIsPath(cellsOf(sample, fields.get('category')?.[0])),
    commas: new Set(
      [...fields].flatMap(([field, [first = -1]]) => (COMMAS.test(header[first] ?? '') ? [field] : [])),
    ),
    currency: currencyOfPrice(header, fields) ?? currencyBeside(sample, fields),
    mark: decimalMarkOf(PRICE_FIELDS.flatMap((field) => cellsOf(sample, fields.get(field)?.[0]))),
  }
}

/** "Category 1", "Category 2": beside a column for the whole they say more. */
function levelsOf(header: readonly string[], columns: readonly number[] = []): number[] {
  const numbered = columns.filter((column) => /[1-9]$/.test(foldedName(header[column] ?? '')))
  return numbered.length > 1 ? numbered : []
}

/** "Categories (x,y,z...)", "Feature(Name:Value:Position)", as PrestaShop writes them. */
const COMMAS = /\(\w,\w,\w|\(Name:Value/i

const COST = /^(?:standardprice|cost|costprice|unitcost|purchaseprice|ek|ekpreis|einkaufspreis)$/

const PRICE_FIELDS = ['price', 'sale_price', 'full_price', 'list_price', 'price_low'] as const

function cellsOf(sample: Sample, column: number | undefined): string[] {
  if (column === undefined) return []
  return sample.map((row) => row[column]?.trim() ?? '').filter((cell) => cell !== '')
}

/** Pictures, numbers on bar codes, money, the page, the longest text and the name are known by their looks. */
function foundByContent(
  contents: readonly ColumnContent[],
  ranked: Ranked,
  mapped: ReadonlySet<ColumnField | null>,
): { field: ColumnField; column: number }[] {
  const found: { field: ColumnField; column: number }[] = []
  const take = (
    field: ColumnField,
    fits: (content: ColumnContent) => boolean,
    best: (content: ColumnContent) => number,
    others: readonly ColumnField[] = [],
  ) => {
    if ([field, ...others].some((one) => ranked.has(one) || mapped.has(one))) return
    const open = contents.filter(({ column }) => !found.some((one) => one.column === column))
    const [first] = open.filter((one) => one.filled > 0 && fits(one)).toSorted((a, b) => best(b) - best(a))
    if (first) found.push({ field, column: first.column })
  }
  const most = (part: number, { filled }: ColumnContent) => part >= filled * 0.8
  take(
    'images',
    (one) => most(one.pictures, one),
    (one) => one.filled,
  )
  take(
    'gtin',
    (one) => one.filled > 1 && most(one.gtins, one),
    (one) => one.gtins,
  )
  take(
    'where_to_buy',
    (one) => most(one.links, one) && one.pictures === 0 && one.distinct > one.filled / 2,
    (one) => one.distinct,
  )
  take(
    'price',
    (one) => one.filled > 1 && most(one.amounts, one),
    (one) => one.filled,
    ['sale_price', 'full_price', 'price_low', 'list_price'],
  )
  take(
    'description',
    (one) => one.averageLength > 80 && one.links === 0,
    (one) => one.averageLength,
  )
  take(
    'title',
    (one) => one.averageLength >= 3 && one.averageLength <= 150 && one.numbers + one.links + one.dates === 0,
    (one) => one.distinct + one.words,
  )
  return found
}

/** The most distinct of the columns that look like ids. */
function idColumn(
  header: readonly string[],
  fields: ReadonlyMap<ColumnField, readonly number[]>,
  sample: Sample,
): number | null {
  const candidates = [
    ...(fields.get('id') ?? []),
    ...(fields.get('sku') ?? []),
    ...(fields.get('slug') ?? []),
  ].map((column) => {
    const rank = ID_NAMES.indexOf(foldedName(header[column] ?? ''))
    return {
      column,
      rank: rank === -1 ? ID_NAMES.length : rank,
      distinct: new Set(cellsOf(sample, column)).size,
    }
  })
  return candidates.toSorted((a, b) => b.distinct - a.distinct || a.rank - b.rank)[0]?.column ?? null
}

/** A column that is there to name the group; or an id that repeats while the rows' own does not, beside options. */
function groupOf(
  header: readonly string[],
  fields: ReadonlyMap<ColumnField, readonly number[]>,
  { id, sample, hasOptions }: { id: number | null; sample: Sample; hasOptions: boolean },
): ColumnPlan['group'] {
  const [stated] = fields.get('group') ?? []
  if (stated !== undefined) {
    const name = foldedName(header[stated] ?? '')
    if (/^parent(sku)?$|vaterartikel$/.test(name) && id !== null && fields.get('sku')?.[0] === id)
      return { column: stated, key: 'id:' }
    return { column: stated, key: name === 'parentid' ? 'id:' : name === 'parentsku' ? 'sku:' : '' }
  }
  if (!hasOptions || id === null) return null
  // Square names the item and, beside it, the variation.
  const names = header.map(foldedName)
  const item = names.indexOf('itemname')
  if (item !== -1 && names.includes('variationname')) return { column: item, key: '' }
  // A number that somebody gave twice makes no groups; they show in many rows.
  const repeats = (column: number) => {
    const cells = cellsOf(sample, column)
    return new Set(cells).size <= cells.length * 0.8
  }
  const shared = [...(fields.get('id') ?? []), ...(fields.get('sku') ?? []), ...(fields.get('slug') ?? [])]
    .toSorted((a, b) => Number(a === id) - Number(b === id))
    .find((column) => cellsOf(sample, column).length > 0 && repeats(column))
  return shared === undefined ? null : { column: shared, key: '' }
}

/** "product_variation_option_Size". */
const OF_VARIATION = /varia(?:tion|nt)[ _]option[ _](?![\w ]{0,60}(?:name|value)s?$)(\w[^\n]{0,60})$/i

/** "Size: M | Color: red" in one cell. */
const LISTED = /^(?:variant|variation)?option(?:s|ids)$|^varia(?:nt|tion)(?:attribute)?s?$/

const PAIRED =
  /^(?:product|variant|variation)?(?:option|variation|attribute)s?(\d?|one|two|three)(names?|groups?|values?|descriptions?)(\d?)$/

/** The value of a pair stands beside the name of the same number. */
function pairsOf(header: readonly string[], free: ReadonlySet<number>): ColumnPlan['pairs'] {
  const parts = [...free].flatMap((column) => {
    const [, before = '', kind = '', after = ''] = PAIRED.exec(foldedName(header[column] ?? '')) ?? []
    return kind === '' ? [] : [{ column, number: before || after, isName: /^[ng]/.test(kind) }]
  })
  return parts.flatMap(({ column: name, number, isName }) => {
    const value = parts.find((part) => !part.isName && part.number === number)?.column
    return isName && value !== undefined ? [{ name, value }] : []
  })
}

const NOT = /^(0|false|no|n|off|none|inactive|inaktiv|nein|non)$/i
/** By the words of a column's name: what stands there in a row that its shop does not show. */
const HIDDEN: ReadonlyArray<readonly [name: RegExp, words: RegExp]> = [
  [
    /^status$/,
    /^(draft|archived|deleted|trash|trashed|unpublished|disabled|entwurf|brouillon|borrador|bozza)$/i,
  ],
  [/^(active|aktiv|published|visible|visibility|enabled|onlineflag)$/, NOT],
  [/^(archived|hidden|isdraft)$/, /^(1|true|yes|y|ja|on)$/i],
]

/** Null where it would hide all of the sample: then it means something else. */
function hiddenColumn(
  header: readonly string[],
  free: ReadonlySet<number>,
  sample: Sample,
): ColumnPlan['hidden'] {
  for (const column of free) {
    const main = wordsOf(bare(header[column] ?? '')).filter((word) => !SIDE_WORDS.has(word))
    const words = HIDDEN.find(([name]) => name.test(main.join('')))?.[1]
    const cells = cellsOf(sample, column)
    if (words && cells.some((cell) => !words.test(cell))) return { column, words }
  }
  return null
}

/** A name without remarks: "Categories (x,y,z...)", "Product ID [Non Editable]", "Name *". */
function bare(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replace(/[([][^)\]]*[)\]]?/g, ' ')
}

/** Whether a column or attribute of this name may say something about a product. */
export function isFactName(name: string): boolean {
  return name.length <= 80 && /\p{L}/u.test(name) && !NO_SPEC.test(wordsOf(name).join('_'))
}

/** Short values in many rows, under a name that is not the shop's own affair. */
function isFact(name: string, content: ColumnContent, rows: number): boolean {
  if (!isFactName(name)) return false
  const { filled, distinct, averageLength, maxLength, links, dates, numbers, flags } = content
  if (filled === 0 || filled < rows * 0.1 || averageLength > 80 || maxLength > 300) return false
  if (links + dates > 0) return false
  // Long numbers that all differ are somebody's keys; one flag for all rows says nothing.
  if (numbers === filled && distinct === filled && averageLength >= 6 && filled > 1) return false
  return !(flags === filled && distinct === 1 && filled > 3)
}

/** "Price (EUR)", "price_eur", "Preis €". */
function currencyOfPrice(
  header: readonly string[],
  fields: ReadonlyMap<ColumnField, readonly number[]>,
): string | null {
  for (const field of PRICE_FIELDS) {
    const [column] = fields.get(field) ?? []
    const words = (header[column ?? -1] ?? '').slice(0, MAX_NAME_LENGTH).split(/[\s()[\]_/:-]+/)
    for (const word of words.slice(1)) {
      const currency = word.length > 1 || /\p{Sc}/u.test(word) ? currencyNamed(word) : null
      if (currency) return currency
    }
  }
  return null
}

/** The one sign that stands beside numbers anywhere, where the prices have none: "59,80 € / 1 l". */
function currencyBeside(sample: Sample, fields: ReadonlyMap<ColumnField, readonly number[]>): string | null {
  const priced = PRICE_FIELDS.flatMap((field) => cellsOf(sample, fields.get(field)?.[0]))
  if (fields.has('currency') || priced.some((price) => /\p{Sc}/u.test(price))) return null
  const texts = new Set([...(fields.get('title') ?? []), ...(fields.get('description') ?? [])])
  const signs = sample.flatMap((row) =>
    row.flatMap((cell, column) =>
      texts.has(column) || cell.length > MAX_NAME_LENGTH
        ? []
        : [...cell.matchAll(/\d\s?(\p{Sc})|(\p{Sc})\s?\d/gu)],
    ),
  )
  const [only, ...others] = new Set(signs.map(([, behind, before]) => behind ?? before ?? ''))
  return only === undefined || others.length > 0 ? null : (currencyNamed(only) ?? null)
}

export function isTitleColumn(name: string): boolean {
  return fieldOf(name) === 'title'
}

/** The field that a name is commonly used for. */
export function fieldOf(name: string): ColumnField | null {
  const target = guessTarget(name)
  return target !== null && 'field' in target ? target.field : null
}

/** Whether a cell of a header is a name that we know. */
export function isKnownColumn(name: string): boolean {
  return guessTarget(name) !== null
}

function guessTarget(name: string): Target | null {
  if (name.length > MAX_NAME_LENGTH) return null
  const spec = specName(name)
  if (spec) return { spec }
  const whole = fieldNamed(foldedName(name))
  if (whole) return whole
  const words = wordsOf(name).filter((word) => !currencyNamed(word))
  const mainOf = (all: readonly string[]) =>
    all.filter((word) => !SIDE_WORDS.has(word) && !NET_WORDS.has(word)).join('')
  const found = fieldNamed(mainOf(words)) ?? fieldNamed(mainOf(wordsOf(bare(name))))
  const isPrice = found !== null && (PRICE_FIELDS as readonly string[]).includes(found.field)
  // Of all fields a price alone has a tax: "Tax category" is no category.
  if (!isPrice && words.some((word) => TAX_WORDS.has(word))) return null
  // Beside the price with tax the one without it is asked last.
  return (
    found && {
      ...found,
      rank: found.rank + (isPrice && words.some((word) => NET_WORDS.has(word)) ? 200 : 100),
    }
  )
}

const TAX_WORDS: ReadonlySet<string> = new Set([
  'tax',
  'vat',
  'mwst',
  'ust',
  'tva',
  'moms',
  'iva',
  'btw',
  'dph',
])

function fieldNamed(plain: string): { field: ColumnField; rank: number } | null {
  if (plain === '') return null
  const known = FIELD_OF.get(plain)
  if (known) return known
  // Pictures come numbered: "Image 2", "Image 1 URL". So do the levels of a category.
  const image = FIELD_OF.get(plain.replace(/\d+/, ''))
  if (image?.field === 'images') return image
  const [, name = '', level] = /^([^\d]+?)(?:ebene|level|niveau|stufe)?([1-9])$/.exec(plain) ?? []
  return level && FIELD_OF.get(name)?.field === 'category'
    ? { field: 'category', rank: 300 + Number(level) }
    : null
}

const FIELD_OF: ReadonlyMap<string, { field: ColumnField; rank: number }> = new Map(
  (Object.entries(COLUMN_NAMES) as [ColumnField, readonly string[]][])
    .flatMap(([field, names]) => names.map((name, rank) => [name, { field, rank }] as const))
    // Of a name in two lists the first counts.
    .toReversed(),
)

/** Accents are often lost, and never tell two names apart. */
function withoutAccents(name: string): string {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(
      /[ßøæłđ]/gi,
      (letter) => ({ ß: 'ss', ø: 'o', æ: 'ae', ł: 'l', đ: 'd' })[letter.toLowerCase()] ?? letter,
    )
}

function foldedName(name: string): string {
  return plainName(withoutAccents(name))
}

/** "Price (EUR)", "priceEur" and "PRICE_EUR" have the same two. */
function wordsOf(name: string): string[] {
  return withoutAccents(name)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{Sc}]+/u)
    .filter((word) => word !== '')
}

/** "spec:Weight" and "specs.Weight" are the spec "Weight". */
function specName(name: string): string | null {
  return /^\s*specs?\s*[:.]\s*(\S.*?)\s*$/i.exec(name)?.[1] ?? null
}

/**
 * A mapping names each field once, so what a field may have more of is numbered ("images:2": asked when the ones before
 * are empty, or besides them), and a column that is to be left alone is given to "ignore:", with any text after it.
 */
function mappedTarget(ours: string): Target {
  const spec = specName(ours)
  if (spec) return { spec }
  if (/^ignore:/i.test(ours)) return { ignored: true }
  const [, field = ours, number = '0'] = /^(\w+):(\d{1,3})$/.exec(ours) ?? []
  if (Object.hasOwn(COLUMN_NAMES, field)) return { field: field as ColumnField, rank: Number(number) }
  throw invalid(`mapping.${ours}`, `The mapping names "${ours}", which is not a field of a product.`, {
    valid: Object.keys(COLUMN_NAMES),
  })
}

/** The column a mapping refers to; -1 if missing. */
export function columnNamed(header: readonly string[], theirs: string): number {
  const exact = header.findIndex((name) => name.trim() === theirs.trim())
  return exact === -1 ? header.findIndex((name) => plainName(name) === plainName(theirs)) : exact
}

function findColumn(header: readonly string[], ours: string, theirs: string): number {
  const column = columnNamed(header, theirs)
  if (column !== -1) return column
  throw invalid(
    `mapping.${ours}`,
    `The mapping takes ${ours} from "${theirs}". The file has these columns: ${listNames(header)}.`,
    { valid: header.map((name) => name.trim()) },
  )
}

/** How much of a file is looked at before its columns are settled. */
export const SAMPLE_ROWS = 300
export const SAMPLE_SIZE = 64 * 1024

export type Sample = readonly (readonly string[])[]

/** Of the cells that are filled: how many, how many different ones, how long, and how many are of a kind. */
type ColumnContent = {
  column: number
  filled: number
  distinct: number
  averageLength: number
  maxLength: number
  words: number
  links: number
  pictures: number
  gtins: number
  amounts: number
  numbers: number
  dates: number
  flags: number
}

export function contentOf(sample: Sample, column: number): ColumnContent {
  const cells = sample.map((row) => row[column]?.trim() ?? '').filter((cell) => cell !== '')
  const count = (test: (cell: string) => boolean) => cells.filter(test).length
  const total = cells.reduce((sum, cell) => sum + cell.length, 0)
  return {
    column,
    filled: cells.length,
    distinct: new Set(cells).size,
    averageLength: cells.length === 0 ? 0 : total / cells.length,
    maxLength: Math.max(0, ...cells.map((cell) => cell.length)),
    words: count((cell) => /\p{L}\s\p{L}/u.test(cell)),
    links: count((cell) => LINK.test(cell)),
    pictures: count((cell) => LINK.test(cell) && PICTURE.test(cell)),
    gtins: count((cell) => cell.length >= 12 && isGtin(cell)),
    amounts: count(isAmount),
    numbers: count((cell) => /^-?[\d.,]+$/.test(cell)),
    dates: count((cell) => DATE.test(cell)),
    flags: count((cell) => FLAG.test(cell)),
  }
}

const LINK = /^["'[{\s]{0,4}(https?:)?\/\/\S/i
const PICTURE = /\.(jpe?g|png|webp|gif|avif)\b/i
const DATE = /^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})(\D|$)/
const FLAG = /^(true|false|yes|no|ja|nein|y|n|0|1|-1)$/i

/** Money is written with its cents or its currency; a bare number may be anything. */
function isAmount(cell: string): boolean {
  const money = parseMoney(cell)
  return money !== null && (money.currency !== null || /\d[.,]\d\d$/.test(cell))
}

/** The mark that more of the amounts have before their cents; undefined where none of them says. */
function decimalMarkOf(amounts: readonly string[]): DecimalMark | undefined {
  let commas = 0
  let points = 0
  for (const amount of amounts) {
    const [, mark] =
      /^[^\d]{0,12}[\d.,' \u00a0\u202f]{0,20}?([.,])\d{1,2}(?!\d)[^\d]{0,12}$/.exec(amount) ?? []
    if (mark === ',') commas++
    else if (mark === '.') points++
  }
  return commas === points ? undefined : commas > points ? ',' : '.'
}
