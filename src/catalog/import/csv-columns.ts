/**
 * Which column of somebody's spreadsheet is which of our fields. Names are compared without case, spaces and
 * punctuation, against our own names and what shops commonly call the same thing; an explicit mapping wins.
 * A file that cannot be understood at all is refused here, before its first row, with the names it does have.
 */
import { AppError } from '../../lib/errors.ts'
import { listNames, plainName } from './values.ts'

/** A header cell longer than this is no name. */
const MAX_NAME_LENGTH = 200

/** In each list the likelier name comes first: with "EAN" and "Barcode" both there, the EAN is asked first. */
const COLUMN_NAMES = {
  slug: ['slug', 'handle', 'urlkey', 'urlhandle'],
  category: [
    'category',
    'categoryname',
    'productcategory',
    'categories',
    'producttype',
    'type',
    'department',
  ],
  title: ['title', 'name', 'productname', 'producttitle', 'itemname', 'itemtitle', 'product', 'item'],
  brand: ['brand', 'brandname', 'manufacturer', 'manufacturername', 'maker', 'make', 'vendor'],
  brand_domain: ['branddomain', 'brandwebsite', 'manufacturerwebsite'],
  model: ['model', 'modelname', 'modelnumber', 'modelno'],
  description: [
    'description',
    'productdescription',
    'longdescription',
    'bodyhtml',
    'body',
    'details',
    'shortdescription',
  ],
  verdict: ['verdict'],
  specs: ['specs', 'specifications', 'attributes'],
  themes: ['themes', 'reviewthemes'],
  price: ['price', 'priceusd', 'currentprice', 'sellingprice', 'ourprice', 'unitprice'],
  sale_price: ['saleprice', 'specialprice', 'offerprice', 'discountprice', 'discountedprice'],
  /** The price before any sale: the list price beside another price, the price when it stands alone. */
  full_price: ['msrp', 'rrp', 'regularprice', 'suggestedretailprice', 'retailprice'],
  price_low: ['pricelow', 'lowprice', 'lowestprice', 'pricemin', 'minprice', 'pricefrom'],
  price_high: ['pricehigh', 'highprice', 'highestprice', 'pricemax', 'maxprice', 'priceto'],
  list_price: ['listprice', 'compareatprice', 'originalprice', 'wasprice'],
  rating: ['rating', 'averagerating', 'avgrating', 'reviewrating', 'reviewscore', 'stars'],
  review_count: ['reviewcount', 'reviewscount', 'numberofreviews', 'numreviews', 'ratingcount', 'reviews'],
  images: [
    'images',
    'image',
    'imageurls',
    'imageurl',
    'imagelink',
    'imagesrc',
    'mainimage',
    'picture',
    'pictures',
    'photo',
    'photos',
    'additionalimagelink',
    'additionalimages',
  ],
  where_to_buy: ['wheretobuy', 'producturl', 'productlink', 'buyurl', 'buylink', 'url', 'link'],
  best_for: ['bestfor', 'goodfor', 'recommendedfor'],
  not_for: ['notfor', 'notrecommendedfor'],
  gtin: [
    'gtin',
    'gtin14',
    'gtin13',
    'gtin12',
    'ean',
    'ean13',
    'eancode',
    'upc',
    'upca',
    'upccode',
    'isbn',
    'barcode',
  ],
  mpn: ['mpn', 'manufacturerpartnumber', 'partnumber', 'partno'],
  sku: [
    'sku',
    'productcode',
    'itemnumber',
    'itemno',
    'articlenumber',
    'stockcode',
    'productid',
    'itemid',
    'id',
  ],
  released: ['released', 'releasedate', 'launchdate', 'releaseyear'],
  discontinued: ['discontinued', 'isdiscontinued'],
} as const satisfies Record<string, readonly string[]>

export type ColumnField = keyof typeof COLUMN_NAMES

/** What we write beside the rows of a file that somebody is to mend; nothing of theirs. */
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
}

type Target = { field: ColumnField; rank: number } | { spec: string } | { ignored: true }
type Assignment = { column: number; target: Target }

export function planColumns(
  header: readonly string[],
  mapping: Readonly<Record<string, string>>,
): ColumnPlan {
  const mapped = Object.entries(mapping).map(([ours, theirs]): Assignment => {
    return { target: mappedTarget(ours), column: findColumn(header, ours, theirs) }
  })
  const mappedColumns = new Set(mapped.map(({ column }) => column))
  const mappedFields = new Set(mapped.map(({ target }) => ('field' in target ? target.field : null)))
  const unused: string[] = []
  // What is mapped explicitly is not also guessed.
  const guessed = header.flatMap((name, column): Assignment[] => {
    if (mappedColumns.has(column)) return []
    const target = guessTarget(name)
    if (target && !('field' in target && mappedFields.has(target.field))) return [{ target, column }]
    if (name.trim() !== '' && !isOwnColumn(name)) unused.push(name.trim())
    return []
  })

  const specs: { name: string; column: number }[] = []
  const ranked = new Map<ColumnField, { column: number; rank: number }[]>()
  for (const { target, column } of [...mapped, ...guessed]) {
    if ('ignored' in target) {
      unused.push(header[column]?.trim() ?? '')
      continue
    }
    if ('spec' in target) {
      specs.push({ name: target.spec, column })
      continue
    }
    const columns = ranked.get(target.field) ?? []
    columns.push({ column, rank: target.rank })
    ranked.set(target.field, columns)
  }
  if (ranked.size === 0) {
    throw new AppError(
      'invalid',
      `None of the columns is known. The first line names them: ${listNames(header)}.`,
      {
        field: 'header',
        valid: Object.keys(COLUMN_NAMES),
      },
    )
  }
  const fields = new Map(
    [...ranked].map(([field, columns]) => [
      field,
      columns.toSorted((a, b) => a.rank - b.rank).map(({ column }) => column),
    ]),
  )
  return { fields, specs, unused }
}

export function isTitleColumn(name: string): boolean {
  return fieldNamed(name) === 'title'
}

/** The field that a name is commonly used for. */
export function fieldNamed(name: string): ColumnField | null {
  const target = guessTarget(name)
  return target !== null && 'field' in target ? target.field : null
}

function guessTarget(name: string): Target | null {
  if (name.length > MAX_NAME_LENGTH) return null
  const spec = specName(name)
  if (spec) return { spec }
  const plain = plainName(name)
  for (const [field, names] of Object.entries(COLUMN_NAMES)) {
    // Pictures come numbered: "Image 2", "image_url_3".
    const rank = (names as readonly string[]).indexOf(field === 'images' ? plain.replace(/\d+$/, '') : plain)
    if (rank !== -1) return { field: field as ColumnField, rank }
  }
  return null
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
  throw new AppError('invalid', `The mapping names "${ours}", which is not a field of a product.`, {
    field: `mapping.${ours}`,
    valid: Object.keys(COLUMN_NAMES),
  })
}

/** The column that a mapping means by a name; -1 when there is none. */
export function columnNamed(header: readonly string[], theirs: string): number {
  const exact = header.findIndex((name) => name.trim() === theirs.trim())
  return exact === -1 ? header.findIndex((name) => plainName(name) === plainName(theirs)) : exact
}

function findColumn(header: readonly string[], ours: string, theirs: string): number {
  const column = columnNamed(header, theirs)
  if (column !== -1) return column
  throw new AppError(
    'invalid',
    `The mapping takes ${ours} from "${theirs}". The file has these columns: ${listNames(header)}.`,
    {
      field: `mapping.${ours}`,
      valid: header.map((name) => name.trim()),
    },
  )
}
