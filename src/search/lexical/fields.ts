/**
 * The fields of a document, what they count, and how the frequencies of a term in all of them are packed into one
 * number: four bits a field, up to 15 (above that BM25 is flat anyway).
 */

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
