/**
 * Reads amounts with units from spec texts, for the checks of the evaluations. It shares nothing with src/search, so that
 * a mistake there cannot hide itself here.
 */
export type Amount = { low: number; high: number; unit: string }

type Unit = { measures: Record<string, number>; offset?: number; names: string[] }

/** What one of the unit is in the base unit of what it measures: cm, g, ml, m², s, °C, Nm; any other counts itself. */
const UNITS: Unit[] = [
  { measures: { length: 0.1 }, names: ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'] },
  { measures: { length: 1 }, names: ['cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'] },
  { measures: { length: 100 }, names: ['m', 'meter', 'meters', 'metre', 'metres'] },
  { measures: { length: 100_000 }, names: ['km'] },
  { measures: { length: 2.54 }, names: ['in', 'inch', 'inches'] },
  { measures: { length: 30.48 }, names: ['ft', 'foot', 'feet'] },
  { measures: { mass: 1 }, names: ['g', 'gram', 'grams'] },
  { measures: { mass: 1000 }, names: ['kg', 'kilo', 'kilos', 'kilograms'] },
  { measures: { mass: 453.592 }, names: ['lb', 'lbs', 'pound', 'pounds'] },
  { measures: { mass: 28.3495, volume: 29.5735 }, names: ['oz', 'ounce', 'ounces'] },
  { measures: { volume: 1 }, names: ['ml'] },
  { measures: { volume: 1000 }, names: ['l', 'liter', 'liters', 'litre', 'litres'] },
  { measures: { volume: 946.353 }, names: ['qt', 'quart', 'quarts'] },
  { measures: { volume: 16.3871 }, names: ['cu in'] },
  { measures: { area: 1 }, names: ['m²', 'sq m'] },
  { measures: { area: 0.092903 }, names: ['sq ft', 'square feet'] },
  { measures: { time: 1 }, names: ['s', 'seconds'] },
  { measures: { time: 60 }, names: ['min', 'minutes'] },
  { measures: { time: 3600 }, names: ['h', 'hour', 'hours'] },
  { measures: { time: 86_400 }, names: ['day', 'days'] },
  { measures: { time: 604_800 }, names: ['week', 'weeks'] },
  { measures: { temperature: 1 }, names: ['°C'] },
  { measures: { temperature: 5 / 9 }, offset: -32, names: ['°F'] },
  { measures: { torque: 1 }, names: ['Nm'] },
  { measures: { torque: 1.35582 }, names: ['ft lb'] },
  { measures: { data: 0.001 }, names: ['MB'] },
  { measures: { data: 1 }, names: ['GB'] },
  { measures: { data: 1000 }, names: ['TB'] },
  { measures: { people: 1 }, names: ['person', 'people'] },
  ...['V', 'W', 'kW', 'Wh', 'mAh', 'Ah', 'AW', 'Pa', 'dB', 'Hz', 'rpm', 'lm', 'bar', 'ppi', 'ppm'].map(plain),
  ...['nits', 'mph', 'HRC', 'DPI', 'ATM', 'fps', 'GHz', 'Gbps', 'season', 'speed', 'core'].map(plain),
  { measures: { keys: 1 }, names: ['keys', 'key'] },
  { measures: { years: 1 }, names: ['years', 'year'] },
  { measures: { nights: 1 }, names: ['nights', 'night'] },
  { measures: { sheets: 1 }, names: ['sheets', 'sheet'] },
]

function plain(name: string): Unit {
  return { measures: { [name]: 1 }, names: [name] }
}

const BY_NAME = new Map(UNITS.flatMap((unit) => unit.names.map((name) => [name.toLowerCase(), unit])))
const NAMES = [...BY_NAME.keys()].sort((a, b) => b.length - a.length).join('|')
const NUMBER = String.raw`-?\d+(?:,\d{3})*(?:\.\d+)?`
const GROUP = new RegExp(
  `(?<![\\w./-])(${NUMBER})((?:\\s*(?:x|to|or|and|–|-)\\s*${NUMBER})*)[\\s-]*(${NAMES})(?![a-z²³/])`,
  'gi',
)

/** In the order of the text. "24 x 36 in" is two amounts, "5 to 50 lb" is one. */
export function readAmounts(text: string): Amount[] {
  return [...text.matchAll(GROUP)].flatMap(([, first = '', rest = '', unit = '']) => {
    const amounts: Amount[] = [{ low: toNumber(first), high: toNumber(first), unit: unit.toLowerCase() }]
    for (const [, joint = '', number = ''] of rest.matchAll(
      new RegExp(`(x|to|or|and|–|-)\\s*(${NUMBER})`, 'gi'),
    )) {
      const value = toNumber(number)
      const last = amounts.at(-1)
      if (last && ['to', '–', '-'].includes(joint.toLowerCase())) last.high = value
      else amounts.push({ low: value, high: value, unit: unit.toLowerCase() })
    }
    return amounts
  })
}

function toNumber(text: string): number {
  return Number(text.replaceAll(',', ''))
}

/** The first amount of the text that measures what `unit` does, in `unit`; null where there is none. */
export function firstIn(text: string, unit: string): { low: number; high: number } | null {
  return allIn(text, unit)[0] ?? null
}

/** Every amount of the text that measures what `unit` does, in `unit`. */
export function allIn(text: string, unit: string): Array<{ low: number; high: number }> {
  const wanted = BY_NAME.get(unit.toLowerCase())
  if (!wanted) throw new Error(`unknown unit ${unit}`)
  return readAmounts(text).flatMap(({ low, high, unit: name }) => {
    const found = BY_NAME.get(name)
    const measure = found && Object.keys(wanted.measures).find((one) => found.measures[one] !== undefined)
    if (!found || !measure) return []
    return [{ low: convert(low, found, wanted, measure), high: convert(high, found, wanted, measure) }]
  })
}

function convert(value: number, from: Unit, to: Unit, measure: string): number {
  const base = (value + (from.offset ?? 0)) * (from.measures[measure] ?? 1)
  return base / (to.measures[measure] ?? 1) - (to.offset ?? 0)
}
