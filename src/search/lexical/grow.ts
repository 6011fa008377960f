/** Typed arrays that take more, by so large steps that adding stays cheap on the whole, and so small that little is idle. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array

/** Below this an array doubles, above it grows by a quarter. */
const LARGE = 1 << 16

/** The same array, or a larger copy when `length` does not fit. */
export function growTo<T extends Numbers>(numbers: T, length: number): T {
  if (length <= numbers.length) return numbers
  const Kind = numbers.constructor as new (length: number) => T
  const step = numbers.length < LARGE ? numbers.length : numbers.length >> 2
  const grown = new Kind(Math.max(length, numbers.length + step))
  grown.set(numbers)
  return grown
}
