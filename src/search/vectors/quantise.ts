/**
 * Smaller forms of a vector: integers with one scale (8 bits for stored rows, up to 16 for a query), and one
 * sign bit a dimension. Stored signs are compared with the query as it is, not with its signs: a dimension on
 * the wrong side costs the query's own value there. With as many candidates that misses a fifth or less of what
 * plain Hamming distance misses. The penalties of four dimensions come from a table of 16 bytes, one SIMD
 * look-up for 16 slots.
 */

export type Quantised = {
  /** what one unit of the integers is worth */
  scale: number
  /** length of the difference between the vector and what the integers stand for */
  error: number
  /** length of the vector */
  length: number
}

/** Writes the vector as integers between -levels and levels. */
export function quantise(
  vector: Float32Array,
  levels: number,
  out: Int8Array | Int16Array,
  at: number,
): Quantised {
  let largest = 0
  let squares = 0
  for (let dim = 0; dim < vector.length; dim++) {
    const value = vector[dim] ?? 0
    largest = Math.max(largest, Math.abs(value))
    squares += value * value
  }
  const scale = Math.fround(largest / levels)
  const perUnit = scale > 0 ? 1 / scale : 0
  let errors = 0
  for (let dim = 0; dim < vector.length; dim++) {
    const value = vector[dim] ?? 0
    // Twice as fast as Math.round, and rounding of the scale never lifts the largest value to the next level.
    const level = Math.floor(value * perUnit + 0.5)
    const error = value - level * scale
    out[at + dim] = level
    errors += error * error
  }
  return { scale, error: Math.sqrt(errors), length: Math.sqrt(squares) }
}

/** The largest levels for which no dot product with an int8 row leaves 32 bits. */
export function queryLevels(dims: number): number {
  return Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * dims)))
}

/**
 * Writes the penalty tables: one of 16 bytes for each four dimensions, entry s for the signs s of those four
 * (bit set: not below the centre). Four tables of at most 63 add up in a byte, and all of them stay below the
 * 65535 that marks a slot as left out.
 */
export function writePenalties(query: Float32Array, out: Uint8Array, at: number): void {
  let largest = 0
  for (let dim = 0; dim < query.length; dim += 4) {
    let sum = 0
    for (let four = dim; four < dim + 4; four++) sum += Math.abs(query[four] ?? 0)
    largest = Math.max(largest, sum)
  }
  const levels = Math.min(63, Math.floor(65_000 / (query.length / 4)))
  const perUnit = largest > 0 ? levels / largest : 0
  for (let dim = 0; dim < query.length; dim += 4) {
    const a = (query[dim] ?? 0) * perUnit
    const b = (query[dim + 1] ?? 0) * perUnit
    const c = (query[dim + 2] ?? 0) * perUnit
    const d = (query[dim + 3] ?? 0) * perUnit
    const none = Math.max(0, a) + Math.max(0, b) + Math.max(0, c) + Math.max(0, d) + 0.5
    const table = at + dim * 4
    for (let signs = 0; signs < 16; signs++) {
      const right = (signs & 1) * a + ((signs >> 1) & 1) * b + ((signs >> 2) & 1) * c + (signs >> 3) * d
      out[table + signs] = Math.max(0, none - right)
    }
  }
}
