/**
 * The units of things that are not money. Shared by the reader of sizes and the reader of budgets: a number that
 * has one of these is never a price. Letters that are also words ("in", "a", "c") count only where they cannot be
 * the word.
 */
import { foldAt, isGlued, isHyphen, type Phrases, phraseAt, phrases, type Token } from './tokens.ts'

const UNITS: Phrases<string> = phrases<string>([
  ['inch', 'inch|inches|inchs'],
  ['foot', 'foot|feet|ft'],
  ['yard', 'yard|yards|yd|yds'],
  ['mile', 'mile|miles|mi'],
  ['mm', 'mm|millimeter|millimeters|millimetre|millimetres'],
  ['cm', 'cm|centimeter|centimeters|centimetre|centimetres'],
  ['m', 'm|meter|meters|metre|metres'],
  ['km', 'km|kms|kilometer|kilometers|kilometre|kilometres'],
  ['mg', 'mg|milligram|milligrams'],
  ['g', 'g|gram|grams|gramme|grammes|gr'],
  ['kg', 'kg|kgs|kilo|kilos|kilogram|kilograms'],
  ['oz', 'oz|ounce|ounces'],
  ['fl oz', 'fl oz|fluid ounce|fluid ounces'],
  ['lb', 'lb|lbs|pound|pounds'],
  ['ml', 'ml|milliliter|milliliters|millilitre|millilitres'],
  ['l', 'l|liter|liters|litre|litres|ltr'],
  ['cup', 'cup|cups'],
  ['pint', 'pint|pints'],
  ['quart', 'quart|quarts|qt|qts'],
  ['gallon', 'gallon|gallons|gal'],
  ['sq ft', 'sq ft|square foot|square feet|sqft|sq feet'],
  ['sq m', 'sq m|square meter|square meters|square metre|square metres|sqm'],
  ['cu ft', 'cu ft|cubic foot|cubic feet|cuft'],
  ['mb', 'mb|megabyte|megabytes'],
  ['gb', 'gb|gig|gigs|gigabyte|gigabytes'],
  ['tb', 'tb|terabyte|terabytes'],
  ['mbps', 'mbps|megabit|megabits|mbit|mb/s'],
  ['gbps', 'gbps|gigabit|gigabits|gbit'],
  ['hz', 'hz|hertz'],
  ['khz', 'khz|kilohertz'],
  ['mhz', 'mhz|megahertz'],
  ['ghz', 'ghz|gigahertz'],
  ['watt', 'w|watt|watts'],
  ['kw', 'kw|kilowatt|kilowatts'],
  ['wh', 'wh|watt hour|watt hours'],
  ['kwh', 'kwh|kilowatt hour|kilowatt hours'],
  ['mah', 'mah'],
  ['volt', 'v|volt|volts'],
  ['amp', 'amp|amps'],
  ['db', 'db|decibel|decibels|dba'],
  ['lumen', 'lumen|lumens|lm'],
  ['lux', 'lux'],
  ['nit', 'nit|nits'],
  ['degree', '°|degree|degrees|celsius|fahrenheit'],
  ['megapixel', 'mp|megapixel|megapixels'],
  ['dpi', 'dpi'],
  ['fps', 'fps'],
  ['rpm', 'rpm'],
  ['psi', 'psi'],
  ['bar', 'bar|bars'],
  ['mph', 'mph|miles per hour'],
  ['km/h', 'kmh|kph'],
  ['nm', 'nm|newton meters'],
  ['cfm', 'cfm'],
  ['btu', 'btu|btus'],
  ['percent', '%|percent'],
  ['ms', 'ms|millisecond|milliseconds'],
  ['second', 'sec|secs|second|seconds'],
  ['minute', 'min|mins|minute|minutes'],
  ['hour', 'h|hr|hrs|hour|hours'],
  ['day', 'day|days'],
  ['night', 'night|nights'],
  ['week', 'week|weeks'],
  ['month', 'month|months'],
  ['year', 'year|years|yr|yrs'],
  ['person', 'person|persons|people|man|seater|sleeper|berth|adults|guests'],
  ['player', 'player|players'],
  ['piece', 'piece|pieces|pc|pcs|pack|packs|count|ct|pair|pairs'],
  ['ply', 'ply'],
  ['thread count', 'thread count'],
  ['port', 'port|ports'],
  ['core', 'core|cores'],
  ['bit', 'bit'],
  ['speed', 'speed|speeds'],
  ['burner', 'burner|burners'],
  ['drawer', 'drawer|drawers'],
  ['tier', 'tier|tiers'],
  ['slice', 'slice|slices'],
  ['serving', 'serving|servings'],
  ['key', 'key|keys'],
  ['button', 'button|buttons'],
  ['device', 'device|devices'],
  ['page', 'page|pages|sheet|sheets'],
  ['room', 'room|rooms|bedroom|bedrooms'],
  ['step', 'step|steps'],
  ['level', 'level|levels'],
  ['channel', 'channel|channels'],
])
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
/** 3G to 5G are networks, not weights. */
const NETWORKS = new Set([2.4, 3, 4, 5])

/** The unit that follows a number whose last token is just before `index`. */
export function unitAt(tokens: readonly Token[], index: number): { unit: string; to: number } | null {
  const before = tokens[index - 1]
  const hyphen = isHyphen(tokens, index) && isGlued(tokens, index) && isGlued(tokens, index + 1)
  const at = hyphen ? index + 1 : index
  const word = foldAt(tokens, at)
  const touches = isGlued(tokens, at)
  if (touches && QUOTES.has(word)) return { unit: QUOTES.get(word) ?? '', to: at + 1 }
  // "11x17" are two sides, "10x zoom" is ten times.
  if (word === 'x' && tokens[at + 1]?.kind === 'number') return null
  if (touches && GLUED.has(word)) return { unit: GLUED.get(word) ?? '', to: at + 1 }
  if (word === 'in') return inchAt(tokens, at)
  if (word === 'g' && touches && NETWORKS.has(before?.value ?? -1)) return null
  // "100 w/o": without, not watts.
  if (word === 'w' && foldAt(tokens, at + 1) === '/') return null
  const found = phraseAt(UNITS, tokens, at)
  if (!found) return null
  // "20 °C", "30 degrees celsius": the scale belongs to the unit.
  const scale = found.meaning === 'degree' && /^(c|f|celsius|fahrenheit)$/.test(foldAt(tokens, found.to))
  return { unit: found.meaning, to: scale ? found.to + 1 : found.to }
}

/** "27 in" is inches at the end, before a mark or before "wide"; "under 100 in black" is not. */
function inchAt(tokens: readonly Token[], at: number): { unit: string; to: number } | null {
  const next = tokens[at + 1]
  const ends = !next || next.kind === 'mark' || AFTER_INCH.has(next.fold)
  return ends ? { unit: 'inch', to: at + 1 } : null
}
