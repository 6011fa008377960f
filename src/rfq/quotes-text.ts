/**
 * A request for quote for a model: where it stands and, once it is complete, the ranked quotes. Every figure is the
 * seller's answer as we checked it; what a seller left out is said to be missing. Names and terms are the
 * sellers' words and stand in a fence; outside of it a seller is the domain it has proved.
 */
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdUrl } from '../lib/markdown.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { shownOrg, standingOf } from '../orgs/shown-org.ts'
import { factsOf, type RequestFacts, spreadNote } from './outcome.ts'
import type { Quote } from './quote.schema.ts'
import type { RfqTask } from './rfq.service.ts'

/** Shorter than `room`, where other words stand beside it; with at most so many quotes. */
export function quotesText(task: RfqTask, room = TEXT_ROOM, most = task.quotes.length): string {
  const facts = factsOf(task)
  const { quotes } = facts
  const items = quotes.slice(0, most).map((quote) => quoteItem(quote, task.quantity))
  return fitItems(items.length, room, (shown) => {
    const left = items.length - shown
    return paragraphs([
      `# Quotes for ${task.quantity} × ${task.productSlug}`,
      askedFor(task),
      stateLine(task, facts),
      summaryLine(facts),
      items.slice(0, shown).join('\n'),
      left > 0 ? `${counted(left, 'more quote')} in the data, in order of rank.` : '',
      chosenLine(facts),
      notQuoted(facts),
      listedBlock(facts),
      sellersBlock(quotes.slice(0, shown)),
    ])
  })
}

function askedFor({ sessionId, deliveryRegion, deadlineIso, variant }: RfqTask): string {
  const asked = [
    `Request ${sessionId}`,
    ...(variant === null ? [] : [`variant ${inlineText(variant.name)}`]),
    deliveryRegion === null ? 'no delivery region given' : `to ${inlineText(regionName(deliveryRegion), 60)}`,
    ...(deadlineIso === null ? [] : [`delivery by ${inlineText(deadlineIso, 60)}`]),
  ]
  return asked.join(' · ')
}

function stateLine({ state, failure }: RfqTask, { total_quotes, asked, answered }: RequestFacts): string {
  if (state === 'submitted')
    return `Waiting for sellers${asked ? `: ${answered} of ${asked} answered` : ''}; get it again in a few seconds.`
  if (state === 'canceled') return 'The request was canceled; there are no quotes.'
  if (state === 'failed')
    return `The request could not be finished${failure === null ? '' : `: ${inlineText(failure, 300)}`}. You can send it again.`
  if (asked === 0) return 'No seller of this product takes requests here.'
  const of = asked === null ? '' : ` from ${counted(asked, 'seller')} asked`
  if (total_quotes === 0) return asked === null ? 'No seller quoted.' : `No quote${of}.`
  return `${counted(total_quotes, 'quote')}${of}, best first. Each is signed in the data.`
}

/** What sets the first apart, how far the totals are apart, and until when. */
function summaryLine(facts: RequestFacts): string {
  const { total_quotes, why_first, spread, best_expires_at } = facts
  if (total_quotes < 2 || spread === null) return ''
  const { low_usd: low, high_usd: high } = spread
  return [
    `Why first: ${inlineText(why_first ?? '', 400)}.`,
    low === high
      ? `All totals are ${usd(low)}.`
      : `Totals from ${usd(low)} to ${usd(high)}${spreadNote(facts)}.`,
    best_expires_at === null ? '' : `The best expires ${best_expires_at}.`,
  ].join(' ')
}

function chosenLine({ chosen, quotes }: RequestFacts): string {
  if (chosen === null) return ''
  const rank = quotes.find(({ quote_id }) => quote_id === chosen.quote_id)?.rank
  return `Chosen: quote ${rank}, total ${usd(chosen.total_usd)}. ${chosen.note} Buy: ${mdUrl(chosen.claim_url)}`
}

/** So that both leave room for quotes. */
const SILENT_ROOM = 900
const LISTED_ROOM = 1_800
const LONGEST_LISTING = 120

/** By what is proved of them: their names are their own words. */
function notQuoted({ sellers }: RequestFacts): string {
  const others = (sellers ?? []).filter(({ outcome }) => outcome !== 'quoted' && outcome !== 'out_of_stock')
  const lines = others.map(
    (seller) => `- ${inlineText(standingOf(seller))} (${seller.org_type}): ${seller.reason}`,
  )
  if (lines.length === 0) return ''
  return fitItems(lines.length, SILENT_ROOM, (shown) =>
    ['Asked, but no quote:', ...lines.slice(0, shown), ...more(lines.length - shown)].join('\n'),
  )
}

function listedBlock({ listed_elsewhere: listed, spread }: RequestFacts): string {
  const lines = listed.map(({ url, price_usd, promoted }, at) => {
    const price = price_usd === null ? 'price not stated' : `lists ${usd(price_usd)}`
    return `- Shop ${at + 1}: ${price}${promoted ? ' (promoted offer)' : ''}, ${mdUrl(url)}`
  })
  if (lines.length === 0) return ''
  const below = spread === null ? '' : ' below the best quote'
  return fitItems(lines.length, LISTED_ROOM, (shown) =>
    [
      `Listed elsewhere${below} (before shipping, not confirmed by the seller):`,
      ...lines.slice(0, shown),
      ...more(lines.length - shown),
      '',
      untrusted(
        'the shops',
        listed.slice(0, shown).map(({ seller, org }, at) => ({
          label: `Shop ${at + 1}`,
          text: org ? shownOrg(org) : seller,
          max: LONGEST_LISTING,
        })),
      ),
    ].join('\n'),
  )
}

function more(left: number): string[] {
  return left > 0 ? [`- ${left} more in the data`] : []
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
    `   Quote id: ${quote.quote_id}`,
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
