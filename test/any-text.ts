/** Text of any characters at all, and of the common ones most. The library's own takes a second of a core to prepare. */
import fc, { type Arbitrary } from 'fast-check'

const character = fc
  .oneof(fc.nat(0x7f), fc.nat(0x2ff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

export function anyText(length: { minLength?: number; maxLength?: number } = {}): Arbitrary<string> {
  return fc.string({ unit: character, ...length })
}
