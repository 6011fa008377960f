/**
 * Every quantity a product states, in base units: from its specs ("Weight: 2.1 kg", "Dimensions: 12 x 8 x 4 in",
 * "Battery life: up to 30 h", "Weight (g): 940") and from its title ("27-inch"). A number without any unit is kept as
 * it is; the table of measures may learn the unit from other products (measure-table.ts).
 */
import type { ProductProfile } from '../../catalog/profile.ts'
import { rememberShort } from '../../lib/remember-short.ts'
import { PACKS, readCompound, readValue, type Value } from '../understand/sizes.ts'
import { foldAt, isHyphen, type Token, tokenize, wordSet } from '../understand/tokens.ts'
import { measureOf, unitOrInchAt } from '../understand/units.ts'

export type Measure = {
  /** The spec's name; empty for the title. */
  name: string
  /** Null when no unit is written anywhere. */
  unit: string | null
  /** In base units; equal unless a range is stated. */
  low: number
  high: number
  /** One of several sides, as in "12 x 8 x 4 in". */
  side: boolean
  /** "Up to 130 lb" */
  most: boolean
  /** Something of the same kind stands before it in the same spec: "12 h screen off, 6 h on". */
  later: boolean
}
type Quantity = Omit<Measure, 'name' | 'later'> & { to: number; inside: boolean }

const MAX_MEASURES = 32
/** Longer values are prose. */
const MAX_TEXT = 240
const MAX_SIDES = 4
/** A quantity said again in another unit: "8 in (203 mm)". */
const SAME = 0.02
/** Most specs hold no number, and cutting one into words costs a hundred times this look. */
const MAY_MEASURE = /[\d½¼¾]|\b(?:two|three|four|one|five|six|eight|ten)\b/i
const TIMES = wordSet('x × * by')
const AXES = wordSet('w d h l')
const NUMBER_WORDS = new Map([
  ['two', 2],
  ['three', 3],
  ['four', 4],
])
/** At the end of a name these are hardly ever a unit; between brackets they are. */
const LOOSE_UNITS = wordSet('in min m h a g l w v bar year second')
const COUNTED = wordSet('person piece')
/** "2 children", "8 seated"; in a query "size 5 kids shoes" would count people. */
const PEOPLE = wordSet('children child kids seated passengers riders')
const SEATS = wordSet('sleeps seats seating sleeping')

export function readMeasures({ title, specs }: Pick<ProductProfile, 'title' | 'specs'>): Measure[] {
  const measures: Measure[] = []
  const bare: Measure[] = []
  for (const { name, value } of specs) {
    if (measures.length >= MAX_MEASURES) break
    for (const { to: _to, inside, ...quantity } of quantitiesOf(`${name}${BETWEEN}${value}`)) {
      const later = measures.some((other) => other.name === name && isAfter(other, quantity))
      // "36 V (two 18 V packs)": between brackets stands a part, or the same in other degrees.
      if (later && inside && quantity.unit !== 'degree') continue
      const measure = { name, ...quantity, later }
      if (measure.unit === null) bare.push(measure)
      else if (!isSaid(measure, measures, name)) measures.push(measure)
    }
  }
  for (const { to: _to, inside: _inside, ...quantity } of titleQuantities(title))
    if (quantity.unit !== null && !isSaid(quantity, measures))
      measures.push({ name: '', ...quantity, later: false })
  return [...measures, ...bare].slice(0, MAX_MEASURES)
}

/** No text of the database holds it. */
const BETWEEN = '\0'
/** Of a spec's name and its value. */
const quantitiesOf = rememberShort((spec) => {
  const at = spec.indexOf(BETWEEN)
  return quantitiesIn(spec.slice(at + 1), () => unitInName(spec.slice(0, at)))
})

/** Whether the same is stated already, under this name or, for a title, under any. */
function isSaid(one: Omit<Measure, 'name' | 'later'>, measures: readonly Measure[], name?: string): boolean {
  const { dimension } = measureOf(one.unit ?? '')
  return measures.some(
    (other) =>
      (name === undefined || other.name === name) &&
      other.unit !== null &&
      (!one.side || name === undefined || other.unit !== one.unit) &&
      sameKind(measureOf(other.unit).dimension, dimension) &&
      Math.abs(other.low - one.low) <= SAME * Math.abs(one.low) &&
      Math.abs(other.high - one.high) <= SAME * Math.abs(one.high),
  )
}

/** The sides of one thing stand beside each other. */
function isAfter(other: Measure, { unit, side }: Pick<Measure, 'unit' | 'side'>): boolean {
  if (other.unit === null || unit === null || (other.side && side)) return false
  return sameKind(measureOf(other.unit).dimension, measureOf(unit).dimension)
}

function sameKind(a: string, b: string): boolean {
  const plain = (dimension: string) => (dimension === 'ounces' ? 'mass' : dimension)
  return plain(a) === plain(b)
}

/** Here a dash with spaces around it separates: "Set of 2 - 22 Ounce". */
export function titleQuantities(title: string): Quantity[] {
  return quantitiesIn(title.replaceAll(/\s[-–—]\s/g, ' | '))
}

/** `named` is the unit that the spec's name gives to a number without one. */
function quantitiesIn(text: string, named: () => string | null = () => null): Quantity[] {
  if (!MAY_MEASURE.test(text)) return []
  const tokens = tokenize(text.slice(0, MAX_TEXT))
  const found: Quantity[] = []
  let index = 0
  let first = true
  let inside = false
  while (index < tokens.length) {
    if (/^[()]$/.test(foldAt(tokens, index))) inside = foldAt(tokens, index) === '('
    const quantities = isMoney(tokens, index) ? [] : readQuantities(tokens, index, first ? named : null)
    if (quantities.length > 0 || tokens[index]?.kind === 'number') first = false
    found.push(...quantities.map((quantity) => ({ ...quantity, inside })))
    index = Math.max(index + 1, ...quantities.map(({ to }) => to))
  }
  return found
}

function isMoney(tokens: readonly Token[], index: number): boolean {
  return tokens[index - 1]?.kind === 'sign' || tokens[index + 1]?.kind === 'sign'
}

type Part = { number: Value; unit: string | null }

function readQuantities(
  tokens: readonly Token[],
  index: number,
  /** Null behind the first number, which alone takes its unit from the name. */
  named: (() => string | null) | null,
): Array<Omit<Quantity, 'inside'>> {
  const times = timesBefore(tokens, index)
  const start = readPart(tokens, times?.to ?? index)
  if (!start) return []
  const parts = [start.part]
  let to = start.to
  let joint: 'sides' | 'range' | null = null
  while (parts.length < MAX_SIDES) {
    const next: 'sides' | 'range' | null = jointAt(tokens, to)
    const part = next && (joint === null || next === joint) ? readPart(tokens, to + 1) : null
    if (!part) break
    joint = next
    parts.push(part.part)
    to = part.to
    if (joint === 'range') break
  }
  const lastUnit = parts.at(-1)?.unit ?? null
  const most = isMost(tokens, index, to)
  // "Set of 4"
  const packed = foldAt(tokens, index - 1) === 'of' && PACKS.has(foldAt(tokens, index - 2)) ? 'piece' : null
  const fallback = lastUnit ?? packed ?? named?.() ?? null
  const unitOf = (at: number) => parts.slice(at).find(({ unit }) => unit !== null)?.unit ?? fallback
  const one = (at: number): { value: number; unit: string | null } => {
    const unit = unitOf(at)
    return { value: (parts[at]?.number.value ?? 0) * (unit ? measureOf(unit).factor : 1), unit }
  }
  if (unitOf(0) === null) {
    const { number } = start.part
    return named && parts.length === 1 && !number.spelled
      ? [{ unit: null, low: number.value, high: number.value, side: false, most, to }]
      : []
  }
  if (joint === 'range') {
    const [low, high] = [one(0), one(1)].sort((a, b) => a.value - b.value)
    return low && high ? [{ unit: high.unit, low: low.value, high: high.value, side: false, most, to }] : []
  }
  const exact = (at: number) => ({ unit: one(at).unit, low: one(at).value, high: one(at).value, most, to })
  if (joint === 'sides' && measureOf(unitOf(0) ?? '').dimension === 'length')
    return parts.map((_, at) => ({ ...exact(at), side: true }))
  // "2 x 8 GB" is 16 GB, of pieces of 8.
  const count = times?.count ?? (joint === 'sides' ? (parts[0]?.number.value ?? 1) : 1)
  const each = exact(parts.length - 1)
  const all = { ...each, low: each.low * count, high: each.high * count, side: false }
  return count === 1 ? [all] : [all, { ...each, side: false }]
}

/** The "two" of "Two 2.0 Ah". */
function timesBefore(tokens: readonly Token[], index: number): { count: number; to: number } | null {
  const count = NUMBER_WORDS.get(foldAt(tokens, index))
  const next = foldAt(tokens, index + 1) === 'x' ? index + 2 : index + 1
  return count !== undefined && tokens[next]?.kind === 'number' ? { count, to: next } : null
}

function readPart(tokens: readonly Token[], index: number): { part: Part; to: number } | null {
  const number = readValue(tokens, index)
  if (!number) return null
  const unit = unitOrInchAt(tokens, number.to)
  const whole = unit && readCompound(tokens, number, unit)
  if (whole) return { part: { number: whole.number, unit: whole.unit.unit }, to: whole.unit.to }
  // 48"W x 24"D
  const to = unit?.to ?? number.to
  const axis = AXES.has(foldAt(tokens, to)) && isAxisEnd(tokens, to + 1) ? to + 1 : to
  const people = unit === null && PEOPLE.has(foldAt(tokens, number.to)) ? 'person' : null
  return { part: { number, unit: unit?.unit ?? people }, to: axis }
}

function isAxisEnd(tokens: readonly Token[], at: number): boolean {
  return at >= tokens.length || TIMES.has(foldAt(tokens, at)) || tokens[at]?.kind === 'mark'
}

function jointAt(tokens: readonly Token[], at: number): 'sides' | 'range' | null {
  const word = foldAt(tokens, at)
  if (TIMES.has(word)) return 'sides'
  return word === 'to' || word === '~' || isHyphen(tokens, at) ? 'range' : null
}

/** "up to 130 lb", "300 lb max" */
function isMost(tokens: readonly Token[], from: number, to: number): boolean {
  const before = foldAt(tokens, from - 1)
  // After a number "to" would have made a range.
  if (before === 'to') return true
  return /^max(?:imum)?$/.test(before) || /^max(?:imum)?$/.test(foldAt(tokens, to))
}

/** "Weight (g)", "Capacity in litres", "Number of ports", "Burners": the unit of a number that stands alone. */
function unitInName(name: string): string | null {
  const tokens = tokenize(name.slice(0, MAX_TEXT))
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { kind, fold } = tokens[at] as Token
    if (kind !== 'word') continue
    if (SEATS.has(fold)) return 'person'
    const found = unitOrInchAt(tokens, at)
    if (!found) continue
    const before = foldAt(tokens, at - 1)
    if (before === '(' || before === '[' || (before === 'in' && at > 1)) return found.unit
    const counted = measureOf(found.unit).dimension === found.unit || COUNTED.has(found.unit)
    if ((counted || found.to === tokens.length) && !LOOSE_UNITS.has(fold)) return found.unit
  }
  return null
}
