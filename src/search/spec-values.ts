/**
 * What one spec of one product says, in a form that products can be told apart by: the parts of its text ("58 mm,
 * bottomless" has two), and the quantity it begins with ("up to 30 h", "17.1–21.3 in"). A quantity further on in the text
 * may be of anything, so only one at the beginning is the spec's own.
 */
import { foldText } from './lexical/tokenize.ts'
import { readMeasures } from './measures/read-measures.ts'
import { measureOf } from './understand/units.ts'

export type SpecPart = { key: string; label: string }
/** `low` and `high` are in base units of the dimension; `unit` is as people write it. */
export type SpecQuantity = { dimension: string; unit: string; factor: number; low: number; high: number }
export type SpecValue = { parts: readonly SpecPart[]; quantity: SpecQuantity | null }

const MOST_PARTS = 6
/** Longer parts are phrases, and hardly ever said twice. */
const LONGEST_PART = 32
const BETWEEN_PARTS = /,\s|[;()]|\s(?:\+|\/|and|with|plus)\s/
const BEGINS_WITH_NUMBER =
  /^(?:up to|about|approx\.?|around|under|over|from|max\.?|min\.?|[~<>≤≥±+-])?\s*[\d.]*\d/i
const ONLY_NUMBER = /^[+-]?\d[\d.,]*$/
/** What stands behind the first number, or behind the second of a range. */
const AFTER_NUMBER = /^\D*[\d.,]*\d(?:\s*(?:[-–—~]|to)\s*[\d.,]*\d)?\s*-?\s*([^\s\d,;()]+)?/
/** How people write what is called otherwise in the table of units, where a value leaves its unit to the name. */
const SHORT: Readonly<Record<string, string>> = {
  inch: 'in',
  foot: 'ft',
  watt: 'W',
  volt: 'V',
  amp: 'A',
  hour: 'h',
  minute: 'min',
  second: 's',
  percent: '%',
  degree: '°',
  db: 'dB',
  kw: 'kW',
  gb: 'GB',
  tb: 'TB',
  mb: 'MB',
  l: 'L',
  hz: 'Hz',
  mah: 'mAh',
  wh: 'Wh',
  person: 'people',
  piece: 'pieces',
}

export function readSpecValue(name: string, value: string): SpecValue {
  return { parts: partsOf(value), quantity: quantityOf(name, value) }
}

/** The key of a spec's name: "Weight (kg)" and "weight" are one spec. Empty when nothing of it can be kept. */
export function specKey(name: string): string {
  const bare = name.replace(/\(([^)]*)\)/g, (all, inside) => (quantityOf('', `1 ${inside}`) ? ' ' : all))
  return foldText(bare)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

export function partKey(text: string): string {
  return foldText(text).replace(/\s+/g, ' ').trim()
}

function partsOf(value: string): SpecPart[] {
  const parts: SpecPart[] = []
  for (const piece of value.split(BETWEEN_PARTS)) {
    const label = piece.trim()
    const key = partKey(label)
    if (key === '' || label.length > LONGEST_PART || parts.some((part) => part.key === key)) continue
    parts.push({ key, label })
    if (parts.length === MOST_PARTS) break
  }
  return parts
}

function quantityOf(name: string, value: string): SpecQuantity | null {
  if (!BEGINS_WITH_NUMBER.test(value)) return null
  const behind = AFTER_NUMBER.exec(value)?.[1]?.replace(/[.:]$/, '')
  // What stands behind the number says what it counts: "2 cents" of a cost per page is no count of pages.
  const [first] = readMeasures({ title: '', specs: [{ name: behind === undefined ? name : '', value }] })
  if (!first || first.side) return null
  const { unit, low, high } = first
  if (unit === null) return ONLY_NUMBER.test(value) ? { dimension: '', unit: '', factor: 1, low, high } : null
  return { ...measureOf(unit), unit: unitWords(unit, behind), low, high }
}

/** As the value writes it, or as people do. */
function unitWords(unit: string, behind: string | undefined): string {
  const [written] =
    behind === undefined ? [] : readMeasures({ title: '', specs: [{ name: '', value: `1 ${behind}` }] })
  if (behind !== undefined && written?.unit === unit) return behind
  return SHORT[unit] ?? (/^[a-z]{4,}$/.test(unit) ? `${unit}s` : unit)
}

/** A range as an address has it ("..5 kg", "5..10 kg", "10.. kg"), in base units of its dimension. */
export type SpecRange = { dimension: string; from: number; below: number }

const RANGE = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?\s*([^\s\d.-].*)?$/

export function readRange(text: string): SpecRange | null {
  const [, from, below, unit = ''] = RANGE.exec(text.trim()) ?? []
  if (from === undefined && below === undefined) return null
  const one = unit === '' ? null : quantityOf('', `1 ${unit}`)
  if (unit !== '' && !one) return null
  const factor = one?.factor ?? 1
  return {
    dimension: one?.dimension ?? '',
    from: from === undefined ? Number.NEGATIVE_INFINITY : Number(from) * factor,
    below: below === undefined ? Number.POSITIVE_INFINITY : Number(below) * factor,
  }
}

/** "5 kg", "40%", "27 in"; `value` is in the unit already. */
export function withUnit(value: string, unit: string): string {
  if (unit === '' || /^[%°"″']/.test(unit)) return `${value}${unit}`
  return `${value} ${value === '1' ? unit.replace(/(?<=[a-z]{3})s$/, '') : unit}`
}
