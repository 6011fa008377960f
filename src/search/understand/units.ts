/**
 * The units of things that are not money. Shared by the reader of sizes and the reader of budgets: a number that
 * has one of these is never a price. Letters that are also words ("in", "a", "c") count only where they cannot be
 * the word.
 */
import { foldAt, isGlued, isHyphen, type Phrases, phraseAt, phrases, type Token } from './tokens.ts'

/** Each unit with what it measures, how many base units it is, and how it is written. */
const TABLE: ReadonlyArray<readonly [unit: string, dimension: string, factor: number, names: string]> = [
  ['inch', 'length', 0.0254, 'inch|inches|inchs'],
  ['foot', 'length', 0.3048, 'foot|feet|ft'],
  ['yard', 'length', 0.9144, 'yard|yards|yd|yds'],
  ['mile', 'length', 1609.344, 'mile|miles|mi'],
  ['mm', 'length', 0.001, 'mm|millimeter|millimeters|millimetre|millimetres'],
  ['cm', 'length', 0.01, 'cm|centimeter|centimeters|centimetre|centimetres'],
  ['m', 'length', 1, 'm|meter|meters|metre|metres'],
  ['km', 'length', 1000, 'km|kms|kilometer|kilometers|kilometre|kilometres'],
  ['mg', 'mass', 0.001, 'mg|milligram|milligrams'],
  ['g', 'mass', 1, 'g|gram|grams|gramme|grammes|gr'],
  ['kg', 'mass', 1000, 'kg|kgs|kilo|kilos|kilogram|kilograms'],
  ['oz', 'ounces', 28.349523, 'oz|ounce|ounces'],
  ['fl oz', 'volume', 0.0295735, 'fl oz|fluid ounce|fluid ounces'],
  ['lb', 'mass', 453.59237, 'lb|lbs|pound|pounds'],
  ['ml', 'volume', 0.001, 'ml|milliliter|milliliters|millilitre|millilitres'],
  ['l', 'volume', 1, 'l|liter|liters|litre|litres|ltr'],
  ['cup', 'volume', 0.236588, 'cup|cups'],
  ['pint', 'volume', 0.473176, 'pint|pints'],
  ['quart', 'volume', 0.946353, 'quart|quarts|qt|qts'],
  ['gallon', 'volume', 3.785412, 'gallon|gallons|gal'],
  ['sq ft', 'area', 0.092903, 'sq ft|square foot|square feet|sqft|sq feet'],
  ['sq m', 'area', 1, 'sq m|square meter|square meters|square metre|square metres|sqm'],
  ['cu ft', 'volume', 28.316847, 'cu ft|cubic foot|cubic feet|cuft'],
  ['mb', 'data', 0.001, 'mb|megabyte|megabytes'],
  ['gb', 'data', 1, 'gb|gig|gigs|gigabyte|gigabytes'],
  ['tb', 'data', 1000, 'tb|terabyte|terabytes'],
  ['mbps', 'data rate', 1, 'mbps|megabit|megabits|mbit|mb/s'],
  ['gbps', 'data rate', 1000, 'gbps|gigabit|gigabits|gbit'],
  ['hz', 'frequency', 1, 'hz|hertz'],
  ['khz', 'frequency', 1000, 'khz|kilohertz'],
  ['mhz', 'frequency', 1e6, 'mhz|megahertz'],
  ['ghz', 'frequency', 1e9, 'ghz|gigahertz'],
  ['watt', 'power', 1, 'w|watt|watts'],
  ['kw', 'power', 1000, 'kw|kilowatt|kilowatts'],
  ['wh', 'energy', 1, 'wh|watt hour|watt hours'],
  ['kwh', 'energy', 1000, 'kwh|kilowatt hour|kilowatt hours'],
  ['mah', 'charge', 0.001, 'mah'],
  ['volt', 'voltage', 1, 'v|volt|volts'],
  ['amp', 'current', 1, 'amp|amps'],
  ['db', 'sound', 1, 'db|decibel|decibels|dba'],
  ['lumen', 'lumen', 1, 'lumen|lumens|lm'],
  ['lux', 'lux', 1, 'lux'],
  ['nit', 'nit', 1, 'nit|nits'],
  ['degree', 'degree', 1, '°|degree|degrees|celsius|fahrenheit'],
  ['megapixel', 'megapixel', 1, 'mp|megapixel|megapixels'],
  ['dpi', 'dpi', 1, 'dpi'],
  ['fps', 'fps', 1, 'fps'],
  ['rpm', 'rpm', 1, 'rpm'],
  ['psi', 'pressure', 6894.757, 'psi'],
  ['bar', 'pressure', 100_000, 'bar|bars'],
  ['mph', 'speed', 1.609344, 'mph|miles per hour'],
  ['km/h', 'speed', 1, 'kmh|kph'],
  ['nm', 'nm', 1, 'nm|newton meters'],
  ['ft lb', 'nm', 1.355818, 'ft lb|ft lbs|foot pound|foot pounds|lb ft'],
  ['cfm', 'cfm', 1, 'cfm'],
  ['btu', 'btu', 1, 'btu|btus'],
  ['percent', 'percent', 1, '%|percent'],
  ['ms', 'time', 0.001, 'ms|millisecond|milliseconds'],
  ['second', 'time', 1, 'sec|secs|second|seconds'],
  ['minute', 'time', 60, 'min|mins|minute|minutes'],
  ['hour', 'time', 3600, 'h|hr|hrs|hour|hours'],
  ['day', 'time', 86_400, 'day|days'],
  ['night', 'time', 86_400, 'night|nights'],
  ['week', 'time', 604_800, 'week|weeks'],
  ['month', 'time', 2_629_800, 'month|months'],
  ['year', 'time', 31_557_600, 'year|years|yr|yrs'],
  ['person', 'people', 1, 'person|persons|people|man|seater|sleeper|berth|adults|guests'],
  ['player', 'player', 1, 'player|players'],
  ['piece', 'pieces', 1, 'piece|pieces|pc|pcs|pack|packs|count|ct|pair|pairs'],
  ['ply', 'ply', 1, 'ply'],
  ['thread count', 'thread count', 1, 'thread count'],
  ['port', 'port', 1, 'port|ports'],
  ['core', 'core', 1, 'core|cores'],
  ['bit', 'bit', 1, 'bit'],
  ['speed', 'speed', 1, 'speed|speeds'],
  ['burner', 'burner', 1, 'burner|burners'],
  ['drawer', 'drawer', 1, 'drawer|drawers'],
  ['tier', 'tier', 1, 'tier|tiers'],
  ['slice', 'slice', 1, 'slice|slices'],
  ['serving', 'serving', 1, 'serving|servings'],
  ['key', 'key', 1, 'key|keys'],
  ['button', 'button', 1, 'button|buttons'],
  ['device', 'device', 1, 'device|devices'],
  ['page', 'page', 1, 'page|pages|sheet|sheets'],
  ['room', 'room', 1, 'room|rooms|bedroom|bedrooms'],
  ['step', 'step', 1, 'step|steps'],
  ['level', 'level', 1, 'level|levels'],
  ['channel', 'channel', 1, 'channel|channels'],
  ['sq in', 'area', 0.00064516, 'sq in|square inch|square inches|sqin'],
  ['sq cm', 'area', 0.0001, 'sq cm|square centimeter|square centimeters|square centimetres'],
  ['cu in', 'volume', 0.0163871, 'cu in|cubic inch|cubic inches'],
  ['cu m', 'volume', 1000, 'cubic meter|cubic meters|cubic metre|cubic metres'],
  ['cl', 'volume', 0.01, 'cl|centiliter|centilitre|centiliters|centilitres'],
  ['kb', 'data', 0.000001, 'kb|kilobyte|kilobytes'],
  ['ah', 'charge', 1, 'ah|amp hour|amp hours'],
  ['ma', 'current', 0.001, 'ma|milliamp|milliamps'],
  ['mw', 'power', 0.001, 'mw|milliwatt|milliwatts'],
  ['hp', 'power', 745.7, 'hp|horsepower'],
  ['pa', 'pressure', 1, 'pa|pascal|pascals'],
  ['kpa', 'pressure', 1000, 'kpa'],
  ['ppi', 'ppi', 1, 'ppi'],
  ['ppm', 'ppm', 1, 'ppm'],
]
const UNITS: Phrases<string> = phrases<string>(TABLE.map(([unit, , , names]) => [unit, names] as const))
const MEASURES: ReadonlyMap<string, { dimension: string; factor: number }> = new Map(
  TABLE.map(([unit, dimension, factor]) => [unit, { dimension, factor }] as const),
)
/** Letters that stand for a unit only when they touch the number: "20a", "30c", "1080p", "10s". */
const GLUED: ReadonlyMap<string, string> = new Map([
  ['a', 'amp'],
  ['c', 'degree'],
  ['f', 'degree'],
  ['p', 'p'],
  ['s', 'second'],
  ['d', 'denier'],
  ['x', 'times'],
  ['in', 'inch'],
])
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', 'inch'],
  ['”', 'inch'],
  ['″', 'inch'],
  ["'", 'foot'],
  ['′', 'foot'],
])
const AFTER_INCH = new Set(
  'wide tall long deep thick high diameter x by screen display or and max min'.split(' '),
)
/** "12 in the box" is no length. */
const AFTER_PREPOSITION = new Set('a an the this that my your our one each total stock'.split(' '))
/** "m²" and "ft³": what the sign behind the unit makes of it. */
const POWERS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map<
  string,
  Readonly<Record<string, string>>
>([
  ['m', { '²': 'sq m', '³': 'cu m', '2': 'sq m', '3': 'cu m' }],
  ['cm', { '²': 'sq cm', '³': 'ml', '2': 'sq cm', '3': 'ml' }],
  ['foot', { '²': 'sq ft', '³': 'cu ft' }],
  ['inch', { '²': 'sq in', '³': 'cu in' }],
])
const LEAST_KELVIN = 1000
/** 3G to 5G are networks, not weights. */
const NETWORKS = new Set([2.4, 3, 4, 5])

/** What a unit measures and how many base units it is. A rate ("lb/ft", "sheets/min") measures itself. */
export function measureOf(unit: string): { dimension: string; factor: number } {
  return MEASURES.get(unit) ?? { dimension: unit, factor: 1 }
}

/** The unit that follows a number whose last token is just before `index`. */
export function unitAt(tokens: readonly Token[], index: number): { unit: string; to: number } | null {
  const found = plainUnitAt(tokens, index)
  if (!found) return null
  const powered = POWERS.get(found.unit)?.[isGlued(tokens, found.to) ? foldAt(tokens, found.to) : '']
  const unit = powered ? { unit: powered, to: found.to + 1 } : found
  return rateAt(tokens, unit) ?? unit
}

/** Where a price cannot stand, "in" before a word is inches too: "8 in chef knife". */
export function unitOrInchAt(tokens: readonly Token[], index: number): { unit: string; to: number } | null {
  const found = unitAt(tokens, index)
  if (found || foldAt(tokens, index) !== 'in') return found
  const next = tokens[index + 1]
  return next?.kind === 'word' && !AFTER_PREPOSITION.has(next.fold) ? { unit: 'inch', to: index + 1 } : null
}

/** "300 m³/h" is no volume and "2 lb/ft³" no weight. */
function rateAt(
  tokens: readonly Token[],
  { unit, to }: { unit: string; to: number },
): { unit: string; to: number } | null {
  const per = tokens[to + 1]
  if (foldAt(tokens, to) !== '/' || !isGlued(tokens, to) || !per?.glued || per.kind !== 'word') return null
  const power = isGlued(tokens, to + 2) && /^[²³]$/.test(foldAt(tokens, to + 2)) ? 1 : 0
  return { unit: `${unit}/${per.fold}`, to: to + 2 + power }
}

function plainUnitAt(tokens: readonly Token[], index: number): { unit: string; to: number } | null {
  const before = tokens[index - 1]
  const hyphen = isHyphen(tokens, index) && isGlued(tokens, index) && isGlued(tokens, index + 1)
  const at = hyphen ? index + 1 : index
  const word = foldAt(tokens, at)
  const touches = isGlued(tokens, at)
  if (touches && QUOTES.has(word)) return quoteAt(tokens, at)
  // "11x17" are two sides, "10x zoom" is ten times.
  if (word === 'x' && tokens[at + 1]?.kind === 'number') return null
  if (word === 'in' && touches && isJoinedNumber(tokens, at + 1)) return null
  if (touches && GLUED.has(word)) return { unit: GLUED.get(word) ?? '', to: at + 1 }
  if (word === 'in') return inchAt(tokens, at)
  if (word === 'g' && touches && NETWORKS.has(before?.value ?? -1)) return null
  // "2700K" is a colour of light, "4K" a picture.
  if (word === 'k') return (before?.value ?? 0) >= LEAST_KELVIN ? { unit: 'kelvin', to: at + 1 } : null
  // "12 MP3 players"
  if (word === 'mp' && isJoinedNumber(tokens, at + 1)) return null
  // "100 w/o": without, not watts.
  if (word === 'w' && foldAt(tokens, at + 1) === '/') return null
  const found = phraseAt(UNITS, tokens, at)
  if (!found) return null
  // "20 °C", "30 degrees celsius": the scale belongs to the unit.
  const scale = found.meaning === 'degree' && /^(c|f|celsius|fahrenheit)$/.test(foldAt(tokens, found.to))
  return { unit: found.meaning, to: scale ? found.to + 1 : found.to }
}

/** Two single quotes are one double quote. */
function quoteAt(tokens: readonly Token[], at: number): { unit: string; to: number } {
  const unit = QUOTES.get(foldAt(tokens, at)) ?? ''
  const twice = unit === 'foot' && isGlued(tokens, at + 1) && QUOTES.get(foldAt(tokens, at + 1)) === 'foot'
  return twice ? { unit: 'inch', to: at + 2 } : { unit, to: at + 1 }
}

/** The rest of "2-in-1" and "3in1". */
function isJoinedNumber(tokens: readonly Token[], index: number): boolean {
  const at = isHyphen(tokens, index) ? index + 1 : index
  return isGlued(tokens, at) && tokens[at]?.kind === 'number'
}

/** "27 in" is inches at the end, before a mark or before "wide"; "under 100 in black" is not. */
function inchAt(tokens: readonly Token[], at: number): { unit: string; to: number } | null {
  const next = tokens[at + 1]
  const ends = !next || next.kind === 'mark' || AFTER_INCH.has(next.fold)
  return ends ? { unit: 'inch', to: at + 1 } : null
}
