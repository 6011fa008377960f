/**
 * Names that products have, each as long as one of them has it. Found without spaces and punctuation, so that "SKN-24",
 * "skn 24" and "skn24" are one name, told as it was written last.
 */
import { foldText } from '../lexical/fold.ts'

export type Names = {
  /** By the compact name. */
  get(key: string): string | undefined
}

export type NameTable = Names & { add(name: string): void; drop(name: string): void }

export function createNameTable(names: Iterable<string> = []): NameTable {
  const known = new Map<string, { name: string; uses: number }>()
  const table: NameTable = {
    get: (key) => known.get(key)?.name,
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
