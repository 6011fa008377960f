/**
 * The tool that asks sellers: one request for quote, waited for, answered with the ranked quotes and their links. Its text
 * says which product was taken for a wish and which others it could be, then the quotes, and where there are none, who
 * else sells it. A request that is not complete says how to follow it.
 */
import { z } from 'zod'
import { MAX_VARIANT, VARIANT } from '../catalog/chosen-variant.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import { invalid } from '../lib/errors.ts'
import { TEXT_ROOM } from '../lib/fit-text.ts'
import { MAX_REGION } from '../lib/regions.ts'
import { inlineText } from '../lib/untrusted.ts'
import { parseInput } from '../lib/validate.ts'
import { counted } from '../lib/words.ts'
import { missLine } from '../search/results-text.ts'
import { MAX_QUERY, Match, type SearchResult } from '../search/search.schema.ts'
import { defineTool } from '../tools/define-tool.ts'
import { productSlug } from '../tools/params.ts'
import { Choice, chooseQuote } from './choose.service.ts'
import {
  chooseProduct,
  type FindRetailersContext,
  type Found,
  followQuotes,
  type Gathered,
  gatherQuotes,
  type NothingFits,
} from './find-retailers.service.ts'
import { factsOf, RequestFacts } from './outcome.ts'
import { quotesText } from './quotes-text.ts'
import { DELIVERY_REGION, MAX_QUANTITY, RfqRequest } from './rfq.schema.ts'
import type { RfqTask } from './rfq.service.ts'

const Input = z.object({
  // Published as required; a call that names the product or the request needs none.
  query: z
    .preprocess((query) => query ?? '', z.string().trim().max(MAX_QUERY))
    .meta({ type: 'string', minLength: 1, maxLength: MAX_QUERY })
    .describe('What the user wants to buy, in plain words'),
  product_slug: productSlug
    .optional()
    .describe('<category>/<slug> of the product; default: the best match for the query'),
  max_results: z.int().min(1).max(20).default(5).describe('How many quotes to return'),
  quantity: z.int().min(1).max(MAX_QUANTITY).default(1).describe('How many pieces'),
  delivery_region: z.string().max(MAX_REGION).optional().describe(DELIVERY_REGION),
  deadline_iso: z.string().max(60).optional().describe('Latest acceptable delivery date, such as 2026-12-01'),
  variant: z.string().max(MAX_VARIANT).optional().describe(VARIANT),
  request_id: z
    .string()
    .max(60)
    .optional()
    .describe('The task_id of an earlier call: reads that request again, asks nobody'),
  choose: Choice.optional().describe('With request_id: records which quote the user chose; not an order'),
})

/** Read as every face reads them, and before anything is searched for. */
const Wanted = RfqRequest.omit({ product_slug: true })

const Output = RequestFacts.extend({
  task_id: z
    .string()
    .nullable()
    .describe(
      'Send it as request_id to read this again; also the id for A2A tasks/get; null when no seller was asked',
    ),
  state: z
    .enum([...RequestFacts.shape.state.options, 'not_asked'])
    .describe('not_asked: nothing matches the query, so no seller was asked'),
  rfq_id: z.string().nullable(),
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
})

export const findRetailers = defineTool<
  FindRetailersContext & { config: { baseUrl: string } },
  typeof Input,
  typeof Output
>({
  name: 'find_retailers',
  title: 'Find retailers',
  description:
    'Requests quotes from all sellers of a product now and returns ranked prices, delivery and buy links, who did not quote and lower listed prices; use it when the user is ready to buy or wants the best current price. Takes up to half a minute. Send product_slug if you know the product; with only a query, the best match is used, or candidates lists the closest products if nothing matches. With request_id it reads an earlier request again; with choose too, it records which quote the user chose.',
  audience: 'everyone',
  effects: { readOnly: false, destructive: false, idempotent: false },
  openWorld: true,
  slow: true,
  input: Input,
  output: Output,
  async run(ctx, call, input) {
    const { query, max_results: most, quantity, request_id, choose } = input
    const { delivery_region, deadline_iso, variant } = input
    const { caller, visit, signal } = call
    const userId = caller.user.id
    const following = { signal: signal(), progress: call.progress }
    if (request_id !== undefined) {
      if (choose) await chooseQuote(ctx, { id: request_id, userId, visit, ...choose })
      return answer(await followQuotes(ctx, { id: request_id, userId, ...following }), null, most, ctx)
    }
    if (choose) throw invalid('request_id', 'choose: send request_id too, the task_id of the request')
    if (query === '' && input.product_slug === undefined)
      throw invalid('query', 'query: is required unless you send product_slug or request_id')
    const wanted = parseInput(Wanted, { quantity, delivery_region, deadline_iso, variant })
    const found = await chooseProduct(ctx, { query, productSlug: input.product_slug })
    if ('nearest' in found) return notAsked(found, wanted)
    const request = { product_slug: found.productSlug, ...wanted }
    const asker = { userId, clientId: caller.clientId, face: 'tools' as const, visit }
    call.progress({ done: 0, message: `Asking the sellers of ${found.productSlug}` })
    return answer(await gatherQuotes(ctx, asker, { request, ...following }), found, most, ctx)
  },
})

function answer(
  gathered: Gathered,
  found: Found | null,
  most: number,
  { config: { baseUrl } }: { config: { baseUrl: string } },
) {
  const { task } = gathered
  const facts = factsOf(task)
  return {
    text: retailersText({ found, gathered, most, baseUrl }),
    data: {
      task_id: task.rfqId,
      ...facts,
      ...(found?.runnersUp && { match: 'good' as const }),
      ...candidatesOf(found?.runnersUp ?? []),
      quotes: facts.quotes.slice(0, most),
    },
  }
}

function notAsked(nothing: NothingFits, { variant: _, ...wanted }: z.output<typeof Wanted>) {
  const { match, note, nearest } = nothing
  return {
    text: notAskedText(nothing),
    data: {
      task_id: null,
      rfq_id: null,
      state: 'not_asked' as const,
      product_slug: null,
      product_title: null,
      match,
      ...(note !== null && { note }),
      ...candidatesOf(nearest),
      ...wanted,
      asked: 0,
      answered: 0,
      total_quotes: 0,
      quotes: [],
      sellers: [],
      listed_elsewhere: [],
      spread: null,
      best_expires_at: null,
      why_first: null,
      chosen: null,
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

export function retailersText(shown: {
  /** Null for a request that is read again. */
  found: Found | null
  gathered: Gathered
  /** How many of the quotes are shown. */
  most: number
  baseUrl: string
}): string {
  const { found, gathered, most, baseUrl } = shown
  const { task } = gathered
  const left = task.quotes.length - most
  const after = [
    ...(left > 0 ? [`${counted(left, 'more quote')} left out: use a higher max_results (at most 20).`] : []),
    ...(task.state === 'submitted' ? [followLine(gathered, baseUrl)] : []),
    ...nextLines(task, baseUrl),
  ]
  const before = found?.runnersUp ? [takenLine(found, found.runnersUp)] : []
  const around = [...before, ...after].reduce((sum, block) => sum + block.length + 2, 0)
  const quotes = quotesText(task, TEXT_ROOM - around, most)
  return [...before, quotes, ...after].join('\n\n')
}

function nextLines(task: RfqTask, baseUrl: string): string[] {
  if (task.state !== 'completed') return []
  if (task.quotes.length === 0)
    return [`Its page: ${baseUrl}/p/${task.productSlug}. Next: find_similar for another product.`]
  const again = `with request_id ${task.rfqId}`
  return task.chosenQuoteId === null
    ? [
        `Next: give the user the Buy link of a quote before it expires. To record the choice, call find_retailers ${again} and choose { quote_id, total_usd }; a choice is not an order.`,
      ]
    : [`Read it again: find_retailers ${again}.`]
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

function takenLine({ title, productSlug }: Found, runnersUp: readonly SearchResult[]): string {
  const taken = `Best match: **${inlineText(title, 200)}** (${productSlug}).`
  if (runnersUp.length === 0) return taken
  return `${taken} For another product, call again with its product_slug: ${runnersUp.map(named).join(', ')}.`
}

function followLine({ task, arrived }: Gathered, baseUrl: string): string {
  const sofar =
    arrived === 0 ? 'No quote has' : `${counted(arrived, 'quote')} ${arrived === 1 ? 'has' : 'have'}`
  return `${sofar} arrived so far; ranking follows when all sellers have answered. Read it with find_retailers, request_id ${task.rfqId} (or A2A tasks/get at ${baseUrl}/a2a/ with the same access token). Without request_id, find_retailers sends a new request.`
}
