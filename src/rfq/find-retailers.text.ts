/**
 * What `find_retailers` says: which product was taken for a wish and which others it could be, then the quotes, and where
 * there are none, who else sells it. A request that is not complete says how to follow it.
 */
import { canonicalSlug } from '../catalog/product-words.ts'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdUrl } from '../lib/markdown.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { missLine } from '../search/results-text.ts'
import type { SearchResult } from '../search/search.schema.ts'
import type { Chosen, Gathered, NothingFits, SoldElsewhere } from './find-retailers.service.ts'
import { quotesText } from './quotes-text.ts'

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
    ...(left > 0
      ? [`${counted(left, 'more quote')} left out: ask with a higher max_results (at most 20).`]
      : []),
    ...(task.state === 'submitted' ? [followLine(gathered, baseUrl)] : []),
    ...(elsewhere ? [elsewhereBlock(elsewhere)] : []),
    ...(task.quotes.length > 0
      ? ['Next: give the user the Buy link of the chosen quote before it ends.']
      : []),
  ]
  const before = chosen.runnersUp ? [takenLine(chosen, chosen.runnersUp)] : []
  const around = [...before, ...after].reduce((sum, block) => sum + block.length + 2, 0)
  const quotes = quotesText({ ...task, quotes: task.quotes.slice(0, most) }, TEXT_ROOM - around)
  return [...before, quotes, ...after].join('\n\n')
}

/** Why nobody was asked, and what could be asked for instead. */
export function notAskedText({ note, nearest }: NothingFits): string {
  return [
    `${inlineText(missLine({ note, nearest }), 700)} No seller was asked.`,
    'Closest, but not what was asked for:',
    nearest.map((product) => `- ${named(product)}`).join('\n'),
    'Next: if the user wants one of these, ask again with its product_slug; else search_products with other words.',
  ].join('\n\n')
}

function named(product: SearchResult): string {
  const price = product.price_range ?? 'price unknown'
  return `**${inlineText(product.title, 200)}** (${canonicalSlug(product)}, ${price})`
}

function takenLine({ title, productSlug }: Chosen, runnersUp: readonly SearchResult[]): string {
  const taken = `Taken for the query: **${inlineText(title, 200)}** (${productSlug}).`
  if (runnersUp.length === 0) return taken
  return `${taken} If another one is meant, ask again with its product_slug: ${runnersUp.map(named).join(', ')}.`
}

function followLine({ task, arrived }: Gathered, baseUrl: string): string {
  const sofar =
    arrived === 0 ? 'No quote has' : `${counted(arrived, 'quote')} ${arrived === 1 ? 'has' : 'have'}`
  return `${sofar} arrived so far; they are ranked when everybody has answered. Follow it with A2A: tasks/get, id ${task.rfqId}, at ${baseUrl}/a2a/ with the same access token. Calling find_retailers again asks the sellers anew.`
}

function elsewhereBlock({ url, sellers, names }: SoldElsewhere): string {
  if (sellers.length === 0)
    return `No shop or promoted offer is known either. Its page: ${url}. Try find_similar for another product.`
  const lines = sellers.map(({ url, price_usd, promoted }, at) => {
    const price = price_usd === null ? 'price unknown' : usd(price_usd)
    return `- Seller ${at + 1}: ${price}${promoted ? ' (promoted offer)' : ''}, ${mdUrl(url)}`
  })
  return fitItems(lines.length, ELSEWHERE_ROOM, (shown) => {
    const left = lines.length - shown
    return [
      'Sold elsewhere (catalog and promoted prices, no quotes):',
      ...lines.slice(0, shown),
      ...(left > 0 ? [`- ${left} more: get_product, sections where_to_buy and offers`] : []),
      `Its page: ${url}`,
      '',
      untrusted('the sellers', names.slice(0, shown).map(sellerLine)),
    ].join('\n')
  })
}

function sellerLine(name: string, at: number): UntrustedLine {
  return { label: `Seller ${at + 1}`, text: name, max: LONGEST_SELLER }
}
