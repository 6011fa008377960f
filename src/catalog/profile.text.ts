/**
 * A profile for a model: compact as text, whole as data. What producers state and reviewers say stands in fences; the
 * verdict and the figures are ours. Each section keeps to a share of the text, so that a long one does not push the
 * others out, and says what it leaves out.
 */
import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdLink } from '../lib/markdown.ts'
import { formatUsd } from '../lib/money.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { toImportRecord } from './export.service.ts'
import { offersText } from './offers-text.ts'
import { renderOffersJson } from './profile.offers.ts'
import {
  offersPath,
  originalPriceWords,
  type ProductProfile,
  priceRange,
  productPath,
  provenanceBySource,
} from './profile.ts'

export function profileData(profile: ProductProfile, baseUrl: string): Record<string, unknown> {
  const url = `${baseUrl}${productPath(profile)}`
  const stated = originalPriceWords(profile)
  const { offers, updated_at } = renderOffersJson({ ...profile, category: profile.category.slug }, baseUrl)
  return {
    product_slug: `${profile.category.slug}/${profile.slug}`,
    ...toImportRecord(profile),
    category_label: profile.category.label,
    price_range: priceRange(profile),
    ...(stated !== null && { price_as_stated: stated }),
    is_sponsored: offers.length > 0,
    ...(profile.additionalImages && { additional_images: profile.additionalImages }),
    verification_status: profile.verificationStatus,
    enriched_by: (profile.enrichedBy ?? []).map(({ orgName, orgType, verifiedAt }) => ({
      org_name: orgName,
      org_type: orgType,
      verified_at: verifiedAt,
    })),
    provenance: provenanceBySource(profile).map(({ source, verifiedAt, fields }) => ({
      source,
      verified_at: verifiedAt,
      fields,
    })),
    offers,
    url,
    markdown_url: `${url}.md`,
    json_url: `${url}.json`,
    offers_url: `${baseUrl}${offersPath(profile)}`,
    updated_at,
  }
}

/** `next` says what can be done with it, in the words of the face. */
export function profileText(profile: ProductProfile, baseUrl: string, next = ''): string {
  const ending = next === '' ? '' : `\n\n${next}`
  const tail = `\n\n${statusLine(profile)}\n${linksLine(profile, baseUrl)}${ending}`
  const body = fitBlocks(TEXT_ROOM - tail.length, [
    () => titleLine(profile),
    () => verdictLine(profile),
    () => factsLine(profile),
    atMost(1_300, (room) => offersSection(profile, baseUrl, room)),
    atMost(700, (room) => shopsSection(profile, room)),
    atMost(2_000, (room) => fenced(PRODUCERS, [...summaryLines(profile), ...specLines(profile)], room)),
    atMost(1_100, (room) => fenced(REVIEWERS, themeLines(profile), room)),
  ])
  return `${body}${tail}`
}

export const PRODUCERS = 'producers or data feeds'
export const REVIEWERS = 'reviewers, summed up'

export function titleLine({ title }: ProductProfile): string {
  return `# ${inlineText(title, 200)}`
}

export function verdictLine({ verdict }: ProductProfile): string {
  return verdict === null ? '' : `Verdict: ${inlineText(verdict, 400)}`
}

function atMost(share: number, block: (room: number) => string): (room: number) => string {
  return (room) => block(Math.min(share, room))
}

export function factsLine(profile: ProductProfile): string {
  const { listPriceCents, rating, reviewCount, released, brand, model, category } = profile
  const facts = [
    ...(profile.discontinued ? ['**Discontinued**'] : []),
    `Price: ${priceRange(profile) ?? 'unknown'}${listPriceCents === null ? '' : ` (list ${formatUsd(listPriceCents)})`}`,
    rating === null ? 'Rating: unknown' : `Rating: ${rating} of 5`,
    ...(reviewCount === null ? [] : [counted(reviewCount, 'review')]),
    ...(released === null ? [] : [`Released: ${released}`]),
    ...(brand === null ? [] : [`Brand: ${inlineText(brand.name, 80)}`]),
    ...(model === null ? [] : [`Model: ${inlineText(model, 80)}`]),
    `Category: ${inlineText(category.label, 80)}`,
    `Slug: ${category.slug}/${profile.slug}`,
  ]
  return facts.join(' · ')
}

export function summaryLines(
  { description, bestFor, notFor }: ProductProfile,
  { words = 700, list = 300 } = {},
): UntrustedLine[] {
  const listed = (label: string, entries: string[]) =>
    entries.length === 0 ? [] : [{ label, text: entries.join('; '), max: list }]
  return [
    ...(description === null ? [] : [{ label: 'Description', text: description, max: words }]),
    ...listed('Best for', bestFor),
    ...listed('Not for', notFor),
  ]
}

export function specLines({ specs }: ProductProfile): UntrustedLine[] {
  return specs.map(({ name, value }) => ({ label: 'Spec', text: `${name} = ${value}`, max: 200 }))
}

export function themeLines({ themes }: ProductProfile): UntrustedLine[] {
  return themes.map(({ theme, sentiment, share, summary }) => ({
    label: share === null ? sentiment : `${sentiment}, ${Math.round(share * 100)} % of reviews`,
    text: summary === null ? theme : `${theme}: ${summary}`,
    max: 250,
  }))
}

export function fenced(writer: string, lines: UntrustedLine[], room: number): string {
  if (lines.length === 0) return ''
  return fitItems(lines.length, room, (shown) => {
    if (shown === 0) return ''
    const left = lines.length - shown
    const more = left > 0 ? `\n${counted(left, 'more line')} in the data.` : ''
    return `${untrusted(writer, lines.slice(0, shown))}${more}`
  })
}

export function offersSection({ offers = [] }: ProductProfile, baseUrl: string, room: number): string {
  if (offers.length === 0) return ''
  const head = `Promoted offers, lowest price first (sponsored; ${counted(offers.length, 'offer')}):`
  return fitItems(offers.length, room, (shown) => {
    const left = offers.length - shown
    const more = left > 0 ? `${left} ${shown > 0 ? 'more ' : ''}in the data.` : ''
    return [head, offersText(offers.slice(0, shown), baseUrl), more].filter(Boolean).join('\n\n')
  })
}

export function shopsSection({ whereToBuy }: ProductProfile, room: number): string {
  if (whereToBuy.length === 0) return ''
  const lines = whereToBuy.map(({ name, url, priceCents }) => {
    const price = priceCents === null ? 'price unknown' : formatUsd(priceCents)
    return `- ${mdLink(shorten(cleanLine(name), 80), url)}: ${price}`
  })
  return fitItems(lines.length, room, (shown) => {
    const left = lines.length - shown
    return [
      'Where to buy:',
      ...lines.slice(0, shown),
      ...(left > 0 ? [`- ${left} ${shown > 0 ? 'more ' : ''}in the data`] : []),
    ].join('\n')
  })
}

export function statusLine({ verificationStatus, updatedAt }: ProductProfile): string {
  return `Profile: ${verificationStatus.replaceAll('_', ' ')}; last changed ${updatedAt.toISOString()}`
}

export function linksLine(profile: ProductProfile, baseUrl: string): string {
  const url = `${baseUrl}${productPath(profile)}`
  return `Page: ${url} · everything as Markdown: ${url}.md`
}
