/**
 * The tools of saved products: a person's agent keeps lists for them and asks later what has changed. Notes are the
 * person's own, and are shown as one escaped line each.
 */
import { z } from 'zod'
import { VARIANT_AVAILABILITIES } from '../catalog/catalog.schema.ts'
import { VARIANT } from '../catalog/chosen-variant.ts'
import { canonicalSlug, productPath } from '../catalog/profile.ts'
import { toWire } from '../lib/entity.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { dollarsToCents, formatPriceRange, formatUsd } from '../lib/money.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { defineTool, type ToolCall } from '../tools/define-tool.ts'
import { category, limit, nextOffset, offset, page, slug } from '../tools/params.ts'
import {
  DEFAULT_LIST,
  type ListCount,
  ListName,
  MAX_NOTE,
  Note,
  priceNow,
  type SavedEntry,
  Since,
  savedTitle,
  TargetPrice,
  VariantName,
  WATCHED,
} from './saved.schema.ts'
import {
  listSaved,
  type Owner,
  removeSaved,
  type SavedContext,
  type SavedNow,
  saveProduct as save,
} from './saved.service.ts'
import { STOCK_WORDS, savedChangeMarkdown, savedChangeWords } from './saved.words.ts'

type Context = SavedContext & { config: { baseUrl: string } }

const entryFields = {
  product_slug: z.string(),
  title: z.string(),
  url: z.string(),
  list: z.string(),
  note: z.string().nullable(),
  variant: z.string().optional().describe('The variant that is watched; prices are its own'),
  variant_listed: z.literal(false).optional().describe('False: the catalog no longer lists it'),
  variant_availability: z.enum(VARIANT_AVAILABILITIES).optional().describe('Absent if not stated'),
  target_price_usd: z.number().nullable(),
  target_reached: z.boolean().nullable().describe('Null without a target or a known price'),
  price_range: z.string().nullable().describe('Now'),
  price_range_when_saved: z.string().nullable(),
  best_price_usd: z.number().nullable().describe('Lowest known now, live offers included'),
  on_sale: z.boolean(),
  discontinued: z.boolean(),
  saved_at: z.string(),
}

const SaveInput = z.object({
  category,
  slug,
  list: ListName.prefault(DEFAULT_LIST).describe('Name of the list; created if new'),
  note: Note.optional().describe('Why it is saved or what to remember'),
  target_price_usd: TargetPrice.optional().describe('Target price'),
  variant: VariantName.nullish().describe(`${VARIANT}: watches its price and stock; null: the product`),
})

const SaveOutput = z.object({ ...entryFields, outcome: z.enum(['added', 'updated', 'unchanged']) })

export const saveProduct = defineTool<Context, typeof SaveInput, typeof SaveOutput>({
  name: 'save_product',
  title: 'Save a product',
  description:
    "Saves a product to one of the user's private lists, with a note and a target price. Saving it again on the same list updates the note or target and keeps the first date. list_saved_products shows later changes.",
  audience: 'everyone',
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: SaveInput,
  output: SaveOutput,
  async run(ctx, call, { target_price_usd, note, variant, ...named }) {
    const cents = target_price_usd === undefined ? null : dollarsToCents(target_price_usd)
    const { entry, outcome } = await save(ctx, ownerOf(call), {
      ...named,
      ...(note !== undefined && { note }),
      ...(cents !== null && { targetPriceCents: cents }),
      ...(variant !== undefined && { variant }),
    })
    const name = `**${inlineText(savedTitle(entry), 330)}** (${canonicalSlug(entry.product)})`
    const list = `the list “${inlineText(entry.list)}”`
    const done = {
      added: `Saved ${name} to ${list}.`,
      updated: `Updated ${name} on ${list}.`,
      unchanged: `${name} is already on ${list}; nothing was changed.`,
    }[outcome]
    const text = [
      done,
      `Price now: ${rangeOf(priceNow(entry)) ?? 'unknown'}.`,
      ...stockWords(entry),
      ...targetWords(entry),
      'Next: list_saved_products shows later changes.',
    ].join(' ')
    return { text, data: { ...entryData(entry, ctx.config.baseUrl), outcome } }
  },
})

const ListInput = z.object({
  list: ListName.optional().describe('Only this list; default: all'),
  changed_since: Since.optional().describe(
    'Show changes since this ISO 8601 date or time; default: when each was saved',
  ),
  only_changed: z.boolean().default(false).describe('Leave out unchanged products'),
  limit,
  offset,
})

const ListOutput = z.object({
  ...page,
  lists: z.array(z.object({ name: z.string(), count: z.int() })),
  products: z.array(
    z.object({
      ...entryFields,
      changes: z.array(z.object({ aspect: z.enum(WATCHED), at: z.string(), change: z.string() })),
    }),
  ),
})

export const listSavedProducts = defineTool<Context, typeof ListInput, typeof ListOutput>({
  name: 'list_saved_products',
  title: 'List saved products',
  description:
    "Lists the user's saved products, newest first, with changes in price, offers and availability, and whether a target price is reached. Use only_changed with changed_since to check for news.",
  audience: 'everyone',
  effects: { readOnly: true },
  input: ListInput,
  output: ListOutput,
  async run(ctx, call, { list, changed_since, only_changed, ...where }) {
    const found = await listSaved(ctx, ownerOf(call), {
      ...where,
      onlyChanged: only_changed,
      ...(list !== undefined && { list }),
      ...(changed_since !== undefined && { changedSince: changed_since }),
    })
    const { entries, total, lists } = found
    const next = nextOffset(total, { offset: where.offset, shown: entries.length })
    const told = (words: typeof savedChangeWords) =>
      entries.map((entry) => ({
        ...entryData(entry, ctx.config.baseUrl),
        changes: entry.changes.map((change) => ({
          aspect: change.aspect,
          at: change.at.toISOString(),
          change: words(entry, change),
        })),
      }))
    const text = savedText(told(savedChangeMarkdown), {
      ...{ total, lists, offset: where.offset, nextOffset: next, onlyChanged: only_changed },
      list: list ?? null,
      since: changed_since ?? null,
    })
    return { text, data: { total, next_offset: next, lists, products: told(savedChangeWords) } }
  },
})

const RemoveInput = z.object({
  category,
  slug,
  list: ListName.optional().describe('Only from this list; default: from all'),
})

const RemoveOutput = z.object({ product_slug: z.string(), removed_from: z.array(z.string()) })

export const removeSavedProduct = defineTool<Context, typeof RemoveInput, typeof RemoveOutput>({
  name: 'remove_saved_product',
  title: 'Remove saved product',
  description:
    "Removes a product from the user's saved products: from one list, or from all if no list is given. Also deletes its note and target price.",
  audience: 'everyone',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: RemoveInput,
  output: RemoveOutput,
  async run(ctx, call, { list, ...named }) {
    const removed = await removeSaved(ctx, ownerOf(call), { ...named, ...(list !== undefined && { list }) })
    const { productSlug, lists } = removed
    const from = lists.map((name) => `“${inlineText(name)}”`).join(', ')
    const text = `Removed ${productSlug} from ${counted(lists.length, 'list')}: ${from}.`
    return { text, data: { product_slug: productSlug, removed_from: lists } }
  },
})

function ownerOf({ caller, visit }: ToolCall): Owner {
  return { userId: caller.user.id, visit }
}

function entryData(entry: SavedEntry & SavedNow, baseUrl: string) {
  const {
    product,
    variant,
    was,
    list,
    note,
    targetPriceCents,
    savedAt,
    targetReached,
    bestPriceCents,
    onSale,
  } = entry
  const path = productPath({ slug: product.slug, category: { slug: product.category } })
  return {
    product_slug: canonicalSlug(product),
    title: product.title,
    url: `${baseUrl}${path}`,
    price_range: rangeOf(priceNow(entry)),
    price_range_when_saved: rangeOf(was),
    ...(variant && {
      variant: variant.name,
      ...(!variant.isListed && { variant_listed: false as const }),
      ...(variant.availability && { variant_availability: variant.availability }),
    }),
    discontinued: product.discontinued,
    ...toWire({ list, note, targetPriceCents, savedAt, targetReached, bestPriceCents, onSale }),
  }
}

function rangeOf({ priceLowCents, priceHighCents }: SavedEntry['was']): string | null {
  return formatPriceRange(priceLowCents, priceHighCents)
}

function stockWords({ variant }: SavedEntry): string[] {
  if (variant === null) return []
  if (!variant.isListed) return ['This variant is no longer listed.']
  return variant.availability === null ? [] : [`This variant is ${STOCK_WORDS[variant.availability]}.`]
}

function targetWords({ targetPriceCents, targetReached }: SavedEntry & SavedNow): string[] {
  if (targetPriceCents === null) return []
  const state = {
    true: 'already reached',
    false: 'not reached yet',
    null: 'no known price to compare with',
  }
  return [`Target ${formatUsd(targetPriceCents)}: ${state[`${targetReached}`]}.`]
}

/** Each `change` is Markdown. */
type Shown = z.input<typeof ListOutput>['products'][number]

type Page = {
  total: number
  lists: ListCount[]
  offset: number
  nextOffset: number | null
  onlyChanged: boolean
  list: string | null
  since: Date | null
}

function savedText(products: readonly Shown[], page: Page): string {
  const items = products.map((product, at) => item(product, page.offset + at + 1, page.since))
  return fitItems(items.length, TEXT_ROOM, (shown) =>
    paragraphs([
      head(page),
      listsLine(page.lists),
      ...items.slice(0, shown),
      rest(items.length - shown, shown, page),
    ]),
  )
}

function head({ total, list, onlyChanged, since }: Page): string {
  const where = list === null ? '' : ` on the list “${inlineText(list)}”`
  const after = since ? `since ${since.toISOString()}` : 'since they were saved'
  if (!onlyChanged) return `${counted(total, 'saved product')}${where}, newest first, with changes ${after}.`
  return `${counted(total, 'saved product')}${where} changed ${after}.`
}

function listsLine(lists: readonly ListCount[]): string {
  if (lists.length === 0) return 'Nothing saved yet. Next: save_product with a category and a slug.'
  return `Lists: ${lists.map(({ name, count }) => `${inlineText(name)} (${count})`).join(', ')}`
}

function item(product: Shown, number: number, since: Date | null): string {
  const now = [
    product.price_range ?? 'price unknown',
    ...(product.on_sale ? ['on sale'] : []),
    ...(product.discontinued ? ['**discontinued**'] : []),
    ...(product.variant_listed === false ? ['**no longer listed**'] : []),
    ...(product.variant_availability ? [STOCK_WORDS[product.variant_availability]] : []),
    `saved ${product.saved_at.slice(0, 10)} at ${product.price_range_when_saved ?? 'an unknown price'}`,
    `list ${inlineText(product.list)}`,
  ]
  const news = product.changes.map(({ change, at }) => `   - ${change} (${at.slice(0, 10)})`)
  return [
    `${number}. **${inlineText(product.title, 200)}**${product.variant ? `, ${inlineText(product.variant)}` : ''} · ${product.product_slug} · ${now.join(' · ')}`,
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
    return `${counted(left, 'more product')} of this page in the data; use offset ${offset + shown} to see them here.`
  return nextOffset === null
    ? 'Next: find_retailers with a product_slug for quotes, remove_saved_product to take one off, save_product to change its note or target.'
    : `There are more: use offset ${nextOffset}.`
}
