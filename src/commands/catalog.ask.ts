/** What the commands of `souk catalog` are given, and how FIELD=VALUE is read. */
import type { ManageContext, MergeHooks } from '../catalog/manage-products.service.ts'

export const OPERATOR = { kind: 'operator', id: null } as const

export type CatalogAsk = {
  ctx: ManageContext & { mergeHooks: MergeHooks }
  /** What follows the command's name. */
  names: string[]
  values: {
    to?: string
    'move-to'?: string
    file?: string
    category?: string
    source?: string
    import?: string
    force: boolean
    'dry-run': boolean
  }
  say(text: string): void
}

/** Answered with how the command is used. */
export class UsageError extends Error {}

/** Texts, whatever they look like: the title of a book may be 1984. The others are written as JSON. */
const TEXTS = new Set([
  ...['title', 'brand', 'brand_domain', 'category', 'slug', 'label', 'model', 'description'],
  ...['verdict', 'released', 'gtin', 'mpn', 'sku'],
])

/** An empty value takes away what is there. */
export function parseFields(said: string[]): Record<string, unknown> {
  const fields = said.map((entry): [string, unknown] => {
    const at = entry.indexOf('=')
    if (at < 1) throw new UsageError(`"${entry}" is not FIELD=VALUE`)
    const [name, value] = [entry.slice(0, at).trim(), entry.slice(at + 1)]
    if (value.trim() === '') return [name, null]
    return [name, TEXTS.has(name) ? value : parsed(value)]
  })
  return Object.fromEntries(fields)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
