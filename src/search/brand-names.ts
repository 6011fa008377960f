/**
 * Brands by number, as products spell them, and which spellings are one brand: those that differ in case alone. Each is
 * folded once, when it is first seen, because a letter that is typed may be the start of thousands.
 */
import { foldText } from './lexical/tokenize.ts'

export type BrandNames = {
  /** Numbers given out; 0 is that of products without a brand. */
  readonly size: number
  /** The number of a spelling, given at first sight. */
  numberOf(name: string): number
  nameOf(number: number): string
  /** The number of the first spelling of the same brand. */
  firstOf(number: number): number
  /** First spellings of these brands, however they are spelled here; without those that are unknown. */
  find(names: readonly string[]): ReadonlySet<number>
  /** Of a first spelling, as what is typed is compared with it. */
  foldedOf(first: number): string
  save(): string[]
  bytes(): number
}

/** Of a spelling, its places in the tables and the strings' own heads. */
const NAME_BYTES = 150

export function createBrandNames(saved: readonly string[] = ['']): BrandNames {
  const names: string[] = []
  const numbers = new Map<string, number>()
  const byKey = new Map<string, number>()
  const firsts: number[] = []
  const folded: string[] = []
  let letters = 0

  function numberOf(name: string): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = names.push(name) - 1
    const key = name.toLowerCase()
    const first = byKey.get(key) ?? number
    numbers.set(name, number)
    byKey.set(key, first)
    firsts.push(first)
    folded.push(first === number ? foldText(name) : '')
    letters += 3 * name.length
    return number
  }

  for (const name of saved) numberOf(name)

  return {
    get size() {
      return names.length
    },
    numberOf,
    nameOf: (number) => names[number] ?? '',
    firstOf: (number) => firsts[number] ?? number,
    find: (given) => new Set(given.flatMap((name) => byKey.get(name.trim().toLowerCase()) ?? [])),
    foldedOf: (first) => folded[first] ?? '',
    save: () => names,
    bytes: () => names.length * NAME_BYTES + letters,
  }
}
