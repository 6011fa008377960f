/** The tool that asks sellers: one request for quote, waited for, answered with the ranked quotes and their links. */
import { z } from 'zod'
import { canonicalSlug } from '../catalog/product-words.ts'
import { parseInput } from '../lib/validate.ts'
import { counted } from '../lib/words.ts'
import { MAX_QUERY, Match, type SearchResult } from '../search/search.schema.ts'
import { defineTool } from '../tools/define-tool.ts'
import { productSlug } from '../tools/params.ts'
import {
  chooseProduct,
  type FindRetailersContext,
  gatherQuotes,
  type NothingFits,
  soldElsewhere,
} from './find-retailers.service.ts'
import { notAskedText, retailersText } from './find-retailers.text.ts'
import { MAX_QUANTITY, Quote, RfqRequest } from './rfq.schema.ts'

const Input = z.object({
  query: z.string().trim().min(1).max(MAX_QUERY).describe('What the user wants to buy, in plain words'),
  product_slug: productSlug
    .optional()
    .describe('<category>/<slug> of the product to ask for; without it the best match of the query is taken'),
  max_results: z.int().min(1).max(20).default(5).describe('How many quotes to return'),
  quantity: z.int().min(1).max(MAX_QUANTITY).default(1).describe('How many pieces'),
  delivery_region: z.string().max(60).optional().describe('STATE-COUNTRY, such as CA-US'),
  deadline_iso: z.string().max(60).optional().describe('Latest acceptable delivery date, such as 2026-12-01'),
})

/** Read as every face reads them, and before anything is searched for. */
const Wanted = RfqRequest.omit({ product_slug: true })

const Output = z.object({
  task_id: z.string().nullable().describe('Also the id for A2A tasks/get; null when nobody was asked'),
  state: z
    .enum(['submitted', 'completed', 'canceled', 'failed', 'not_asked'])
    .describe('not_asked: nothing fits the query, so no seller was asked'),
  product_slug: z.string().nullable(),
  product_title: z.string().nullable(),
  match: Match.optional().describe('How well the query was met; left out when product_slug was sent'),
  note: z.string().optional().describe('Why nobody was asked'),
  candidates: z
    .array(z.object({ product_slug: z.string(), title: z.string(), price_range: z.string().nullable() }))
    .describe('Other products the query may mean; when nobody was asked, those that come closest'),
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
    'Asks all sellers of a product for a quote now and returns their ranked prices, delivery and buy links; use it when the user is ready to buy or wants the best current price. Takes up to half a minute. Send product_slug when the product is known; with a query alone the best match is asked for, and nobody when nothing fits: then candidates has what comes closest.',
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
