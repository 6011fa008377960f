/** The tools of saved products: a person's agent keeps lists for them and asks later what has changed. */
import { z } from 'zod'
import { changeMarkdown, changeWords } from '../catalog/change-words.ts'
import { canonicalSlug } from '../catalog/product-words.ts'
import { productPath } from '../catalog/profile.ts'
import { centsToDollars, dollarsToCents, formatPriceRange, formatUsd } from '../lib/money.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineTool, type ToolCall } from '../tools/define-tool.ts'
import { category, limit, nextOffset, offset, page, slug } from '../tools/params.ts'
import { DEFAULT_LIST, ListName, Note, type SavedEntry, Since, TargetPrice, WATCHED } from './saved.schema.ts'
import {
  listSaved,
  type Owner,
  removeSaved,
  type SavedContext,
  type SavedNow,
  saveProduct as save,
} from './saved.service.ts'
import { savedText } from './saved.text.ts'

type Context = SavedContext & { config: { baseUrl: string } }

const entryFields = {
  product_slug: z.string(),
  title: z.string(),
  url: z.string(),
  list: z.string(),
  note: z.string().nullable(),
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
  list: ListName.prefault(DEFAULT_LIST).describe('Name of the list; made when it is new'),
  note: Note.optional().describe('Why it is saved, what to remember'),
  target_price_usd: TargetPrice.optional().describe('Price to wait for'),
})

const SaveOutput = z.object({ ...entryFields, outcome: z.enum(['added', 'updated', 'unchanged']) })

export const saveProduct = defineTool<Context, typeof SaveInput, typeof SaveOutput>({
  name: 'save_product',
  title: 'Save a product',
  description:
    "Saves a product to one of the person's private lists, with a note and a price to wait for. Saving it again on the same list replaces the note or target that is given and keeps the first date. list_saved_products later tells what changed.",
  audience: 'everyone',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: SaveInput,
  output: SaveOutput,
  async run(ctx, call, { target_price_usd, note, ...named }) {
    const cents = target_price_usd === undefined ? null : dollarsToCents(target_price_usd)
    const { entry, outcome } = await save(ctx, ownerOf(call), {
      ...named,
      ...(note !== undefined && { note }),
      ...(cents !== null && { targetPriceCents: cents }),
    })
    const name = `**${inlineText(entry.product.title, 200)}** (${canonicalSlug(entry.product)})`
    const list = `the list “${inlineText(entry.list)}”`
    const done = {
      added: `Saved ${name} to ${list}.`,
      updated: `Updated ${name} on ${list}.`,
      unchanged: `${name} is on ${list} already; nothing was changed.`,
    }[outcome]
    const text = [
      done,
      `Price now: ${formatPriceRange(entry.product.priceLowCents, entry.product.priceHighCents) ?? 'unknown'}.`,
      ...targetWords(entry),
      'Next: list_saved_products tells what changed since.',
    ].join(' ')
    return { text, data: { ...entryData(entry, ctx.config.baseUrl), outcome } }
  },
})

const ListInput = z.object({
  list: ListName.optional().describe('Only this list; all without one'),
  changed_since: Since.optional().describe(
    'ISO 8601 date or time to tell changes since; default: when each was saved',
  ),
  only_changed: z.boolean().default(false).describe('Leave out what has not changed'),
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
    "Lists the person's saved products, newest first, with what changed: price, offers, availability, discontinued, and whether a target price is reached. Use only_changed with changed_since to check for news.",
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
    const told = (words: typeof changeWords) =>
      entries.map((entry) => ({
        ...entryData(entry, ctx.config.baseUrl),
        changes: entry.changes.map((change) => ({
          aspect: change.aspect,
          at: change.at.toISOString(),
          change: words(change),
        })),
      }))
    const text = savedText(told(changeMarkdown), {
      ...{ total, lists, offset: where.offset, nextOffset: next, onlyChanged: only_changed },
      list: list ?? null,
      since: changed_since ?? null,
    })
    return { text, data: { total, next_offset: next, lists, products: told(changeWords) } }
  },
})

const RemoveInput = z.object({
  category,
  slug,
  list: ListName.optional().describe('Only from this list; from every list without one'),
})

const RemoveOutput = z.object({ product_slug: z.string(), removed_from: z.array(z.string()) })

export const removeSavedProduct = defineTool<Context, typeof RemoveInput, typeof RemoveOutput>({
  name: 'remove_saved_product',
  title: 'Remove saved product',
  description:
    "Removes a product from the person's saved products: from one list, or from all of them when no list is given. Its note and target price go with it.",
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
  const { product, was } = entry
  const dollars = (cents: number | null) => (cents === null ? null : centsToDollars(cents))
  const path = productPath({ slug: product.slug, category: { slug: product.category } })
  return {
    product_slug: canonicalSlug(product),
    title: product.title,
    url: `${baseUrl}${path}`,
    list: entry.list,
    note: entry.note,
    target_price_usd: dollars(entry.targetPriceCents),
    target_reached: entry.targetReached,
    price_range: formatPriceRange(product.priceLowCents, product.priceHighCents),
    price_range_when_saved: formatPriceRange(was.priceLowCents, was.priceHighCents),
    best_price_usd: dollars(entry.bestPriceCents),
    on_sale: entry.onSale,
    discontinued: product.discontinued,
    saved_at: entry.savedAt.toISOString(),
  }
}

function targetWords({ targetPriceCents, targetReached }: SavedEntry & SavedNow): string[] {
  if (targetPriceCents === null) return []
  const state = {
    true: 'reached already',
    false: 'not reached yet',
    null: 'no price is known to compare with',
  }
  return [`Target ${formatUsd(targetPriceCents)}: ${state[`${targetReached}`]}.`]
}
