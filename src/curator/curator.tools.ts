/**
 * product_curator: one tool for the question "which should I take". In its text, figures, verdicts and the rules that chose
 * are ours; what producers state and reviewers say stands in a fence, with the number of its product. The requirements are
 * numbered once (M1, M2 …), so that each product needs one short line for all of them.
 */
import { fitBlocks, fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { bundleParts } from './bundle-text.ts'
import type { MustHaveCheck } from './curator.must-have.ts'
import {
  type Comparison,
  type Curated,
  type CuratedBundle,
  type CuratedProduct,
  CuratorInput,
  CuratorOutput,
} from './curator.schema.ts'
import { type CuratorContext, curate } from './curator.service.ts'

export const productCurator = defineTool<CuratorContext, typeof CuratorInput, typeof CuratorOutput>({
  name: 'product_curator',
  title: 'Help choosing products',
  description:
    'Helps choose: a shortlist with reasons for a query, a comparison of 2 to 6 products (compare), or a budgeted set from several categories (bundle; 20 a day, verified email), which plan_id and edits change later. Each must_have is judged by the profile, with the place that states or denies it; what denies one is ruled out. To browse many results, use search_products.',
  audience: 'everyone',
  // A plan uses up one of the day's 20, and whether it makes one it may decide itself; edits take products out of one.
  effects: { readOnly: false, destructive: true, idempotent: false },
  slow: true,
  input: CuratorInput,
  output: CuratorOutput,
  async run(ctx, call, input) {
    const data = await curate(ctx, call.caller, call.visit, input)
    return { text: curatedText(data), data }
  },
})

const MOST_ALTERNATIVES = 3
const MET = { says_so: 'stated', not_stated: 'not stated', contradicts: '**denied**' } as const
const ORDER = ['says_so', 'contradicts', 'not_stated'] as const

function curatedText({ notes, products, comparison, bundle, ruled_out }: Curated): string {
  if (bundle) return bundleText(bundle)
  if (comparison) return comparisonText(products ?? [], comparison)
  return shortlistText(products ?? [], notes, ruled_out)
}

function shortlistText(
  products: readonly CuratedProduct[],
  notes: readonly string[],
  ruledOut: Curated['ruled_out'],
): string {
  const said = notes.map((note) => inlineText(note, 500))
  if (products.length === 0)
    return [
      ...said,
      'No results. Try a higher budget_usd, other categories (see list_categories) or fewer words.',
    ].join('\n\n')
  const head = [
    ...said,
    `# Shortlist: ${counted(products.length, 'product')}`,
    'Best first; promoted offers do not affect the order.',
    legend(products[0]?.must_have ?? []),
  ]
  const items = products.map((product, at) =>
    lines(
      productLine(product, at + 1),
      product.verdict === null ? '' : `   Verdict: ${inlineText(product.verdict, 300)}`,
      `   Why: ${inlineText(product.reasons.join('; '), 300)}`,
      mustHaveLine(product.must_have),
      `   ${product.url}`,
    ),
  )
  const next =
    'Next: product_curator with compare to compare some, get_product for a full profile, find_retailers for quotes.'
  return pageOf(paragraphs(head), items, [...evidenceLines(products), ...ruledOutLines(ruledOut)], next)
}

function ruledOutLines(ruledOut: Curated['ruled_out']): UntrustedLine[] {
  return ruledOut.flatMap(({ product_slug, wish, evidence }) =>
    evidence === null ? [] : [{ label: `ruled out ${product_slug}`, text: `${wish}: ${evidence}`, max: 160 }],
  )
}

function comparisonText(products: readonly CuratedProduct[], comparison: Comparison): string {
  const { recommended, reasons } = comparison
  const chosen = products.find(({ product_slug }) => product_slug === recommended)
  const because = inlineText(reasons.join(' '), 500)
  const advice = chosen
    ? `Recommended: **${inlineText(chosen.title, 100)}** (${chosen.product_slug}). ${because}`
    : `No recommendation. ${because}`
  const head = paragraphs([
    `# ${counted(products.length, 'product')} compared`,
    advice,
    'Ruled out: discontinued, over budget, unsuitable by its own profile, or contradicting a requirement. Then ranked by requirements stated, match to the query, rating, price.',
    legend(products[0]?.must_have ?? []),
  ])
  const items = products.map((product, at) =>
    lines(
      productLine(product, at + 1),
      product.verdict === null ? '' : `   Verdict: ${inlineText(product.verdict, 140)}`,
      mustHaveLine(product.must_have),
      product === chosen || product.reasons.length === 0
        ? ''
        : `   Against it: ${inlineText(product.reasons.join('; '), 120)}`,
    ),
  )
  const stated = [...evidenceLines(products), ...ownLines(products), ...specLines(comparison)]
  const next = 'Next: get_product for a full profile, find_retailers with a product_slug for quotes.'
  return pageOf(head, items, stated, next)
}

/** The entries first; what is stated about them gets the room that is left. */
function pageOf(
  head: string,
  items: readonly string[],
  stated: readonly UntrustedLine[],
  next: string,
): string {
  const body = fitBlocks(TEXT_ROOM - next.length - 2, [
    () => head,
    (room) =>
      fitItems(items.length, room, (shown) =>
        paragraphs([...items.slice(0, shown), left(items.length - shown)]),
      ),
    (room) => statedBlock(stated, room),
  ])
  return paragraphs([body, next])
}

/** Where each requirement is stated or denied. */
function evidenceLines(products: ReadonlyArray<{ must_have: readonly MustHaveCheck[] }>): UntrustedLine[] {
  return products.flatMap(({ must_have }, product) =>
    must_have.flatMap(({ evidence }, at) =>
      evidence === null ? [] : [{ label: `${product + 1} M${at + 1}`, text: evidence, max: 120 }],
    ),
  )
}

/** Our labels, their words: each line has the number of its product. */
function ownLines(products: readonly CuratedProduct[]): UntrustedLine[] {
  const line = (label: string, texts: readonly string[]): UntrustedLine[] =>
    texts.length === 0 ? [] : [{ label, text: texts.join('; '), max: 220 }]
  return products.flatMap((product, at) => [
    ...line(`${at + 1} best for`, product.best_for),
    ...line(`${at + 1} not for`, product.not_for),
    ...line(`${at + 1} praised`, product.strengths),
    ...line(`${at + 1} criticized`, product.weaknesses),
  ])
}

function specLines({ specs }: Comparison): UntrustedLine[] {
  return specs.flatMap(({ name, values }) =>
    values.map((value, at) => ({
      label: `${at + 1} spec`,
      text: `${name} = ${value ?? 'not stated'}`,
      max: 120,
    })),
  )
}

function statedBlock(stated: readonly UntrustedLine[], room: number): string {
  if (stated.length === 0) return ''
  return fitItems(stated.length, room, (shown) => {
    if (shown === 0) return ''
    const more = stated.length - shown
    const note = more > 0 ? `\n${counted(more, 'more line')} in the data.` : ''
    return `${untrusted('producers, data feeds and reviewers', stated.slice(0, shown))}${note}`
  })
}

function bundleText(bundle: CuratedBundle): string {
  const { lines: planned } = bundle
  const { head, items } = bundleParts(bundle, {
    underSums: legend(planned.find(({ must_have }) => must_have.length > 0)?.must_have ?? []),
    underWhy: ({ must_have, alternatives }) => lines(mustHaveLine(must_have), otherLine(alternatives)),
  })
  const next = [
    'Next: get_product for a profile, find_retailers with a product_slug and quantity for quotes',
    ...(bundle.plan_id === null
      ? []
      : [
          `product_curator with plan_id ${bundle.plan_id} to see alternatives, and with edits to keep, replace, remove or add a line or to change the budget or a quantity`,
        ]),
  ].join('; ')
  return pageOf(paragraphs([head, ...changedLines(bundle)]), items, evidenceLines(planned), `${next}.`)
}

/** What each would change; titles are others' words, so slugs name them. */
function otherLine(alternatives: CuratedBundle['upgrades']): string {
  if (alternatives.length === 0) return ''
  const told = alternatives
    .slice(0, MOST_ALTERNATIVES)
    .map(({ product_slug, change_usd, fits }) => `${product_slug} (${changeWords(change_usd, fits)})`)
  return `   Alternatives: ${told.join(', ')}`
}

function changeWords(change: number | null, fits: boolean): string {
  if (change === null) return 'price unknown'
  const sum = `${change < 0 ? '-' : '+'}${usd(Math.abs(change))}`
  return fits ? sum : `${sum}, over budget`
}

function changedLines({ changed, upgrades }: CuratedBundle): string[] {
  const had = changed.map(({ category, from, to }) => {
    const now = to === null ? 'was left out' : `is now ${inlineText(to, 100)}`
    return `${category}${from === null ? '' : `, before ${inlineText(from, 100)},`} ${now}`
  })
  return [
    ...(had.length > 0 ? [`Had to change: ${had.join('; ')}`] : []),
    ...(upgrades.length > 0
      ? [
          `More money would buy: ${upgrades.map(({ product_slug, change_usd, fits }) => `${product_slug} (${changeWords(change_usd, fits)})`).join(', ')}`,
        ]
      : []),
  ]
}

function productLine(product: CuratedProduct, number: number): string {
  const { rating, review_count } = product
  const facts = [
    `**${inlineText(product.title, 100)}**`,
    product.product_slug,
    product.price_range ?? 'price unknown',
    ...(rating === null ? [] : [`rated ${rating} of 5`]),
    ...(review_count === null ? [] : [counted(review_count, 'review')]),
    ...(product.discontinued ? ['**discontinued**'] : []),
    ...(product.is_sponsored ? ['has a promoted offer'] : []),
  ]
  return `${number}. ${facts.join(' · ')}`
}

function legend(checks: readonly MustHaveCheck[]): string {
  if (checks.length === 0) return ''
  const wishes = checks.map(({ wish }, at) => `M${at + 1} ${inlineText(wish, 40)}`)
  return `Must have, as stated in profiles: ${wishes.join('; ')}`
}

function mustHaveLine(checks: readonly MustHaveCheck[]): string {
  if (checks.length === 0) return ''
  const groups = ORDER.flatMap((met) => {
    const numbers = checks.flatMap((check, at) => (check.met === met ? [`M${at + 1}`] : []))
    return numbers.length === 0 ? [] : [`${MET[met]} ${numbers.join(', ')}`]
  })
  return `   Must have: ${groups.join(' · ')}`
}

function left(count: number): string {
  return count > 0 ? `${count} more in the data.` : ''
}

function lines(...parts: string[]): string {
  return parts.filter(Boolean).join('\n')
}
