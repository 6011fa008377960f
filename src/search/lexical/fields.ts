/**
 * The fields of a document, what they count, and how the frequencies of a term in all of them are packed into one
 * number: four bits a field, up to 15 (above that BM25 is flat anyway).
 */
import { growTo, withRoom } from './segments.ts'

export const FIELDS = ['title', 'brand', 'model', 'category', 'specs', 'themes', 'text'] as const
export type Field = (typeof FIELDS)[number]

/**
 * `weight`: what one occurrence counts. `b`: how much a long field lowers it, 0 (not at all) to 1 (in proportion).
 * At most four fields may have a `b` above 0: a document's lengths are kept in 32 bits.
 */
export const FIELD_WEIGHTS: Record<Field, { weight: number; b: number }> = {
  title: { weight: 3, b: 0.5 },
  brand: { weight: 2.5, b: 0 },
  model: { weight: 3, b: 0 },
  category: { weight: 2, b: 0 },
  specs: { weight: 1.2, b: 0.6 },
  themes: { weight: 0.7, b: 0.6 },
  text: { weight: 1, b: 0.7 },
}

export const FIELD_BITS = 4
export const MAX_FREQUENCY = 15
export const ALL_FIELDS = 0x0fffffff
export const TITLE_BITS = bitsOf('title')
export const SPEC_BITS = bitsOf('specs')
export const BRAND_BITS = bitsOf('brand')
export const CATEGORY_BITS = bitsOf('category')
/** What a product is called by. */
export const NAME_BITS = TITLE_BITS | BRAND_BITS | bitsOf('model')

function bitsOf(field: Field): number {
  return MAX_FREQUENCY << (FIELDS.indexOf(field) * FIELD_BITS)
}

export function frequencyIn(frequencies: number, field: number): number {
  return (frequencies >>> (field * FIELD_BITS)) & MAX_FREQUENCY
}

/** One more of a field, up to what fits. */
export function countOne(frequencies: number, field: number): number {
  return frequencyIn(frequencies, field) === MAX_FREQUENCY
    ? frequencies
    : frequencies + (1 << (field * FIELD_BITS))
}

/** Together, up to what fits. */
export function sumOf(a: number, b: number): number {
  return eachField((field) => Math.min(MAX_FREQUENCY, frequencyIn(a, field) + frequencyIn(b, field)))
}

/** The lesser frequency in each field: how often two words can stand together. */
export function leastOf(a: number, b: number): number {
  return eachField((field) => Math.min(frequencyIn(a, field), frequencyIn(b, field)))
}

export function atMost(frequencies: number, limit: number): number {
  return eachField((field) => Math.min(frequencyIn(frequencies, field), limit))
}

/** The bits of the fields a query word may match in. */
export function fieldMask(fields: readonly Field[] | undefined): number {
  if (!fields) return ALL_FIELDS
  return eachField((field) => (fields.includes(FIELDS[field] as Field) ? MAX_FREQUENCY : 0))
}

function eachField(frequency: (field: number) => number): number {
  let packed = 0
  for (let field = 0; field < FIELDS.length; field++) packed |= frequency(field) << (field * FIELD_BITS)
  return packed
}

/**
 * Few combinations of field frequencies occur, so a posting holds the 16-bit number of its combination instead of seven
 * frequencies, and what a combination counts is worked out once. When the numbers run short, new combinations are
 * rounded to frequencies up to 3, for which room is kept.
 */

const ROUGH_FREQUENCY = 3
const ROUGH_COMBINATIONS = (ROUGH_FREQUENCY + 1) ** FIELDS.length
const MOST = 1 << 16

/** Fields whose length matters, in the order in which a document's lengths are kept. */
export const SCALED_FIELDS: readonly Field[] = FIELDS.filter((field) => FIELD_WEIGHTS[field].b > 0)
export const MULTIPLIER_BITS = 3

export type Combinations = {
  /** The number of a combination of frequencies. */
  idOf(frequencies: number): number
  /** Packed frequencies by number. Read it anew after `idOf`, which may replace it. */
  readonly packed: Uint32Array
  /**
   * What combinations count in the fields of the mask, eight places a number: the weighted frequencies of the fields
   * without a length, then the frequency in each scaled field. Read it anew after `idOf`.
   */
  multipliers(mask: number): Float32Array
  /** All, by number. */
  save(): Uint32Array
  bytes(): number
}

type Table = { mask: number; filled: number; multipliers: Float32Array }

export function createCombinations(
  exact = MOST - ROUGH_COMBINATIONS,
  saved: Uint32Array = new Uint32Array(0),
): Combinations {
  const ids = new Map<number, number>(Array.from(saved, (frequencies, id) => [frequencies, id]))
  /** Queries name few sets of fields. */
  const tables = new Map<number, Table>()
  let packed = withRoom(saved, new Uint32Array(256))
  let count = saved.length

  function idOf(frequencies: number): number {
    const known = ids.get(frequencies)
    if (known !== undefined) return known
    if (count >= exact) {
      const rough = atMost(frequencies, ROUGH_FREQUENCY)
      if (rough !== frequencies) return idOf(rough)
    }
    packed = growTo(packed, count + 1)
    packed[count] = frequencies
    ids.set(frequencies, count)
    return count++
  }

  function multipliers(mask: number): Float32Array {
    let table = tables.get(mask)
    if (!table) {
      table = { mask, filled: 0, multipliers: new Float32Array(packed.length << MULTIPLIER_BITS) }
      tables.set(mask, table)
    }
    table.multipliers = growTo(table.multipliers, count << MULTIPLIER_BITS)
    for (; table.filled < count; table.filled++)
      table.multipliers.set(
        multipliersOf((packed[table.filled] as number) & mask),
        table.filled << MULTIPLIER_BITS,
      )
    return table.multipliers
  }

  return {
    idOf,
    get packed() {
      return packed
    },
    multipliers,
    save: () => packed.subarray(0, count),
    bytes() {
      const inTables = tables.values().reduce((sum, table) => sum + table.multipliers.byteLength, 0)
      return packed.byteLength + inTables + count * 40
    },
  }
}

function multipliersOf(frequencies: number): number[] {
  let flat = 0
  FIELDS.forEach((field, number) => {
    const { weight, b } = FIELD_WEIGHTS[field]
    if (b === 0) flat += weight * frequencyIn(frequencies, number)
  })
  return [flat, ...SCALED_FIELDS.map((field) => frequencyIn(frequencies, FIELDS.indexOf(field)))]
}
