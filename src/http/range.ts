/**
 * Byte ranges (RFC 9110 14): a pure function from the request's headers to what is sent. One range is answered; several
 * at once, another unit, or anything that is not well formed is answered with the whole, as the RFC allows.
 */
export type ByteRange = { start: number; end: number }

type RangeAnswer =
  | { kind: 'whole' }
  /** Both ends are part of it. */
  | ({ kind: 'part' } & ByteRange)
  | { kind: 'unsatisfiable' }

const WHOLE: RangeAnswer = { kind: 'whole' }
const SPEC = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)[ \t]*$/i

export function chooseRange(input: {
  range: string | undefined
  ifRange: string | undefined
  etag: string
  size: number
}): RangeAnswer {
  const { range, ifRange, etag, size } = input
  if (range === undefined) return WHOLE
  // Only the very same bytes may be continued: a weak tag or a date cannot promise that they are.
  if (ifRange !== undefined && ifRange.trim() !== etag) return WHOLE
  const [, first = '', last = ''] = SPEC.exec(range.trim()) ?? []
  if (first === '' && last === '') return WHOLE
  if (first === '') return lastBytes(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return WHOLE
  return start < size ? { kind: 'part', start, end } : { kind: 'unsatisfiable' }
}

function lastBytes(count: number, size: number): RangeAnswer {
  if (count === 0 || size === 0) return { kind: 'unsatisfiable' }
  return { kind: 'part', start: Math.max(0, size - count), end: size - 1 }
}
