/**
 * `what-changed`: the net change of each aspect since a time, newest first. The text says prices, offers, shops and
 * discontinuation in full and names the other fields that changed; the data has before and after of everything.
 */
import { z } from 'zod'
import { FIELD_NAMES } from '../../../catalog/catalog.schema.ts'
import { type ChangeSummary, whatChanged } from '../../../catalog/what-changed.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { isDay, readInstant } from '../../../rfq/rfq.schema.ts'
import { requireCategory } from '../../../search/near-categories.ts'
import { fitItems, TEXT_ROOM } from '../../fit-text.ts'
import { inlineText } from '../../untrusted.ts'
import { canonicalSlug, counted, usd } from '../../words.ts'
import type { A2aContext } from '../context.ts'
import { WhatChangedParams } from './params.ts'
import { requireProductRef } from './product.ts'
import type { QuickSkill } from './skill.ts'

const DEFAULT_SINCE_MS = 7 * 24 * 60 * 60 * 1000

export const whatChangedSkill: QuickSkill<typeof WhatChangedParams> = {
  params: WhatChangedParams,
  async run(ctx, _caller, params) {
    const since = readSince(ctx, params.since)
    const { category, limit } = params
    if (category !== undefined) requireCategory(ctx.search.index(), category, 'category')
    const products = await slugsOf(ctx, params.products)
    const found = await whatChanged(ctx, {
      since,
      limit: limit + 1,
      ...(products && { products }),
      ...(category !== undefined && { category }),
    })
    const hasMore = found.length > limit
    const told = found.slice(0, limit)
    const changes = told.map((change) => shown(change, ctx.config.baseUrl))
    const head = `# What changed since ${since.toISOString()}`
    const many = counted(told.length, 'change')
    const count =
      told.length === 0 ? 'Nothing changed.' : `${hasMore ? 'The newest ' : ''}${many}, newest first.`
    const items = told.map(changeLine)
    const text = fitItems(items.length, TEXT_ROOM, (fitting) =>
      [head, count, items.slice(0, fitting).join('\n'), leftNote(items.length - fitting, hasMore)]
        .filter(Boolean)
        .join('\n\n'),
    )
    return { text, data: { since, has_more: hasMore, changes } }
  },
}

/** A day is its first moment, a time without a zone is UTC. */
function readSince({ clock }: Pick<A2aContext, 'clock'>, text: string | undefined): Date {
  if (text === undefined) return new Date(clock.now().getTime() - DEFAULT_SINCE_MS)
  const since = readInstant(isDay(text) ? `${text}T00:00Z` : text)
  if (since) return since
  throw new AppError('invalid', 'since: must be an ISO 8601 date or time, such as 2026-11-09', {
    field: 'since',
  })
}

/** Each must be a product: an unknown one is not "unchanged". */
async function slugsOf(ctx: A2aContext, products: string[] | undefined): Promise<string[] | undefined> {
  if (!products) return undefined
  const found = await Promise.all(
    products.map((product_slug, at) => requireProductRef(ctx, { product_slug, field: `products.${at}` })),
  )
  return found.map(({ slug }) => slug)
}

function leftNote(inDataOnly: number, hasMore: boolean): string {
  const notes = [
    ...(inDataOnly > 0 ? [`${inDataOnly} more are in the data.`] : []),
    ...(hasMore
      ? ['Older ones are left out: ask with a higher limit (at most 100), a category or products.']
      : []),
  ]
  return notes.join(' ')
}

function shown({ product, before, after, ...change }: ChangeSummary, baseUrl: string) {
  return {
    product: { ...product, product_slug: canonicalSlug(product), url: `${baseUrl}${product.url}` },
    ...change,
    before: named(before),
    after: named(after),
  }
}

/** The fields of a text change are ours inside; at the edge they have the contract's names. */
function named(state: unknown): unknown {
  const fields = Fields.safeParse(state)
  if (!fields.success) return state
  return Object.fromEntries(Object.entries(fields.data).map(([field, value]) => [nameOf(field), value]))
}

function nameOf(field: string): string {
  if (field === 'verificationStatus') return 'verification_status'
  return Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field as keyof typeof FIELD_NAMES] : field
}

function changeLine(change: ChangeSummary): string {
  const { product, at, times } = change
  const often = times > 1 ? `, ${times} times` : ''
  const name = `**${inlineText(product.title)}** · ${canonicalSlug(product)}`
  return `- ${name} · ${sentence(change)} (${at.toISOString()}${often})`
}

const Fields = z.record(z.string(), z.unknown())
const Price = z.object({
  low: z.number().nullable(),
  high: z.number().nullable(),
  list_price: z.number().nullable(),
})
const Offers = z.object({ offers: z.number(), best_price_usd: z.number().nullable() })
const Shops = z.object({ shops: z.array(z.object({ name: z.string() })) })
const Discontinued = z.object({ discontinued: z.boolean() })

function sentence({ aspect, before, after }: ChangeSummary): string {
  if (aspect === 'created') return `new in the catalog${priceAtFirst(after)}`
  if (aspect === 'removed') return 'removed from the catalog'
  if (aspect === 'price') return pair(Price, before, after, priceSentence) ?? 'price changed'
  if (aspect === 'offers') return pair(Offers, before, after, offersSentence) ?? 'offers changed'
  if (aspect === 'availability') return pair(Shops, before, after, shopsSentence) ?? 'shops changed'
  if (aspect === 'discontinued') {
    const now = Discontinued.safeParse(after).data?.discontinued
    return now ? '**discontinued**' : 'no longer discontinued'
  }
  const fields = Object.keys(Fields.safeParse(after).data ?? {}).map(nameOf)
  return fields.length === 0
    ? 'profile changed'
    : `profile changed: ${fields.map((one) => inlineText(one, 40)).join(', ')}`
}

function pair<State>(
  schema: z.ZodType<State>,
  before: unknown,
  after: unknown,
  tell: (before: State, after: State) => string,
): string | null {
  const [was, is] = [schema.safeParse(before), schema.safeParse(after)]
  return was.success && is.success ? tell(was.data, is.data) : null
}

type Price = z.output<typeof Price>

function priceSentence(was: Price, is: Price): string {
  const parts = [
    ...(span(was) === span(is) ? [] : [`price ${span(was)} → ${span(is)}`]),
    ...(was.list_price === is.list_price
      ? []
      : [`list price ${money(was.list_price)} → ${money(is.list_price)}`]),
  ]
  return parts.length > 0 ? parts.join(', ') : 'prices at shops changed'
}

function priceAtFirst(after: unknown): string {
  const price = Price.safeParse(after)
  return price.success ? `, price ${span(price.data)}` : ''
}

function span({ low, high }: Price): string {
  if (low === null || high === null || low === high) return money(low ?? high)
  return `${money(low)} – ${money(high)}`
}

function money(dollars: number | null): string {
  return dollars === null ? 'unknown' : usd(dollars)
}

type Offers = z.output<typeof Offers>

function offersSentence(was: Offers, is: Offers): string {
  const best = is.best_price_usd === null ? '' : `, best price now ${usd(is.best_price_usd)}`
  if (was.offers === is.offers) return `promoted offers changed (${is.offers} now${best})`
  return `promoted offers ${was.offers} → ${is.offers}${best}`
}

type Shops = z.output<typeof Shops>

const NAMED_SHOPS = 3

function shopsSentence(was: Shops, is: Shops): string {
  const names = ({ shops }: Shops) => [...new Set(shops.map(({ name }) => name))]
  const [old, now] = [names(was), names(is)]
  const gone = old.filter((name) => !now.includes(name))
  const added = now.filter((name) => !old.includes(name))
  const parts = [
    ...(added.length > 0 ? [`now also sold by ${some(added)}`] : []),
    ...(gone.length > 0 ? [`no longer sold by ${some(gone)}`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : 'links to shops changed'
}

function some(names: string[]): string {
  const more = names.length - NAMED_SHOPS
  const listed = names.slice(0, NAMED_SHOPS).map((name) => inlineText(name, 60))
  return more > 0 ? `${listed.join(', ')} and ${more} more` : listed.join(', ')
}
