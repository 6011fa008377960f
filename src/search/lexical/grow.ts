/** Typed arrays that take more: doubled when full, so that adding stays cheap on the whole. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array

/** The same array, or a copy of at least twice the size when `length` does not fit. */
export function growTo<T extends Numbers>(numbers: T, length: number): T {
  if (length <= numbers.length) return numbers
  const Kind = numbers.constructor as new (length: number) => T
  const grown = new Kind(Math.max(length, numbers.length * 2))
  grown.set(numbers)
  return grown
}
