/**
 * Units of measure as shops write them. A number and its unit are one term ("27-inch", "27 in" and 27" are `27in`):
 * apart they would match any 27 and any inch.
 */

const UNITS: Record<string, string> = {
  in: 'in inch inches',
  ft: 'ft foot feet',
  yd: 'yd yds yard yards',
  mm: 'mm millimeter millimeters millimetre millimetres',
  cm: 'cm centimeter centimeters centimetre centimetres',
  m: 'm meter meters metre metres',
  km: 'km kilometer kilometers kilometre kilometres',
  mi: 'mi mile miles',
  sqft: 'sqft',
  g: 'g gr gram grams gramme grammes',
  mg: 'mg milligram milligrams',
  mcg: 'mcg',
  kg: 'kg kgs kilo kilos kilogram kilograms',
  oz: 'oz ounce ounces floz',
  lb: 'lb lbs pound pounds',
  ml: 'ml milliliter milliliters millilitre millilitres',
  l: 'l ltr ltrs liter liters litre litres',
  gal: 'gal gals gallon gallons',
  qt: 'qt qts quart quarts',
  pt: 'pt pint pints',
  cup: 'cup cups',
  mb: 'mb megabyte megabytes',
  gb: 'gb gigabyte gigabytes',
  tb: 'tb terabyte terabytes',
  mp: 'mp megapixel megapixels',
  hz: 'hz hertz',
  khz: 'khz kilohertz',
  mhz: 'mhz megahertz',
  ghz: 'ghz gigahertz',
  mw: 'mw',
  w: 'w watt watts',
  kw: 'kw kilowatt kilowatts',
  wh: 'wh',
  kwh: 'kwh',
  ma: 'ma',
  mah: 'mah',
  a: 'a amp amps ampere amperes',
  ah: 'ah',
  v: 'v volt volts',
  h: 'h hr hrs hour hours',
  min: 'min mins minute minutes',
  sec: 'sec secs second seconds',
  ms: 'ms millisecond milliseconds',
  rpm: 'rpm',
  dpi: 'dpi',
  psi: 'psi',
  btu: 'btu btus',
  lm: 'lm lumen lumens',
  db: 'db decibel decibels',
  nit: 'nit nits',
  mph: 'mph',
  deg: 'deg degree degrees',
}

const GLUED = new Map(
  Object.entries(UNITS).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
)
/** "2 a day" is no current; "a" counts only when it touches the number. */
const NEVER_APART = new Set(['a'])
const BEFORE_UNIT = new Map([
  ['fl oz', 'oz'],
  ['fluid oz', 'oz'],
  ['sq ft', 'sqft'],
  ['square ft', 'sqft'],
  ['sq in', 'sqin'],
  ['square in', 'sqin'],
  ['sq m', 'sqm'],
  ['square m', 'sqm'],
])

/** The unit of "16gb" or "27-inch", or undefined. */
export function gluedUnit(name: string): string | undefined {
  return GLUED.get(name)
}

/** The unit of "16 GB". */
export function apartUnit(name: string): string | undefined {
  return NEVER_APART.has(name) ? undefined : GLUED.get(name)
}

/** The unit of "12 fl oz" or "300 square feet", whose name is two words. */
export function twoWordUnit(first: string, second: string): string | undefined {
  const unit = GLUED.get(second)
  return unit === undefined ? undefined : BEFORE_UNIT.get(`${first} ${unit}`)
}
