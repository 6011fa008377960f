/**
 * Whose ids a file has, and what it calls its products: the keys by which the next file of the same source finds them
 * again. A file's own id comes first, then its article number; a row that has neither is known by its name, and rows
 * of one name that say different things are told apart by their order. Made in file order, so that the same file
 * always gives the same keys.
 */

import path from 'node:path'
import { sha256 } from '../lib/crypto.ts'
import type { ProductInput } from './product-input.ts'

export type Keyed = {
  /** The strongest first; none for a row that its slug names. */
  keys: string[]
  /** The file had this product before. */
  isRepeated: boolean
}

const MAX_KEY = 200

export function createKeyReader(): (input: ProductInput) => Keyed {
  const seen = createSeen()
  const timesNamed = new Map<number, number>()

  /** One name twice is one product only where the rows are the same. */
  function named(input: ProductInput): Keyed {
    const { brand, facts } = input
    const name = JSON.stringify([
      brand?.toLowerCase() ?? null,
      facts.title.toLowerCase(),
      facts.model ?? null,
    ])
    const isRepeated = !seen.add(`row ${JSON.stringify(input)}`)
    const isFirst = seen.add(`name ${name}`)
    const short = numberOf(name)
    const before = isFirst ? 0 : (timesNamed.get(short) ?? 0)
    const nth = isRepeated || isFirst ? before : before + 1
    if (nth > 0) timesNamed.set(short, nth)
    const hash = sha256(name).toString('hex').slice(0, 32)
    return { keys: [nth === 0 ? `name:${hash}` : `name:${hash}#${nth + 1}`], isRepeated }
  }

  return (input) => {
    const { id, group, aliases, slug, facts } = input
    const own = id === null ? null : key('id', id)
    if (group !== null) {
      const variant = own ?? key('sku', facts.sku ?? JSON.stringify(input.options))
      const keys = [isParentKey(group) ? group : key('group', group), ...aliases]
      return { keys, isRepeated: !seen.add(`${keys[0]} ${variant}`) }
    }
    if (own === null && slug !== null) return { keys: [], isRepeated: !seen.add(`slug ${slug}`) }
    const main = own ?? (facts.sku ? key('sku', facts.sku) : null)
    if (main === null) return named(input)
    return { keys: [main, ...aliases], isRepeated: !seen.add(main) }
  }
}

/** A group that is a row of its own is named by that row's key. */
export function isParentKey(group: string): boolean {
  return /^(id|sku):/.test(group)
}

function key(kind: string, id: string): string {
  const text = `${kind}:${id}`
  return text.length <= MAX_KEY ? text : `${kind}:~${sha256(text).toString('hex')}`
}

function numberOf(text: string): number {
  return sha256(text).readUIntBE(0, 6)
}

/** A set of texts that takes 16 bytes for each, by 48 bits of a hash: a file may have a million rows. */
function createSeen() {
  let places = new Float64Array(1024)
  let count = 0
  const put = (table: Float64Array, value: number): boolean => {
    let at = value % table.length
    while (table[at] !== 0 && table[at] !== value) at = (at + 1) % table.length
    if (table[at] === value) return false
    table[at] = value
    return true
  }
  return {
    /** False where it was there before. */
    add(text: string): boolean {
      // Zero marks a free place.
      if (!put(places, numberOf(text) + 1)) return false
      count++
      if (count * 2 > places.length) {
        const larger = new Float64Array(places.length * 2)
        for (const value of places) if (value !== 0) put(larger, value)
        places = larger
      }
      return true
    },
  }
}

/**
 * The name of a file's source: its shop's host, or its own name without what changes from one export to the next, such as
 * "products_export_2026-11-03 (2).csv.gz". The next export of the same shop has the same name, and finds its products again.
 */
export function sourceNameOf(file: string, storeUrl?: string): string {
  if (storeUrl !== undefined) return new URL(storeUrl).hostname.replace(/^www\./, '')
  const name = path
    .basename(file)
    .slice(-255)
    .replace(/(\.[a-z]{2,6})+$/i, '')
  return name.replace(/([\s._-]+\(?\d+\)?)+$/, '') || name || 'file'
}

/** Parses a shop's address as typed; null if it is not an address. */
export function storeAddress(text: string): string | null {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return null
  return url.origin + url.pathname.replace(/\/$/, '')
}
