/**
 * What BM25F must know beside the postings: how long each document's fields are, how long they are on average, how
 * many documents there are. Lengths are one byte each, exact up to 127 words, in steps of about 2% above that.
 */
import { SCALED_FIELDS } from './combinations.ts'
import { FIELD_WEIGHTS, FIELDS } from './fields.ts'
import { growTo } from './grow.ts'

const EXACT = 127
const LONGEST = 2048
const CODES = 256

export type Statistics = {
  /** Documents counted. */
  readonly documents: number
  /** `lengths` in words, in the order of FIELDS. */
  add(slot: number, lengths: ArrayLike<number>): void
  /** Takes a document out of the averages. */
  drop(slot: number): void
  idf(documentFrequency: number): number
  /** What to multiply frequencies with; valid until the next `add` or `drop`. */
  scales(): Scales
  bytes(): number
}

/** `lengths`: four codes a slot. `byLength`: weight over normalised length, by scaled field and code. */
export type Scales = { lengths: Uint32Array; byLength: Float32Array }

export function createStatistics(): Statistics {
  if (SCALED_FIELDS.length > 4) throw new RangeError('at most four fields may have a length')
  let lengths = new Uint32Array(1024)
  const totals = new Float64Array(SCALED_FIELDS.length)
  /** Documents that have the field at all; the others do not lower its average. */
  const having = new Float64Array(SCALED_FIELDS.length)
  const byLength = new Float32Array(4 * CODES)
  let documents = 0
  let stale = true

  function count(slot: number, sign: 1 | -1): void {
    for (let i = 0; i < SCALED_FIELDS.length; i++) {
      const code = ((lengths[slot] as number) >>> (8 * i)) & 255
      if (code === 0) continue
      totals[i] = (totals[i] as number) + sign * (LENGTHS[code] as number)
      having[i] = (having[i] as number) + sign
    }
    documents += sign
    stale = true
  }

  function refresh(): void {
    SCALED_FIELDS.forEach((field, i) => {
      const { weight, b } = FIELD_WEIGHTS[field]
      const average = (totals[i] as number) / (having[i] as number) || 1
      for (let code = 0; code < CODES; code++)
        byLength[i * CODES + code] = weight / (1 - b + (b * (LENGTHS[code] as number)) / average)
    })
    stale = false
  }

  return {
    get documents() {
      return documents
    },
    add(slot, given) {
      lengths = growTo(lengths, slot + 1)
      lengths[slot] = SCALED_FIELDS.reduce(
        (packed, field, i) => packed | (lengthCode(given[FIELDS.indexOf(field)] ?? 0) << (8 * i)),
        0,
      )
      count(slot, 1)
    },
    drop: (slot) => count(slot, -1),
    idf: (frequency) => Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5)),
    scales() {
      if (stale) refresh()
      return { lengths, byLength }
    },
    bytes: () => lengths.byteLength + byLength.byteLength,
  }
}

/** The length each code stands for. */
const LENGTHS = Float64Array.from({ length: CODES }, (_, code) =>
  code <= EXACT ? code : EXACT * (LONGEST / EXACT) ** ((code - EXACT) / (CODES - 1 - EXACT)),
)

function lengthCode(length: number): number {
  if (length <= EXACT) return length
  const steps =
    (Math.log(Math.min(length, LONGEST) / EXACT) / Math.log(LONGEST / EXACT)) * (CODES - 1 - EXACT)
  return EXACT + Math.round(steps)
}
