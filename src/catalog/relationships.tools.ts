/** The tool by which a producer says that it sells or makes a product of the catalog. */
import { z } from 'zod'
import { inlineText } from '../lib/untrusted.ts'
import { defineTool } from '../tools/define-tool.ts'
import { webLink } from './bounded-input.ts'
import { type Claim, claimProduct as claim, claimSteps } from './claim.service.ts'
import { canonicalSlug } from './profile.ts'
import { ClaimedGtin, ClaimedMpn, ProductSlugInput, RELATIONSHIP_TYPES } from './relationships.schema.ts'
import type { RelationshipsContext } from './relationships.service.ts'

const Input = z.object({
  product_slug: ProductSlugInput.describe('<category>/<slug>, or the slug alone'),
  relationship_type: z.enum(RELATIONSHIP_TYPES).describe('sells: you offer it. manufactured_by: you make it'),
  evidence_url: webLink()
    .optional()
    .describe('A page an operator can check, such as the product in your shop'),
  gtin: ClaimedGtin.optional().describe(
    'Number below the barcode; rejected if the product has a different one',
  ),
  mpn: ClaimedMpn.optional().describe(
    'Manufacturer part number; rejected if the product has a different one',
  ),
})

const Output = z.object({
  relationship_id: z.string(),
  product_slug: z.string(),
  relationship_type: z.enum(RELATIONSHIP_TYPES),
  status: z.enum(['pending', 'verified']),
  verified_via: z.enum(['brand_domain', 'shop_link', 'operator']).nullable(),
  created: z.boolean().describe('False if it was already claimed'),
  next_steps: z.array(z.string()),
})

export const claimProduct = defineTool<
  RelationshipsContext & { shown(): Promise<void> },
  typeof Input,
  typeof Output
>({
  name: 'claim_product',
  title: 'Claim a product',
  description:
    'Claims that your organization sells or makes a catalog product; needed before create_offer, ' +
    'set_pricing_rules or submit_enrichment for it. Verified immediately if your verified domain is the brand’s or a ' +
    'where-to-buy link’s; otherwise an operator decides. Claiming again is safe and can add evidence_url. Not in the catalog: submit_product.',
  audience: 'producers',
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Input,
  output: Output,
  async run(ctx, call, { evidence_url = null, gtin = null, mpn = null, ...input }) {
    const claimed = await claim(ctx, call, { ...input, evidence_url, gtin, mpn })
    await ctx.shown()
    const steps = claimSteps(claimed)
    return {
      text: claimText(claimed, steps),
      data: {
        relationship_id: claimed.relationshipId,
        product_slug: canonicalSlug(claimed.product),
        relationship_type: claimed.type,
        status: claimed.status,
        verified_via: claimed.verifiedVia,
        created: claimed.created,
        next_steps: steps,
      },
    }
  },
})

function claimText({ product, type, status, relationshipId, created }: Claim, steps: string[]): string {
  const what = type === 'sells' ? 'you sell it' : 'you make it'
  return [
    `**${inlineText(product.title, 200)}** · ${canonicalSlug(product)}`,
    `Claim that ${what}: **${status}**${created ? '' : ' (already claimed)'} · relationship ${relationshipId}`,
    ...steps.map((step) => `- ${step}`),
  ].join('\n')
}
