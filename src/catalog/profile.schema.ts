/**
 * The JSON forms of a product as zod: the Schema.org form (interface 2.5) and its promoted offers. The renderers' types
 * come from here, and so does what is published about them. A field that is optional is left out where it has nothing to
 * say: no nulls and no empty lists in the Schema.org form.
 */
import { z } from 'zod'
import { ORG_TYPES } from '../orgs/orgs.schema.ts'
import { Demo } from '../orgs/shown-org.ts'
import { VERIFICATION_STATUSES } from './catalog.schema.ts'

const orgType = z.enum(ORG_TYPES).describe('Type of organization')
const dateTime = (description: string) => z.iso.datetime().describe(description)

const AggregateOffer = z.object({
  '@type': z.literal('AggregateOffer').describe('Schema.org type'),
  priceCurrency: z.literal('USD').describe('All prices are in US dollars'),
  priceRange: z.string().describe('As shown to people; "See sellers" when no price is known'),
  url: z.string().describe('The product page, which lists the sellers'),
  lowPrice: z.number().optional().describe('The lowest price'),
  highPrice: z.number().optional().describe('The highest price'),
  offerCount: z.number().int().min(1).optional().describe('How many shops sell it'),
  availability: z
    .literal('https://schema.org/Discontinued')
    .optional()
    .describe('Present when it is discontinued'),
})

const properties = z.array(
  z.object({
    '@type': z.literal('PropertyValue').describe('Schema.org type'),
    name: z.string().describe('Name of the fact'),
    value: z.string().describe('Its value, with the unit'),
  }),
)

/** The words of schema.org for what a variant's availability is. */
export const STOCK_TERMS = {
  in_stock: 'https://schema.org/InStock',
  out_of_stock: 'https://schema.org/OutOfStock',
  preorder: 'https://schema.org/PreOrder',
  backorder: 'https://schema.org/BackOrder',
} as const

const VariantJsonLd = z.object({
  '@type': z.literal('Product').describe('Schema.org type'),
  name: z.string().describe('Title of the product and the options'),
  productID: z.string().describe('Id of the variant within the product'),
  url: z.string().describe('Product page with this variant selected'),
  sku: z.string().optional().describe("Seller's stock number"),
  gtin: z.string().optional().describe('The number below the barcode'),
  image: z.string().optional().describe('Its own image, if it has one'),
  color: z.string().optional().describe('When it varies by color'),
  size: z.string().optional().describe('When it varies by size'),
  additionalProperty: properties.optional().describe('What else it varies by'),
  offers: z
    .object({
      '@type': z.literal('Offer').describe('Schema.org type'),
      priceCurrency: z.literal('USD').describe('All prices are in US dollars'),
      price: z.number().optional().describe('When known'),
      availability: z.enum(Object.values(STOCK_TERMS)).optional().describe('When known'),
      url: z.string().describe('Product page with this variant selected'),
    })
    .describe('What it costs'),
})

export const ProductJsonLd = z
  .object({
    '@context': z.literal('https://schema.org').describe('The vocabulary'),
    '@type': z.literal('Product').describe('Schema.org type'),
    name: z.string().describe('Title of the product'),
    model: z.string().optional().describe('Model name or number, when known'),
    category: z.string().describe('Category label'),
    url: z.string().describe('Product page'),
    brand: z
      .object({
        '@type': z.literal('Brand').describe('Schema.org type'),
        name: z.string().describe('Name of the brand'),
      })
      .optional()
      .describe('When known'),
    image: z.string().optional().describe('Product image, if there is one'),
    additionalImages: z.array(z.string()).optional().describe('Approved images from producers'),
    description: z.string().optional().describe('What it is'),
    gtin: z.string().optional().describe('The number below the barcode'),
    mpn: z.string().optional().describe('Manufacturer part number'),
    sku: z.string().optional().describe("Seller's stock number"),
    releaseDate: z.string().optional().describe('Release date: a year, a month or a day'),
    additionalProperty: properties.optional().describe('Specifications'),
    isVariantOf: z
      .object({
        '@type': z.literal('ProductGroup').describe('Schema.org type'),
        name: z.string().describe('Title of the product'),
        productGroupID: z.string().describe('Slug of the product'),
        variesBy: z.array(z.string()).optional().describe('What its variants differ in'),
        hasVariant: z.array(VariantJsonLd).describe('Sizes, colors and the like'),
      })
      .optional()
      .describe('Its variants, if it has any'),
    aggregateRating: z
      .object({
        '@type': z.literal('AggregateRating').describe('Schema.org type'),
        ratingValue: z.number().describe('Average'),
        reviewCount: z.number().int().min(1).describe('Number of reviews'),
        bestRating: z.literal(5).describe('The highest possible rating'),
      })
      .optional()
      .describe('Average rating'),
    verificationStatus: z
      .enum(VERIFICATION_STATUSES)
      .describe(
        'Who has contributed: nobody, a seller, the manufacturer, or the manufacturer confirmed it all',
      ),
    enrichmentEndpoint: z
      .string()
      .optional()
      .describe('Where a producer proposes better facts; absent once the manufacturer has confirmed all'),
    enrichedBy: z
      .array(
        z.object({
          orgName: z.string().describe('Name of the organization'),
          orgType,
          verifiedAt: z.string().nullable().describe('When the organization was verified'),
        }),
      )
      .optional()
      .describe('Verified organizations whose facts are included'),
    offers: AggregateOffer.describe('What it costs'),
    dateModified: dateTime('Last change to any of these fields'),
    offersEndpoint: z
      .string()
      .optional()
      .describe('Its promoted offers, `/offers/{slug}.json`; present while there are any'),
  })
  .meta({ id: 'Product', description: 'A product as Schema.org JSON-LD' })
export type ProductJsonLd = z.output<typeof ProductJsonLd>

const dollars = (description: string) => z.number().nullable().describe(`${description}, in US dollars`)

const PublicOffer = z
  .object({
    id: z.string().describe('Id of the offer'),
    headline: z.string().describe('What is offered, in one line'),
    detail: z.string().nullable().describe('More about it'),
    url: z.string().describe("Link to the seller's page"),
    price_usd: dollars('Offer price'),
    list_price_usd: dollars('Regular price'),
    promo_code: z.string().nullable().describe('Code to enter at checkout'),
    variant: z.string().optional().describe('The variant it is for; absent for all'),
    variant_listed: z.literal(false).optional().describe('False: the catalog no longer lists that variant'),
    offer_types: z.array(z.string()).describe('Type of discount'),
    starts_at: z.iso.datetime().nullable().describe('Start; null if it started when created'),
    expires_at: z.iso.datetime().nullable().describe('End; null if it has none'),
    seller: z
      .object({
        name: z.string().describe('Name of the organization'),
        org_type: orgType,
        verified: z.boolean().describe('Whether its domain is verified'),
        domain: z.string().nullable().describe('Its verified domain; null if none'),
        demo: Demo,
      })
      .describe('Who offers it'),
  })
  .meta({ id: 'PublicOffer', description: 'A live promoted offer' })

export const ProductOffers = z
  .object({
    product: z
      .object({
        slug: z.string().describe('Unique in the catalog'),
        category: z.string().describe('Category slug'),
        title: z.string().describe('Title of the product'),
        url: z.string().describe('Product page'),
      })
      .describe('What is offered'),
    offers: z.array(PublicOffer).describe('Lowest price first; empty when there are none'),
    updated_at: dateTime('Last change to any of these fields'),
  })
  .meta({ id: 'ProductOffers', description: "A product's promoted offers" })
export type ProductOffers = z.output<typeof ProductOffers>
