/**
 * Names that products have, each as long as one of them has it. Found without spaces and punctuation, so that "SKN-24",
 * "skn 24" and "skn24" are one name, told as it was written last.
 */
import { foldText } from '../lexical/fold.ts'

export type Names = {
  /** By the compact name. */
  get(key: string): string | undefined
}

export type NameTable = Names & {
  add(name: string): void
  drop(name: string): void
  /** How many products have it. */
  uses(key: string): number
}

export function createNameTable(names: Iterable<string> = []): NameTable {
  const known = new Map<string, { name: string; uses: number }>()
  const table: NameTable = {
    get: (key) => known.get(key)?.name,
    uses: (key) => known.get(key)?.uses ?? 0,
    add(name) {
      const key = compactName(name)
      const entry = known.get(key)
      if (!entry) known.set(key, { name, uses: 1 })
      else {
        entry.name = name
        entry.uses++
      }
    },
    drop(name) {
      const key = compactName(name)
      const entry = known.get(key)
      if (entry && --entry.uses === 0) known.delete(key)
    },
  }
  for (const name of names) table.add(name)
  return table
}

/** Compares regardless of case, accents, spaces and punctuation. */
export function compactName(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, '')
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The one name that is one edit away: a letter left out, added, swapped or mistyped; null when there are several. */
export function nearName(names: Names, key: string): string | null {
  let near: string | null = null
  const tries = (typed: string) => {
    const name = names.get(typed)
    if (name === undefined || name === near) return true
    const first = near === null
    near = name
    return first
  }
  for (let at = 0; at <= key.length; at++) {
    const [before, after] = [key.slice(0, at), key.slice(at)]
    const fits =
      tries(before + after.slice(1)) &&
      tries(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)) &&
      [...LETTERS].every(
        (letter) => tries(before + letter + after) && tries(before + letter + after.slice(1)),
      )
    if (!fits) return null
  }
  return near
}
