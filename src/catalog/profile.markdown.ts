/** The Markdown form of a profile. Pure. */

import { mdLink, mdParagraphs, mdTable, mdText, mdUrl } from '../lib/markdown.ts'
import { formatUsd } from '../lib/money.ts'
import { counted, formatCount } from '../lib/words.ts'
import { shownOrg } from '../orgs/shown-org.ts'
import type { CategoryWithProducts } from './catalog.service.ts'
import { priceWords } from './profile.buying.ts'
import {
  type Contributor,
  categoryPath,
  contributorWords,
  offersPath,
  originalPriceWords,
  type ProductProfile,
  pictureAlt,
  picturePath,
  priceRange,
  productPath,
  provenanceBySource,
  shownImages,
  sourceWords,
} from './profile.ts'

import { availabilityWords, variantsOf } from './profile.variants.ts'
import {
  offerLink,
  offerTypeWords,
  offerVariantWords,
  type PromotedOffer,
  SHOWN_OFFERS,
} from './promoted-offer.ts'

type Section = { heading: string; body: string }

export const DEMO_NOTICE =
  'Fictional demo data: the brands, products, prices, reviews and shops here are invented.'

type MarkdownSite = { baseUrl: string; demo: boolean }

export function renderProductMarkdown(profile: ProductProfile, site: MarkdownSite): string {
  return document([...profileBlocks(profile, site.baseUrl, 1), ...(site.demo ? [`> ${DEMO_NOTICE}`] : [])])
}

export function renderCategoryMarkdown(
  { category, products }: CategoryWithProducts,
  site: MarkdownSite,
): string {
  const table = mdTable(
    ['Product', 'Price', 'Reviews'],
    products.map((product) => [
      `${mdLink(product.title, `${site.baseUrl}${productPath(product)}`)}${product.discontinued ? ' (discontinued)' : ''}`,
      mdText(priceRange(product) ?? 'See sellers'),
      product.reviewCount === null ? '–' : formatCount(product.reviewCount),
    ]),
  )
  return document([
    `# ${mdText(category.label)}`,
    ...(site.demo ? [`> ${DEMO_NOTICE}`] : []),
    mdParagraphs(category.description),
    `${counted(products.length, 'product')}, most reviewed first${products.some(({ discontinued }) => discontinued) ? ', discontinued ones last' : ''}.`,
    ...(products.length > 0 ? [table] : []),
    ...products.flatMap((product) => profileBlocks(product, site.baseUrl, 3)),
    `HTML: ${site.baseUrl}${categoryPath(category)}`,
  ])
}

function document(blocks: string[]): string {
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

/** Title, verdict, facts, summary, then the sections, one heading level below the title. */
function profileBlocks(profile: ProductProfile, baseUrl: string, level: number): string[] {
  const heading = '#'.repeat(level + 1)
  return [
    `${'#'.repeat(level)} ${mdText(profile.title)}`,
    ...(profile.verdict ? [`**Verdict:** ${mdText(profile.verdict)}`] : []),
    factsLine(profile),
    mdParagraphs(profile.description ?? ''),
    audience(profile),
    ...sections(profile, baseUrl).flatMap((section) => [`${heading} ${section.heading}`, section.body]),
    links(profile, baseUrl),
  ]
}

function factsLine(profile: ProductProfile): string {
  const stated = originalPriceWords(profile)
  const facts = [
    `Price: ${priceWords(profile) ?? 'see sellers'}`,
    stated === null ? null : `Price as stated: ${mdText(stated)}`,
    profile.rating === null ? null : `Rating: ${profile.rating} of 5`,
    profile.reviewCount === null ? null : `Reviews: ${formatCount(profile.reviewCount)}`,
    profile.released === null ? null : `Released: ${profile.released}`,
    profile.brand === null ? null : `Brand: ${mdText(profile.brand.name)}`,
    profile.model === null ? null : `Model: ${mdText(profile.model)}`,
    `Category: ${mdText(profile.category.label)}`,
    profile.discontinued ? '**Discontinued**' : null,
  ]
  return facts.filter((fact) => fact !== null).join(' · ')
}

function audience({ bestFor, notFor }: ProductProfile): string {
  const line = (title: string, entries: string[]) =>
    entries.length === 0 ? [] : [`- **${title}:** ${entries.map(mdText).join('; ')}`]
  return [...line('Best for', bestFor), ...line('Not for', notFor)].join('\n')
}

function sections(profile: ProductProfile, baseUrl: string): Section[] {
  const all: Section[] = [
    { heading: 'Review themes', body: profile.themes.map(themeLine).join('\n') },
    {
      heading: 'Specs',
      body:
        profile.specs.length === 0
          ? ''
          : mdTable(
              ['Spec', 'Value'],
              profile.specs.map(({ name, value }) => [mdText(name), mdText(value)]),
            ),
    },
    { heading: 'Variants', body: variantTable(profile, baseUrl) },
    { heading: 'Images', body: images(profile, baseUrl) },
    { heading: 'Offers', body: offersBody(profile, baseUrl) },
    { heading: 'Where to buy', body: profile.whereToBuy.map(shopLine).join('\n') },
    { heading: 'Provenance', body: provenance(profile) },
  ]
  return all.filter((section) => section.body !== '')
}

/** A table of more rows is read by nobody; the JSON-LD has all. */
const MOST_VARIANTS = 100

function variantTable(profile: ProductProfile, baseUrl: string): string {
  const { variants } = variantsOf(profile, baseUrl)
  if (variants.length === 0) return ''
  const more = variants.length - MOST_VARIANTS
  const cell = (text: string | null) => (text === null ? '–' : mdText(text))
  const table = mdTable(
    ['Variant', 'Price', 'Availability', 'SKU', 'GTIN'],
    variants
      .slice(0, MOST_VARIANTS)
      .map(({ name, path, priceCents, availability, sku, gtin }) => [
        mdLink(name, `${baseUrl}${path}`),
        priceCents === null ? 'see sellers' : formatUsd(priceCents),
        availabilityWords(availability),
        cell(sku),
        cell(gtin),
      ]),
  )
  return [
    table,
    ...(more > 0 ? ['', `${counted(more, 'more variant')}: ${baseUrl}${productPath(profile)}.json`] : []),
  ].join('\n')
}

function themeLine({ theme, sentiment, share, summary }: ProductProfile['themes'][number]): string {
  const weight = share === null ? sentiment : `${sentiment}, ${Math.round(share * 100)} % of reviews`
  return `- **${mdText(theme)}** (${weight})${summary === null ? '' : `: ${mdText(summary)}`}`
}

function images(profile: ProductProfile, baseUrl: string): string {
  const line = (alt: string, url: string) => `- ![${mdText(alt)}](${mdUrl(url)})`
  const shown = shownImages(profile, baseUrl)
  const own = shown.own.map(({ url, alt }) => line(alt ?? profile.title, url))
  const added = shown.added.map(({ url, alt }) => `${line(alt ?? profile.title, url)} from the producer`)
  const drawing = line(pictureAlt(profile), `${baseUrl}${picturePath(profile)}`)
  return [...(own.length > 0 ? own : [drawing]), ...added].join('\n')
}

function offersBody(profile: ProductProfile, baseUrl: string): string {
  const { offers = [] } = profile
  if (offers.length === 0) return ''
  const more = offers.length - SHOWN_OFFERS
  return [
    'Sponsored. Written by the sellers and not checked by us. Offers do not affect ranking.',
    '',
    ...offers.slice(0, SHOWN_OFFERS).map((offer) => offerLine(offer, baseUrl)),
    ...(more > 0 ? [`- ${more} more: ${baseUrl}${offersPath(profile)}`] : []),
  ].join('\n')
}

function offerLine(offer: PromotedOffer, baseUrl: string): string {
  const { headline, detail, priceCents, listPriceCents, promoCode, offerTypes, expiresAt, seller } = offer
  const facts = [
    offer.variant ? `for ${mdText(offerVariantWords(offer.variant))}` : null,
    priceCents === null ? null : formatUsd(priceCents),
    listPriceCents === null ? null : `list ${formatUsd(listPriceCents)}`,
    offerTypes.length === 0 ? null : offerTypes.map((type) => mdText(offerTypeWords(type))).join(', '),
    promoCode === null ? null : `code: ${mdText(promoCode)}`,
    expiresAt === null ? null : `until ${expiresAt.toISOString()}`,
    `from ${mdText(shownOrg(seller))} (${seller.orgType})`,
  ]
  const said = detail === null ? '' : `: ${mdText(detail)}`
  const line = facts.filter((fact) => fact !== null).join(' · ')
  return `- ${mdLink(headline, offerLink(offer, baseUrl))}${said} · ${line}`
}

function shopLine({ name, url, priceCents }: ProductProfile['whereToBuy'][number]): string {
  return `- ${mdLink(name, url)}${priceCents === null ? '' : `: ${formatUsd(priceCents)}`}`
}

function provenance(profile: ProductProfile): string {
  const lines = provenanceBySource(profile).map(({ source, verifiedAt, fields }) => {
    const verified = verifiedAt === null ? '' : ` (verified ${verifiedAt.slice(0, 10)})`
    return `- ${mdText(sourceWords(profile, source, verifiedAt !== null))}${verified}: ${fields.map(mdText).join(', ')}`
  })
  return [
    `- Status: ${mdText(profile.verificationStatus)}`,
    `- Last changed: ${profile.updatedAt.toISOString()}`,
    ...(profile.enrichedBy ?? []).map(contributorLine),
    ...lines,
  ].join('\n')
}

function contributorLine(contributor: Contributor): string {
  const { orgType, verifiedAt } = contributor
  const since = verifiedAt === null ? '' : `, since ${verifiedAt.slice(0, 10)}`
  return `- Enriched by: ${mdText(contributorWords(contributor))} (${orgType}${since})`
}

function links(profile: ProductProfile, baseUrl: string): string {
  const path = `${baseUrl}${productPath(profile)}`
  return `Other forms: [HTML](${path}) · [Markdown](${path}.md) · [JSON-LD](${path}.json)`
}
