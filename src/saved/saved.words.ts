/** What changed of a saved product in half a sentence. What changed of the variant that is watched says its name. */
import { z } from 'zod'
import { VARIANT_AVAILABILITIES } from '../catalog/catalog.schema.ts'
import { changeMarkdown, changeWords } from '../catalog/change-words.ts'
import { inlineText } from '../lib/untrusted.ts'
import type { SavedEntry, WatchedChange } from './saved.schema.ts'

type Watching = Pick<SavedEntry, 'variant'>

export function savedChangeWords({ variant }: Watching, change: WatchedChange): string {
  if (!change.ofVariant || variant === null) return changeWords(change)
  return `${variant.name}: ${stockWords(change) ?? changeWords(change)}`
}

/** Safe within a line of Markdown. */
export function savedChangeMarkdown({ variant }: Watching, change: WatchedChange): string {
  if (!change.ofVariant || variant === null) return changeMarkdown(change)
  return `${inlineText(variant.name)}: ${stockWords(change) ?? changeMarkdown(change)}`
}

export const NOT_LISTED = 'not_listed'
export const NOT_STATED = 'not_stated'
const Stock = z.object({ variant: z.enum([...VARIANT_AVAILABILITIES, NOT_LISTED, NOT_STATED]) })

export const STOCK_WORDS: Record<z.output<typeof Stock>['variant'], string> = {
  in_stock: 'in stock',
  out_of_stock: 'out of stock',
  preorder: 'open for preorder',
  backorder: 'on backorder',
  not_listed: 'no longer listed',
  not_stated: 'stock no longer stated',
}

/** Null for what is no change of stock. */
function stockWords({ before, after }: WatchedChange): string | null {
  const [was, is] = [Stock.safeParse(before).data?.variant, Stock.safeParse(after).data?.variant]
  if (!was || !is) return null
  if (was === NOT_LISTED) return is === NOT_STATED ? 'listed again' : `listed again, ${STOCK_WORDS[is]}`
  return is === 'in_stock' && was === 'out_of_stock' ? 'in stock again' : STOCK_WORDS[is]
}
