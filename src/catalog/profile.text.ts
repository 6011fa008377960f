import { wireOf } from '../lib/entity.ts'
/**
 * A profile for a model: compact as text, whole as data. What producers state and reviewers say stands in fences; the
 * verdict and the figures are ours. Each section keeps to a share of the text, so that a long one does not push the
 * others out, and says what it leaves out. Who names sections wants those and no others, so they share the whole text;
 * one that is empty says so, because silence would read as "not asked".
 */
import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { mdLink } from '../lib/markdown.ts'
import { dollarsOf, formatUsd } from '../lib/money.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { standingOf } from '../orgs/shown-org.ts'
import { toImportRecord } from './export.service.ts'
import { priceNow, priceWords } from './profile.buying.ts'
import { renderOffersJson } from './profile.json.ts'
import {
  contributorWords,
  offersPath,
  originalPriceWords,
  type ProductProfile,
  priceRange,
  productPath,
  provenanceBySource,
  shownImages,
  sourceWords,
} from './profile.ts'
import { availabilityWords, variantsOf } from './profile.variants.ts'
import { offersText } from './promoted-offer.ts'

export function profileData(profile: ProductProfile, baseUrl: string): Record<string, unknown> {
  const url = `${baseUrl}${productPath(profile)}`
  const stated = originalPriceWords(profile)
  const { own, added } = shownImages(profile, baseUrl)
  const { offers, updated_at } = renderOffersJson({ ...profile, category: profile.category.slug }, baseUrl)
  return {
    product_slug: `${profile.category.slug}/${profile.slug}`,
    ...toImportRecord(profile),
    images: own,
    ...(profile.variants.length > 0 && { variants: variantData(profile, baseUrl) }),
    category_label: profile.category.label,
    price_range: priceRange(profile),
    price_now_usd: dollarsOf(priceNow(profile)?.cents ?? null),
    ...(stated !== null && { price_as_stated: stated }),
    is_sponsored: offers.length > 0,
    ...(added.length > 0 && { additional_images: added }),
    verification_status: profile.verificationStatus,
    enriched_by: (profile.enrichedBy ?? []).map((one) => wireOf(one, ['orgName', 'orgType', 'verifiedAt'])),
    provenance: provenanceBySource(profile).map((one) => wireOf(one, ['source', 'verifiedAt', 'fields'])),
    offers,
    url,
    markdown_url: `${url}.md`,
    json_url: `${url}.json`,
    offers_url: `${baseUrl}${offersPath(profile)}`,
    updated_at,
  }
}

/** Several at once, each in its share of the text: what tells them apart first. */
export function profilesText(profiles: readonly ProductProfile[], baseUrl: string, next: string): string {
  const share = Math.floor((TEXT_ROOM - next.length) / profiles.length) - 4
  const items = profiles.map((profile) =>
    fitBlocks(share, [
      () => titleLine(profile),
      () => factsLine(profile),
      () => (profile.verdict === null ? '' : `Verdict: ${inlineText(profile.verdict, 160)}`),
      () => `${baseUrl}${productPath(profile)}`,
      (room) =>
        fenced(PRODUCERS, [...specLines(profile), ...summaryLines(profile, { words: 200, list: 120 })], room),
    ]),
  )
  return [...items, next].join('\n\n')
}

/** `next` says what can be done with it, in the words of the face. */
export function profileText(profile: ProductProfile, baseUrl: string, next = ''): string {
  const ending = next === '' ? '' : `\n\n${next}`
  const tail = `\n\n${statusLine(profile)}\n${linksLine(profile, baseUrl)}${ending}`
  const body = fitBlocks(TEXT_ROOM - tail.length, [
    () => titleLine(profile),
    () => verdictLine(profile),
    () => factsLine(profile),
    atMost(900, (room) => variantsSection(profile, baseUrl, room)),
    atMost(1_300, (room) => offersSection(profile, baseUrl, room)),
    atMost(700, (room) => shopsSection(profile, room)),
    atMost(2_000, (room) => fenced(PRODUCERS, [...summaryLines(profile), ...specLines(profile)], room)),
    atMost(1_100, (room) => fenced(REVIEWERS, themeLines(profile), room)),
  ])
  return `${body}${tail}`
}

export const PRODUCERS = 'producers or data feeds'
const REVIEWERS = 'reviewers, summarized'

function titleLine({ title }: ProductProfile): string {
  return `# ${inlineText(title, 200)}`
}

function verdictLine({ verdict }: ProductProfile): string {
  return verdict === null ? '' : `Verdict: ${inlineText(verdict, 400)}`
}

function atMost(share: number, block: (room: number) => string): (room: number) => string {
  return (room) => block(Math.min(share, room))
}

export function factsLine(profile: ProductProfile): string {
  const { rating, reviewCount, released, brand, model, category } = profile
  const facts = [
    ...(profile.discontinued ? ['**Discontinued**'] : []),
    `Price: ${priceWords(profile) ?? 'unknown'}`,
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

function summaryLines(
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

function themeLines({ themes }: ProductProfile): UntrustedLine[] {
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

/** What can be chosen and the span of prices, then as many variants as there is room for. */
function variantsSection(profile: ProductProfile, baseUrl: string, room: number): string {
  const { axes, variants } = variantsOf(profile, baseUrl)
  if (variants.length === 0) return ''
  const choices = axes.map(({ name, values }) => ({
    label: 'Choice',
    text: `${name}: ${values.join(', ')}`,
    max: 300,
  }))
  const lines = variants.map(({ name, sku, priceCents, availability }) => {
    const price = priceCents === null ? 'price unknown' : formatUsd(priceCents)
    const facts = [price, availabilityWords(availability).toLowerCase(), ...(sku === null ? [] : [sku])]
    return { label: 'Variant', text: `${name} · ${facts.join(' · ')}`, max: 200 }
  })
  const head = `${counted(variants.length, 'variant')}, ${priceRange(profile) ?? 'price unknown'}:`
  const body = fenced(PRODUCERS, [...choices, ...lines], room - head.length - 1)
  return body === '' ? '' : `${head}\n${body}`
}

/** As data of a tool. */
export function variantData(profile: ProductProfile, baseUrl: string) {
  return variantsOf(profile, baseUrl).variants.map(
    ({ id, name, options, sku, gtin, availability, image, ...prices }) => ({
      id,
      name,
      options,
      sku,
      gtin,
      price_usd: dollarsOf(prices.priceCents),
      list_price_usd: dollarsOf(prices.listPriceCents),
      availability,
      image,
    }),
  )
}

function offersSection({ offers = [] }: ProductProfile, baseUrl: string, room: number): string {
  if (offers.length === 0) return ''
  const head = `Promoted offers, lowest price first (sponsored; ${counted(offers.length, 'offer')}):`
  return fitItems(offers.length, room, (shown) => {
    const left = offers.length - shown
    const more = left > 0 ? `${left} ${shown > 0 ? 'more ' : ''}in the data.` : ''
    return [head, offersText(offers.slice(0, shown), baseUrl), more].filter(Boolean).join('\n\n')
  })
}

function shopsSection({ whereToBuy }: ProductProfile, room: number): string {
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

function linksLine(profile: ProductProfile, baseUrl: string): string {
  const url = `${baseUrl}${productPath(profile)}`
  return `Page: ${url} · everything as Markdown: ${url}.md`
}

export const PROFILE_SECTIONS = [
  'summary',
  'verdict',
  'specs',
  'variants',
  'themes',
  'images',
  'where_to_buy',
  'offers',
  'provenance',
] as const
export type ProfileSection = (typeof PROFILE_SECTIONS)[number]

type Section = (profile: ProductProfile, room: number, baseUrl: string) => string

const SECTIONS: Record<ProfileSection, Section> = {
  summary: (profile, room) =>
    stated('summary', summaryLines(profile, { words: room - 500, list: 800 }), room, PRODUCERS),
  verdict: (profile) => verdictLine(profile) || 'No verdict yet.',
  specs: (profile, room) => stated('specs', specLines(profile), room, PRODUCERS),
  variants: (profile, room, baseUrl) => variantsSection(profile, baseUrl, room) || 'Variants: none known.',
  themes: (profile, room) => stated('review themes', themeLines(profile), room, REVIEWERS),
  images: (profile, room, baseUrl) => stated('images', imageLines(profile, baseUrl), room, PRODUCERS),
  where_to_buy: (profile, room) => shopsSection(profile, room) || 'Where to buy: no shop known.',
  offers: (profile, room, baseUrl) =>
    offersSection(profile, baseUrl, room) || 'Promoted offers: none right now.',
  provenance: provenanceSection,
}

/** In the order of the page, whatever the order they were named in. */
export function sectionsText(
  profile: ProductProfile,
  sections: ReadonlySet<ProfileSection>,
  { baseUrl, next }: { baseUrl: string; next: string },
): string {
  const asked = PROFILE_SECTIONS.filter((section) => sections.has(section))
  const tail = `\n\n${linksLine(profile, baseUrl)}\n\n${next}`
  const body = fitBlocks(TEXT_ROOM - tail.length, [
    () => titleLine(profile),
    () => factsLine(profile),
    ...asked.map(
      (section, at) => (room: number) =>
        SECTIONS[section](profile, Math.floor(room / (asked.length - at)), baseUrl),
    ),
  ])
  return `${body}${tail}`
}

function stated(what: string, lines: UntrustedLine[], room: number, writer: string): string {
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  if (lines.length === 0) return `${name}: none known.`
  return fenced(writer, lines, room) || `${name}: ${counted(lines.length, 'line')}, all in the data.`
}

/** Those of the feed, then those that a producer added. */
export function imagesOf(profile: ProductProfile, baseUrl: string): ProductProfile['images'] {
  const { own, added } = shownImages(profile, baseUrl)
  return [...own, ...added]
}

const LONGEST_IMAGE = 2_400

function imageLines(profile: ProductProfile, baseUrl: string): UntrustedLine[] {
  return imagesOf(profile, baseUrl).map(({ url, alt }) => ({
    label: 'Image',
    text: alt === null ? url : `${url} (${alt})`,
    max: LONGEST_IMAGE,
  }))
}

function provenanceSection(profile: ProductProfile, room: number): string {
  const sources = provenanceBySource(profile)
  const lines = sources.map(({ source, verifiedAt, fields }, at) => {
    const checked = verifiedAt === null ? 'not verified' : `verified ${inlineText(verifiedAt, 40)}`
    const said = fields.map((field) => inlineText(field, 40)).join(', ')
    return {
      fact: `- Source ${at + 1} (${checked}): ${said}`,
      name: { label: `Source ${at + 1}`, text: sourceWords(profile, source, verifiedAt !== null) },
    }
  })
  const helped = (profile.enrichedBy ?? []).map((contributor, at) => ({
    fact: `- Enriched by organization ${at + 1} (${contributor.orgType}): ${inlineText(standingOf({ verified: contributor.verifiedAt !== null, domain: contributor.domain }))}`,
    name: { label: `Organization ${at + 1}`, text: contributorWords(contributor) },
  }))
  const all = [...lines, ...helped]
  return fitItems(all.length, room, (shown) => {
    const left = all.length - shown
    const more = left > 0 ? [`${counted(left, 'more line')} in the data.`] : []
    const facts = all.slice(0, shown)
    return [
      `${statusLine(profile)}. Sources:`,
      ...facts.map(({ fact }) => fact),
      ...more,
      ...(facts.length === 0
        ? []
        : [
            '',
            untrusted(
              'the sources',
              facts.map(({ name }) => name),
            ),
          ]),
    ].join('\n')
  })
}
