/**
 * Few combinations of field frequencies occur, so a posting holds the 16-bit number of its combination instead of seven
 * frequencies, and what a combination counts is worked out once. When the numbers run short, new combinations are
 * rounded to frequencies up to 3, for which room is kept.
 */
import { atMost, FIELD_WEIGHTS, FIELDS, type Field, frequencyIn } from './fields.ts'
import { growTo } from './grow.ts'

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
  bytes(): number
}

type Table = { mask: number; filled: number; multipliers: Float32Array }

export function createCombinations(exact = MOST - ROUGH_COMBINATIONS): Combinations {
  const ids = new Map<number, number>()
  /** Queries name few sets of fields. */
  const tables = new Map<number, Table>()
  let packed = new Uint32Array(256)
  let count = 0

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
