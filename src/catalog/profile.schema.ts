/**
 * The JSON forms of a product as zod: the Schema.org form (interface 2.5) and its promoted offers. The renderers' types
 * come from here, and so does what is published about them. A field that is optional is left out where it has nothing to
 * say: no nulls and no empty lists in the Schema.org form.
 */
import { z } from 'zod'
import { ORG_TYPES } from '../orgs/orgs.schema.ts'
import { VERIFICATION_STATUSES } from './catalog.schema.ts'

const orgType = z.enum(ORG_TYPES).describe('What kind of organization it is')
const dateTime = (description: string) => z.iso.datetime().describe(description)

const AggregateOffer = z.object({
  '@type': z.literal('AggregateOffer').describe('Schema.org type'),
  priceCurrency: z.literal('USD').describe('All prices are in US dollars'),
  priceRange: z.string().describe('As people write it; "See sellers" when no price is known'),
  url: z.string().describe('The product page, which lists the sellers'),
  lowPrice: z.number().optional().describe('The lowest price it is sold at'),
  highPrice: z.number().optional().describe('The highest price it is sold at'),
  offerCount: z.number().int().min(1).optional().describe('How many shops sell it'),
  availability: z
    .literal('https://schema.org/Discontinued')
    .optional()
    .describe('Present when it is no longer made'),
})

export const ProductJsonLd = z
  .object({
    '@context': z.literal('https://schema.org').describe('The vocabulary'),
    '@type': z.literal('Product').describe('Schema.org type'),
    name: z.string().describe('Title of the product'),
    model: z.string().optional().describe('Model name or number, when known'),
    category: z.string().describe('Label of its category'),
    url: z.string().describe('Its page'),
    brand: z
      .object({
        '@type': z.literal('Brand').describe('Schema.org type'),
        name: z.string().describe('Name of the brand'),
      })
      .optional()
      .describe('When known'),
    image: z.string().optional().describe('A picture of its own, when there is one'),
    additionalImages: z.array(z.string()).optional().describe("Producers' pictures that were approved"),
    description: z.string().optional().describe('What it is'),
    gtin: z.string().optional().describe('The number under the bar code'),
    mpn: z.string().optional().describe("The manufacturer's own number"),
    sku: z.string().optional().describe("A seller's number"),
    releaseDate: z.string().optional().describe('When it came out: a year, a month or a day'),
    additionalProperty: z
      .array(
        z.object({
          '@type': z.literal('PropertyValue').describe('Schema.org type'),
          name: z.string().describe('What is stated'),
          value: z.string().describe('The statement, with its unit'),
        }),
      )
      .optional()
      .describe('Specifications'),
    aggregateRating: z
      .object({
        '@type': z.literal('AggregateRating').describe('Schema.org type'),
        ratingValue: z.number().describe('Average'),
        reviewCount: z.number().int().min(1).describe('How many reviews it is the average of'),
        bestRating: z.literal(5).describe('The highest rating there is'),
      })
      .optional()
      .describe('What reviewers rate it'),
    verificationStatus: z
      .enum(VERIFICATION_STATUSES)
      .describe(
        'Who has confirmed what stands here: nobody, a seller in part, the manufacturer in part, or in whole',
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
      .describe('Verified organizations whose facts were taken over'),
    offers: AggregateOffer.describe('What it costs'),
    dateModified: dateTime('The last change of anything that stands here'),
    offersEndpoint: z
      .string()
      .optional()
      .describe('Its promoted offers, `/offers/{slug}.json`; present while there are any'),
  })
  .meta({ id: 'Product', description: 'A product in the vocabulary of Schema.org' })
export type ProductJsonLd = z.output<typeof ProductJsonLd>

const dollars = (description: string) => z.number().nullable().describe(`${description}, in US dollars`)

const PublicOffer = z
  .object({
    id: z.string().describe('Id of the offer'),
    headline: z.string().describe('What is offered, in one line'),
    detail: z.string().nullable().describe('More about it'),
    url: z.string().describe("Leads to the seller's own page of it"),
    price_usd: dollars('What it costs now'),
    list_price_usd: dollars('What it cost before'),
    promo_code: z.string().nullable().describe('What to type at the checkout'),
    offer_types: z.array(z.string()).describe('What kind of saving it is'),
    starts_at: z.iso.datetime().nullable().describe('Since when; null for since it was made'),
    expires_at: z.iso.datetime().nullable().describe('Until when; null for no end'),
    seller: z
      .object({
        name: z.string().describe('Name of the organization'),
        org_type: orgType,
        verified: z.boolean().describe('Whether it has proved its domain'),
        domain: z.string().nullable().describe('The domain it has proved; null for none'),
      })
      .describe('Who offers it'),
  })
  .meta({ id: 'PublicOffer', description: 'A promoted offer that is live at this moment' })

export const ProductOffers = z
  .object({
    product: z
      .object({
        slug: z.string().describe('Unique over the whole catalog'),
        category: z.string().describe('Slug of its category'),
        title: z.string().describe('Title of the product'),
        url: z.string().describe('Its page'),
      })
      .describe('What is offered'),
    offers: z.array(PublicOffer).describe('Lowest price first; empty when nobody promotes one'),
    updated_at: dateTime('The last change of anything that stands here'),
  })
  .meta({ id: 'ProductOffers', description: "A product's promoted offers" })
export type ProductOffers = z.output<typeof ProductOffers>
