/**
 * Vectors as pgvector writes them, in half precision: a cosine of unit vectors is off by about one in a hundred thousand,
 * and rows and indexes take half the room. Numbers are looked up and not formatted, since a page of products has a million.
 */
import type { Passages } from './passages.ts'

const texts: string[] = new Array(65_536)

/** `[0.1,0.2,…]` */
export function halfText(vector: Float32Array): string {
  const halves = new Float16Array(vector)
  const bits = new Uint16Array(halves.buffer)
  const parts: string[] = new Array(bits.length)
  for (let at = 0; at < bits.length; at++) {
    const bit = bits[at] as number
    // Five digits are enough to tell any two half-precision numbers apart.
    parts[at] = texts[bit] ??= String(Number((halves[at] as number).toPrecision(5)))
  }
  return `[${parts.join(',')}]`
}

/** The rows as an array in PostgreSQL's own writing. */
export function passageTexts({ kinds, scales, rows }: Passages): string {
  const dims = kinds.length === 0 ? 0 : rows.length / kinds.length
  const vectors = Array.from(kinds, (_, at) => {
    const scale = scales[at] ?? 0
    return `"${halfText(Float32Array.from(rows.subarray(at * dims, (at + 1) * dims), (value) => value * scale))}"`
  })
  return `{${vectors.join(',')}}`
}

/** What the database answers for a vector. */
export function readVector(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[])
}
