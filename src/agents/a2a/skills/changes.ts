/**
 * `what-changed`: the net change of each aspect since a time, newest first. The text says prices, offers, shops and
 * discontinuation in full and names the other fields that changed; the data has before and after of everything.
 */
import { z } from 'zod'
import { changeMarkdown, fieldName } from '../../../catalog/change-words.ts'
import { type ChangeSummary, whatChanged } from '../../../catalog/changes.service.ts'
import { canonicalSlug } from '../../../catalog/profile.ts'
import { invalid } from '../../../lib/errors.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../../../lib/fit-text.ts'
import { inlineText } from '../../../lib/untrusted.ts'
import { counted } from '../../../lib/words.ts'
import { isDay, readInstant } from '../../../rfq/rfq.schema.ts'
import { requireProductRef } from '../../../search/named-product.ts'
import { requireCategory } from '../../../search/near-categories.ts'
import type { AgentsContext } from '../../context.ts'
import { WhatChangedParams } from './params.ts'
import type { QuickSkill } from './skill.ts'

const DEFAULT_SINCE_MS = 7 * 24 * 60 * 60 * 1000
const Fields = z.record(z.string(), z.unknown())

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
    const listed = found.slice(0, limit)
    const changes = listed.map((change) => shown(change, ctx.config.baseUrl))
    const head = `# What changed since ${since.toISOString()}`
    const many = counted(listed.length, 'change')
    const count =
      listed.length === 0 ? 'Nothing changed.' : `${hasMore ? 'The newest ' : ''}${many}, newest first.`
    const items = listed.map(changeLine)
    const text = fitItems(items.length, TEXT_ROOM, (fitting) =>
      paragraphs([
        head,
        count,
        items.slice(0, fitting).join('\n'),
        leftNote(items.length - fitting, hasMore),
      ]),
    )
    return { text, data: { since, has_more: hasMore, changes } }
  },
}

/** A day is its first moment, a time without a zone is UTC. */
function readSince({ clock }: Pick<AgentsContext, 'clock'>, text: string | undefined): Date {
  if (text === undefined) return new Date(clock.now().getTime() - DEFAULT_SINCE_MS)
  const since = readInstant(isDay(text) ? `${text}T00:00Z` : text)
  if (since) return since
  throw invalid('since', 'since: must be an ISO 8601 date or time, such as 2026-11-09')
}

/** Each must be a product: an unknown one is not "unchanged". */
async function slugsOf(ctx: AgentsContext, products: string[] | undefined): Promise<string[] | undefined> {
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
      ? ['Older ones are left out: use a higher limit (at most 100), a category or products.']
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
  return Object.fromEntries(Object.entries(fields.data).map(([field, value]) => [fieldName(field), value]))
}

function changeLine(change: ChangeSummary): string {
  const { product, at, times } = change
  const often = times > 1 ? `, ${times} times` : ''
  const name = `**${inlineText(product.title)}** · ${canonicalSlug(product)}`
  return `- ${name} · ${changeMarkdown(change)} (${at.toISOString()}${often})`
}
