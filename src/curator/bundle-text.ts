/**
 * A plan over several categories as a model reads it: the head with its sums, and an entry a category. Every face that tells
 * of a plan tells it in these words; what only one of them knows is handed in, and how much fits a page is for the face.
 */

import type { BundleCategory } from '../bundles/bundles.schema.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import { mdParagraphs } from '../lib/markdown.ts'
import { cleanText, shorten } from '../lib/text.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import type { CuratedBundle } from './curator.schema.ts'

export type BundleLine = Omit<CuratedBundle['lines'][number], 'must_have' | 'alternatives'>

type Told<Line extends BundleLine> = Pick<CuratedBundle, 'overview' | 'budget_usd' | 'total_usd'> & {
  lines: readonly Line[]
}

/** Both are Markdown of ours, and empty where there is nothing to add. */
type Additions<Line> = { underSums?: string; underWhy?: (line: Line) => string }

export function bundleParts<Line extends BundleLine>(
  { overview, budget_usd, total_usd, lines }: Told<Line>,
  { underSums = '', underWhy = () => '' }: Additions<Line> = {},
): { head: string; items: string[] } {
  const unpriced = lines.filter(({ title, cost_usd }) => title !== null && cost_usd === null).length
  const sums = [
    budget_usd === null ? 'No budget set' : `Budget: ${usd(budget_usd)}`,
    `total: ${usd(total_usd)}, at the highest shop prices`,
    ...(unpriced > 0 ? [`${counted(unpriced, 'unknown price')} not in the total`] : []),
  ].join(' · ')
  const head = [
    '# A set over several categories',
    mdParagraphs(shorten(cleanText(overview), 1_000)),
    sums,
    underSums,
  ]
  return {
    head: head.filter(Boolean).join('\n\n'),
    items: lines.map((line, at) => item(line, at + 1, underWhy(line))),
  }
}

export function bundleLine(category: BundleCategory, baseUrl: string): BundleLine {
  const { slug, label, role, kept, quantity, budget_allocated, cost, over_budget, reasoning, product } =
    category
  return {
    category: slug,
    label,
    role,
    kept,
    quantity,
    allocated_usd: budget_allocated,
    cost_usd: cost,
    over_budget,
    reasoning,
    product_slug: product && canonicalSlug({ category: slug, slug: product.slug }),
    title: product?.title ?? null,
    url: product && `${baseUrl}${product.url}`,
    price_range: product?.price_range ?? null,
    verdict: product?.verdict ?? null,
  }
}

function item(line: BundleLine, number: number, underWhy: string): string {
  const { label, quantity, product_slug, title, cost_usd, allocated_usd, over_budget } = line
  const facts = [
    ...(title === null
      ? ['nothing to recommend']
      : [
          `**${inlineText(title, 200)}**`,
          product_slug,
          line.price_range ?? 'price unknown',
          cost_usd === null ? 'cost unknown' : `costs ${usd(cost_usd)}`,
        ]),
    ...(allocated_usd === null ? [] : [`${usd(allocated_usd)} allocated`]),
    ...(line.kept ? ['kept'] : []),
    ...(over_budget ? ['**over budget: nothing fits its share**'] : []),
  ]
  return [
    `${number}. ${inlineText(label)}${quantity > 1 ? ` × ${quantity}` : ''}: ${facts.join(' · ')}`,
    line.verdict ? `   Verdict: ${inlineText(line.verdict, 300)}` : '',
    `   Why: ${inlineText(line.reasoning, 400)}`,
    underWhy,
    line.url === null ? '' : `   ${line.url}`,
  ]
    .filter(Boolean)
    .join('\n')
}
