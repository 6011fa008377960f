/**
 * A request for quote for a model: where it stands and, once it is complete, the ranked quotes. Every figure is the
 * seller's answer as we checked it; what a seller left out is said to be missing. Names and terms are the
 * sellers' words and stand in a fence; outside of it a seller is the domain it has proved.
 */
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdUrl } from '../lib/markdown.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { shownOrg, standingOf } from '../orgs/shown-org.ts'
import type { Quote } from './quote.schema.ts'
import type { RfqTask } from './rfq.service.ts'

/** Shorter than `room`, where other words stand beside it. */
export function quotesText(task: RfqTask, room = TEXT_ROOM): string {
  const { quotes } = task
  const items = quotes.map((quote) => quoteItem(quote, task.quantity))
  return fitItems(items.length, room, (shown) => {
    const left = quotes.length - shown
    return [
      `# Quotes for ${task.quantity} × ${task.productSlug}`,
      askedFor(task),
      stateLine(task),
      items.slice(0, shown).join('\n'),
      left > 0 ? `${counted(left, 'more quote')} in the data, in order of rank.` : '',
      sellersBlock(quotes.slice(0, shown)),
    ]
      .filter(Boolean)
      .join('\n\n')
  })
}

function askedFor({ sessionId, deliveryRegion, deadlineIso }: RfqTask): string {
  const asked = [
    `Request ${sessionId}`,
    deliveryRegion === null ? 'no delivery region given' : `to ${inlineText(deliveryRegion, 60)}`,
    ...(deadlineIso === null ? [] : [`delivery by ${inlineText(deadlineIso, 60)}`]),
  ]
  return asked.join(' · ')
}

function stateLine({ state, quotes, failure }: RfqTask): string {
  if (state === 'submitted') return 'Waiting for sellers; get the task again in a few seconds.'
  if (state === 'canceled') return 'The request was canceled; there are no quotes.'
  if (state === 'failed')
    return `The request could not be finished${failure === null ? '' : `: ${inlineText(failure, 300)}`}. You can send it again.`
  if (quotes.length === 0) return "No seller quoted. Check the product's promoted offers and shops instead."
  return `${counted(quotes.length, 'quote')}, best first. Each is signed in the data.`
}

function quoteItem(quote: Quote, quantity: number): string {
  const { rank, org, shipping_cost_usd, list_price_usd, estimated_shipping_days: days } = quote
  const facts = [
    ...(quote.in_stock ? [] : ['**out of stock**']),
    `${usd(quote.price_usd)}${quantity > 1 ? ' each' : ''}`,
    ...(list_price_usd === undefined ? [] : [`list ${usd(list_price_usd)}`]),
    totalWords(quote.total_usd, shipping_cost_usd),
    deliveryWords(days),
    `valid until ${inlineText(quote.offer_expires_at, 40)}`,
  ]
  const seller = `${inlineText(standingOf(org))} (${org.org_type})`
  return [
    `${rank}. ${seller}: ${facts.join(' · ')}`,
    ...(quote.rank_reasons.length === 0 ? [] : [`   Why: ${inlineText(quote.rank_reasons.join('; '), 400)}`]),
    `   Buy: ${mdUrl(quote.claim_url)}${quote.claim_host === undefined ? '' : ` (on ${inlineText(quote.claim_host, 80)})`}`,
  ].join('\n')
}

export function deliveryWords(days: number | null | undefined): string {
  return typeof days === 'number'
    ? `delivery in ${counted(days, 'business day')}`
    : 'delivery time not stated'
}

/** What is stated beside a price. */
export function shippingWords(dollars: number | null | undefined): string {
  return typeof dollars === 'number' ? `shipping ${usd(dollars)}` : 'shipping not stated'
}

function totalWords(total: number, shipping: number | undefined): string {
  if (shipping === undefined) return `total ${usd(total)}, shipping not stated`
  return shipping === 0
    ? `total ${usd(total)}, free shipping`
    : `total ${usd(total)} with ${usd(shipping)} shipping`
}

function sellersBlock(quotes: readonly Quote[]): string {
  const lines = quotes.flatMap(({ rank, org, terms }) => [
    { label: `Quote ${rank} seller`, text: shownOrg(org) },
    ...(terms === undefined ? [] : [{ label: `Quote ${rank} terms`, text: terms, max: 250 }]),
  ])
  return lines.length === 0 ? '' : untrusted('the sellers', lines)
}
