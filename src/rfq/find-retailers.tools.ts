/**
 * The tool that asks sellers: one request for quote, waited for, answered with the ranked quotes and their links. Its text
 * says which product was taken for a wish and which others it could be, then the quotes, and where there are none, who
 * else sells it. A request that is not complete says how to follow it.
 */
import { z } from 'zod'
import { canonicalSlug } from '../catalog/profile.ts'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdUrl } from '../lib/markdown.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { parseInput } from '../lib/validate.ts'
import { counted, usd } from '../lib/words.ts'
import { missLine } from '../search/results-text.ts'
import { MAX_QUERY, Match, type SearchResult } from '../search/search.schema.ts'
import { defineTool } from '../tools/define-tool.ts'
import { productSlug } from '../tools/params.ts'
import {
  type Chosen,
  chooseProduct,
  type FindRetailersContext,
  type Gathered,
  gatherQuotes,
  type NothingFits,
  type SoldElsewhere,
  soldElsewhere,
} from './find-retailers.service.ts'
import { Quote } from './quote.schema.ts'
import { quotesText } from './quotes-text.ts'
import { MAX_QUANTITY, RfqRequest } from './rfq.schema.ts'

const Input = z.object({
  query: z.string().trim().min(1).max(MAX_QUERY).describe('What the user wants to buy, in plain words'),
  product_slug: productSlug
    .optional()
    .describe('<category>/<slug> of the product; default: the best match for the query'),
  max_results: z.int().min(1).max(20).default(5).describe('How many quotes to return'),
  quantity: z.int().min(1).max(MAX_QUANTITY).default(1).describe('How many pieces'),
  delivery_region: z.string().max(60).optional().describe('STATE-COUNTRY, such as CA-US'),
  deadline_iso: z.string().max(60).optional().describe('Latest acceptable delivery date, such as 2026-12-01'),
})

/** Read as every face reads them, and before anything is searched for. */
const Wanted = RfqRequest.omit({ product_slug: true })

const Output = z.object({
  task_id: z.string().nullable().describe('Also the id for A2A tasks/get; null when no seller was asked'),
  state: z
    .enum(['submitted', 'completed', 'canceled', 'failed', 'not_asked'])
    .describe('not_asked: nothing matches the query, so no seller was asked'),
  product_slug: z.string().nullable(),
  product_title: z.string().nullable(),
  match: Match.optional().describe(
    'How well the product matches the query; left out when product_slug was sent',
  ),
  note: z.string().optional().describe('Why no seller was asked'),
  candidates: z
    .array(z.object({ product_slug: z.string(), title: z.string(), price_range: z.string().nullable() }))
    .describe('Other products the query may mean; when no seller was asked, the closest ones'),
  alternatives: z.array(z.string()).describe('The product_slug of each candidate'),
  quantity: z.int(),
  total_quotes: z.int(),
  quotes: z.array(Quote),
  elsewhere: z
    .array(
      z.object({
        seller: z.string(),
        url: z.string(),
        price_usd: z.number().nullable(),
        promoted: z.boolean(),
      }),
    )
    .describe('Shops and promoted offers, when nobody quoted'),
})

export const findRetailers = defineTool<
  FindRetailersContext & { config: { baseUrl: string } },
  typeof Input,
  typeof Output
>({
  name: 'find_retailers',
  title: 'Find retailers',
  description:
    'Requests quotes from all sellers of a product now and returns ranked prices, delivery and buy links; use it when the user is ready to buy or wants the best current price. Takes up to half a minute. Send product_slug if you know the product; with only a query, the best match is used, or candidates lists the closest products if nothing matches.',
  audience: 'everyone',
  effects: { readOnly: false, destructive: false, idempotent: false },
  openWorld: true,
  slow: true,
  input: Input,
  output: Output,
  async run(ctx, call, input) {
    const { query, max_results: most, quantity, delivery_region, deadline_iso } = input
    const { baseUrl } = ctx.config
    const wanted = parseInput(Wanted, { quantity, delivery_region, deadline_iso })
    const chosen = await chooseProduct(ctx, { query, productSlug: input.product_slug })
    if ('nearest' in chosen) return notAsked(chosen, quantity)
    const request = { product_slug: chosen.productSlug, ...wanted }
    const { caller, visit, signal } = call
    const asker = { userId: caller.user.id, clientId: caller.clientId, face: 'tools' as const, visit }
    call.progress({ done: 0, message: `Asking the sellers of ${chosen.productSlug}` })
    const gathered = await gatherQuotes(ctx, asker, {
      request,
      signal: signal(),
      arrived: (quotes) => call.progress({ done: quotes, message: `${counted(quotes, 'quote')} so far` }),
    })
    const { task } = gathered
    const nobody = task.state === 'completed' && task.quotes.length === 0
    const elsewhere = nobody ? await soldElsewhere(ctx, task.productSlug) : null
    return {
      text: retailersText({ chosen, gathered, most, elsewhere, baseUrl }),
      data: {
        task_id: task.rfqId,
        state: task.state,
        product_slug: task.productSlug,
        product_title: chosen.title,
        ...(chosen.runnersUp && { match: 'good' as const }),
        ...candidatesOf(chosen.runnersUp ?? []),
        quantity,
        total_quotes: task.quotes.length,
        quotes: task.quotes.slice(0, most),
        elsewhere: elsewhere?.sellers ?? [],
      },
    }
  },
})

function notAsked(nothing: NothingFits, quantity: number) {
  const { match, note, nearest } = nothing
  return {
    text: notAskedText(nothing),
    data: {
      task_id: null,
      state: 'not_asked' as const,
      product_slug: null,
      product_title: null,
      match,
      ...(note !== null && { note }),
      ...candidatesOf(nearest),
      quantity,
      total_quotes: 0,
      quotes: [],
      elsewhere: [],
    },
  }
}

function candidatesOf(results: readonly SearchResult[]) {
  const candidates = results.map((result) => ({
    product_slug: canonicalSlug(result),
    title: result.title,
    price_range: result.price_range,
  }))
  return { candidates, alternatives: candidates.map(({ product_slug }) => product_slug) }
}

/** For other sellers; as much as the words around a request without quotes leave over. */
const ELSEWHERE_ROOM = 3_000
/** A name and the domain beside it. */
const LONGEST_SELLER = 160

export function retailersText(told: {
  chosen: Chosen
  gathered: Gathered
  /** How many of the quotes are shown. */
  most: number
  elsewhere: SoldElsewhere | null
  baseUrl: string
}): string {
  const { chosen, gathered, most, elsewhere, baseUrl } = told
  const { task } = gathered
  const left = task.quotes.length - most
  const after = [
    ...(left > 0 ? [`${counted(left, 'more quote')} left out: use a higher max_results (at most 20).`] : []),
    ...(task.state === 'submitted' ? [followLine(gathered, baseUrl)] : []),
    ...(elsewhere ? [elsewhereBlock(elsewhere)] : []),
    ...(task.quotes.length > 0
      ? ['Next: give the user the Buy link of the chosen quote before it expires.']
      : []),
  ]
  const before = chosen.runnersUp ? [takenLine(chosen, chosen.runnersUp)] : []
  const around = [...before, ...after].reduce((sum, block) => sum + block.length + 2, 0)
  const quotes = quotesText({ ...task, quotes: task.quotes.slice(0, most) }, TEXT_ROOM - around)
  return [...before, quotes, ...after].join('\n\n')
}

/** Why nobody was asked, and what could be asked for instead. */
function notAskedText({ note, nearest }: NothingFits): string {
  return [
    `${inlineText(missLine({ note, nearest }), 700)} No seller was asked.`,
    'Closest matches, but not what was asked for:',
    nearest.map((product) => `- ${named(product)}`).join('\n'),
    'Next: if the user wants one of these, call again with its product_slug; otherwise try search_products with other words.',
  ].join('\n\n')
}

function named(product: SearchResult): string {
  const price = product.price_range ?? 'price unknown'
  return `**${inlineText(product.title, 200)}** (${canonicalSlug(product)}, ${price})`
}

function takenLine({ title, productSlug }: Chosen, runnersUp: readonly SearchResult[]): string {
  const taken = `Best match: **${inlineText(title, 200)}** (${productSlug}).`
  if (runnersUp.length === 0) return taken
  return `${taken} For another product, call again with its product_slug: ${runnersUp.map(named).join(', ')}.`
}

function followLine({ task, arrived }: Gathered, baseUrl: string): string {
  const sofar =
    arrived === 0 ? 'No quote has' : `${counted(arrived, 'quote')} ${arrived === 1 ? 'has' : 'have'}`
  return `${sofar} arrived so far; ranking follows when all sellers have answered. Follow it with A2A: tasks/get, id ${task.rfqId}, at ${baseUrl}/a2a/ with the same access token. Calling find_retailers again sends a new request.`
}

function elsewhereBlock({ url, sellers, names }: SoldElsewhere): string {
  if (sellers.length === 0)
    return `It has no known shops or promoted offers. Its page: ${url}. Try find_similar for another product.`
  const lines = sellers.map(({ url, price_usd, promoted }, at) => {
    const price = price_usd === null ? 'price unknown' : usd(price_usd)
    return `- Seller ${at + 1}: ${price}${promoted ? ' (promoted offer)' : ''}, ${mdUrl(url)}`
  })
  return fitItems(lines.length, ELSEWHERE_ROOM, (shown) => {
    const left = lines.length - shown
    return [
      'Also sold at (listed prices, not quotes):',
      ...lines.slice(0, shown),
      ...(left > 0 ? [`- ${left} more: get_product, sections where_to_buy and offers`] : []),
      `Its page: ${url}`,
      '',
      untrusted(
        'the sellers',
        names.slice(0, shown).map((text, at) => ({ label: `Seller ${at + 1}`, text, max: LONGEST_SELLER })),
      ),
    ].join('\n')
  })
}
