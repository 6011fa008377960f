/** A person's saved products as a model reads them. Notes are the person's own, and are shown as one escaped line each. */
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { type ListCount, MAX_NOTE } from './saved.schema.ts'

type Shown = {
  product_slug: string
  title: string
  url: string
  list: string
  note: string | null
  target_price_usd: number | null
  target_reached: boolean | null
  price_range: string | null
  price_range_when_saved: string | null
  best_price_usd: number | null
  on_sale: boolean
  discontinued: boolean
  saved_at: string
  /** Each `change` is Markdown. */
  changes: Array<{ at: string; change: string }>
}

type Page = {
  total: number
  lists: ListCount[]
  offset: number
  nextOffset: number | null
  onlyChanged: boolean
  list: string | null
  since: Date | null
}

export function savedText(products: readonly Shown[], page: Page): string {
  const items = products.map((product, at) => item(product, page.offset + at + 1, page.since))
  return fitItems(items.length, TEXT_ROOM, (shown) =>
    [head(page), listsLine(page.lists), ...items.slice(0, shown), rest(items.length - shown, shown, page)]
      .filter(Boolean)
      .join('\n\n'),
  )
}

function head({ total, list, onlyChanged, since }: Page): string {
  const where = list === null ? '' : ` on the list “${inlineText(list)}”`
  const after = since ? `since ${since.toISOString()}` : 'since they were saved'
  if (!onlyChanged)
    return `${counted(total, 'saved product')}${where}, newest first; changes are told ${after}.`
  return `${counted(total, 'saved product')}${where} changed ${after}.`
}

function listsLine(lists: readonly ListCount[]): string {
  if (lists.length === 0) return 'Nothing is saved yet. Next: save_product with a category and a slug.'
  return `Lists: ${lists.map(({ name, count }) => `${inlineText(name)} (${count})`).join(', ')}`
}

function item(product: Shown, number: number, since: Date | null): string {
  const now = [
    product.price_range ?? 'price unknown',
    ...(product.on_sale ? ['on sale'] : []),
    ...(product.discontinued ? ['**discontinued**'] : []),
    `saved ${product.saved_at.slice(0, 10)} at ${product.price_range_when_saved ?? 'an unknown price'}`,
    `list ${inlineText(product.list)}`,
  ]
  const news = product.changes.map(({ change, at }) => `   - ${change} (${at.slice(0, 10)})`)
  return [
    `${number}. **${inlineText(product.title, 200)}** · ${product.product_slug} · ${now.join(' · ')}`,
    ...target(product),
    ...(product.note === null ? [] : [`   Note: ${inlineText(product.note, MAX_NOTE)}`]),
    ...(news.length > 0
      ? ['   Changed:', ...news]
      : [`   No change since ${since ? 'then' : 'it was saved'}`]),
    `   ${product.url}`,
  ].join('\n')
}

function target({ target_price_usd, target_reached, best_price_usd }: Shown): string[] {
  if (target_price_usd === null) return []
  const best = best_price_usd === null ? 'no price is known' : `best price now ${usd(best_price_usd)}`
  return [`   Target ${usd(target_price_usd)}: ${target_reached ? '**reached**' : 'not reached'}, ${best}`]
}

function rest(left: number, shown: number, { offset, nextOffset }: Page): string {
  if (left > 0)
    return `${counted(left, 'more product')} of this page in the data; for the text ask again with offset ${offset + shown}.`
  return nextOffset === null ? '' : `There are more: ask again with offset ${nextOffset}.`
}
