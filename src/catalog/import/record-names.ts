/**
 * What the names of a stranger's record mean. A record is JSON or an item of XML; what is nested has a name with dots,
 * "price.amount". Most names are those that spreadsheets use (see csv-columns); here are the others, and how a name
 * with dots is understood: by what it ends with, when the parts around that say nothing more.
 */
import { type ColumnField, fieldOf } from './csv-columns.ts'
import { plainName } from './values.ts'

/** A name of csv-columns to the names that mean the same in feeds and interfaces. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  title: ['nazwa', 'productnameext', 'displayname', 'titletext'],
  price: [
    ...['pricevat', 'pricewithvat', 'priceinclvat', 'pricetaxincluded', 'grossprice', 'finalprice'],
    ...['priceamount', 'pricevalue', 'regularpricevat', 'pricegross'],
  ],
  price_low: ['minvariantprice'],
  price_high: ['maxvariantprice'],
  list_price: ['oldprice', 'priceold', 'pricebefore', 'strikeprice', 'pricebeforediscount', 'listpricevat'],
  image: [
    ...[
      'imgurl',
      'img',
      'imgs',
      'imagelarge',
      'bigimage',
      'featuredimage',
      'highpic',
      'pictureurl',
      'photourl',
      'media',
    ],
  ],
  additional_image_link: ['imgurlalternative', 'thumbnail', 'thumb', 'gallery', 'additionalimageurls'],
  category: [
    ...['categorytext', 'categorypath', 'categoryfull', 'categoryfullname', 'breadcrumb', 'breadcrumbs'],
    ...['cat', 'shopcategory', 'productcategories', 'classificationcategory', 'primarycategory'],
  ],
  url: ['deeplink', 'permalink', 'productpage', 'weburl', 'itemurl', 'onlinestoreurl'],
  description: ['longdesc', 'desc', 'descriptionlong', 'fulldescription', 'productdesc', 'summary'],
  brand: ['producer', 'producent', 'brandtitle'],
  gtin: ['eans', 'gtins', 'eannumber', 'gtin8', 'productidentifieridvalue'],
  mpn: ['productno', 'vendorcode', 'manufacturercode', 'codeproducer', 'kodproducenta', 'prodid'],
  rating: ['ratingvalue', 'ratingsaverage', 'ratingaverage', 'ratingrate', 'averagescore'],
  review_count: ['ratingscount', 'reviewstotal', 'ratingvotes', 'reviewcounttotal'],
  specs: ['params', 'parameters', 'features', 'technicaldetails', 'attrs', 'additionalproperty'],
}
const MEANS: ReadonlyMap<string, string> = new Map(
  Object.entries(SAME).flatMap(([name, others]) => others.map((other) => [other, name])),
)

/** What a file calls a product, the surest first. */
const ID_NAMES = [
  ...[
    'id',
    'itemid',
    'productid',
    'offerid',
    'pid',
    'uniqid',
    'asin',
    'articleid',
    'objectid',
    'gid',
    'parentasin',
    'recordreference',
  ],
]
const GROUP_NAMES = ['itemgroupid', 'groupid', 'productgroupid', 'inproductgroupwithid']
const CURRENCY_NAMES = ['currency', 'currencycode', 'pricecurrency', 'currencyid', 'currencyiso']

const LAST_RANK = 50

/** What tells variants apart, wherever it stands; and measures, which are worth keeping under their own names. */
export const OPTION_NAMES: ReadonlySet<string> = new Set([
  ...['color', 'colour', 'size', 'material', 'pattern', 'gender', 'agegroup', 'style', 'flavor', 'flavour'],
])
const MEASURES: ReadonlySet<string> = new Set([
  ...[
    'weight',
    'width',
    'height',
    'depth',
    'length',
    'capacity',
    'volume',
    'warranty',
    'warrantyinformation',
  ],
])

/** Parts that only hold others. */
const HOLDERS =
  /^(offers?|product|node|data|fields|pricing|prices|pricerange|pricerangev2|aggregaterating|pricespecification|productdescription|descriptivedetail|productsupply|supplydetail|titledetail|titleelement|default)$/
/** Ends that only hold the value. */
const VALUES =
  /^(name|value|amount|priceamount|text|title|label|url|src|href|link|rendered|raw|rate|average|content|fullname|html|en|path)$/

/** What is said of a picture beside its address. */
const OF_PICTURES =
  /^(id|position|order|sort|sortorder|alt|title|caption|width|height|type|ismain|role|size)$/

/** A number is a number wherever it stands. */
const ANYWHERE: ReadonlySet<ColumnField> = new Set(['gtin', 'mpn'])

export type Meaning =
  /** `column` is a name that csv-columns knows; `field` what it knows it as. */
  | { kind: 'column'; column: string; field: ColumnField }
  | { kind: 'id' | 'group'; rank: number }
  | { kind: 'parent'; key: 'id' | 'sku' }
  | { kind: 'currency' }
  /** What a rating is out of. */
  | { kind: 'best' }
  | { kind: 'spec'; name: string; isOption: boolean }
  | { kind: 'unknown' }

/** A file's own names, which are few; a file of endless names is asked anew each time. */
const MOST_REMEMBERED = 5_000

export function createNameReader(): (name: string) => Meaning {
  const known = new Map<string, Meaning>()
  return (name) => {
    const remembered = known.get(name)
    if (remembered) return remembered
    const meaning = meaningOf(name.split('.').filter((part) => part !== ''))
    if (known.size < MOST_REMEMBERED) known.set(name, meaning)
    return meaning
  }
}

function meaningOf(parts: readonly string[]): Meaning {
  const whole = parts.join('.')
  const plain = plainName(whole)
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) {
    const id = ID_NAMES.indexOf(plain)
    if (id !== -1) return { kind: 'id', rank: id }
    const group = GROUP_NAMES.indexOf(plain)
    if (group !== -1) return { kind: 'group', rank: group }
    if (plain === 'parentid' || plain === 'parentsku')
      return { kind: 'parent', key: plain === 'parentid' ? 'id' : 'sku' }
  }
  if (CURRENCY_NAMES.includes(plainName(last))) return { kind: 'currency' }
  if (/^(bestrating|maxrating|ratingscale)$/.test(plainName(last))) return { kind: 'best' }
  const column = columnOf(whole)
  if (column?.field === 'id' || column?.field === 'group') return { kind: column.field, rank: LAST_RANK }
  if (column?.field === 'currency') return { kind: 'currency' }
  if (column) return column
  if (OPTION_NAMES.has(plain) || MEASURES.has(plain) || MEASURES.has(plainName(last)))
    return { kind: 'spec', name: specName(last), isOption: OPTION_NAMES.has(plain) }
  if (parts.length === 1) return { kind: 'unknown' }

  const [first = '', ...rest] = parts
  const inside = HOLDERS.test(plainName(first)) ? meaningOf(rest) : null
  if (inside && inside.kind !== 'unknown') return inside
  const head = meaningOf(parts.slice(0, -1))
  const isKnown = head.kind === 'column'
  if (isKnown && head.field === 'rating' && /^(count|total|votes|reviews|reviewcount)$/.test(plainName(last)))
    return { kind: 'column', column: 'review_count', field: 'review_count' }
  if (
    isKnown &&
    (VALUES.test(plainName(last)) || (head.field === 'images' && !OF_PICTURES.test(plainName(last))))
  )
    return head
  const alone = columnOf(last)
  return alone && ANYWHERE.has(alone.field) ? alone : { kind: 'unknown' }
}

function columnOf(name: string): Extract<Meaning, { kind: 'column' }> | null {
  const column = MEANS.get(plainName(name)) ?? name
  const field = fieldOf(column)
  return field === null ? null : { kind: 'column', column, field }
}

/** "age_group" → "Age group", "warrantyInformation" → "Warranty information". */
export function specName(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
