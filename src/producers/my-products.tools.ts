/** The tool that shows a producer its own products and how each of them stands. */
import { z } from 'zod'
import { VERIFICATION_STATUSES } from '../catalog/catalog.schema.ts'
import { RELATIONSHIP_TYPES } from '../catalog/relationships.schema.ts'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { limit, nextOffset, offset, page } from '../tools/params.ts'
import { SEVERITIES } from './issue-rule.ts'
import {
  listMyProducts as list,
  MOST_JUDGED,
  type MyProduct,
  type MyProducts,
  type MyProductsContext,
} from './my-products.service.ts'
import { RFQ_READINESS, type RfqReadiness } from './rfq-readiness.ts'

const RELATIONSHIP_STATUSES = ['pending', 'verified'] as const

const Input = z.object({
  relationship_type: z.enum(RELATIONSHIP_TYPES).optional().describe('Only products you sell, or make'),
  verification_status: z.enum(RELATIONSHIP_STATUSES).optional().describe('Of your claim to the product'),
  query: z.string().trim().min(1).max(200).optional().describe('Words in the title, brand or slug'),
  has_issues: z
    .boolean()
    .optional()
    .describe('true: only with open issues of any severity; false: only without'),
  limit,
  offset,
})

const Output = z.object({
  products: z.array(
    z.object({
      product_slug: z.string(),
      title: z.string(),
      relationships: z.array(
        z.object({
          relationship_id: z.string(),
          relationship_type: z.enum(RELATIONSHIP_TYPES),
          status: z.enum(RELATIONSHIP_STATUSES),
        }),
      ),
      profile_status: z.enum(VERIFICATION_STATUSES).describe('Who has contributed to the profile'),
      discontinued: z.boolean(),
      offers: z
        .object({ draft: z.int(), active: z.int(), paused: z.int(), expired: z.int() })
        .describe('Your offers by status now'),
      issues: z.int(),
      worst_severity: z.enum(SEVERITIES).nullable(),
      rfq: z.enum(RFQ_READINESS).describe('Whether you get and answer requests for quote'),
    }),
  ),
  submissions_pending: z.int().describe('Products you proposed, waiting for review'),
  submissions_rejected: z.int().describe('Recently rejected and not proposed again: see get_catalog_issues'),
  ...page,
})

export const listMyProducts = defineTool<MyProductsContext, typeof Input, typeof Output>({
  name: 'list_my_products',
  title: 'List my products',
  description:
    "Lists your organization's products with the state of each claim, profile, offers, open issues and readiness for " +
    'requests for quote. Filter by relationship, claim status, words or has_issues. For problems and how to fix ' +
    'them: get_catalog_issues. To add a product: claim_product or submit_product.',
  audience: 'producers',
  effects: { readOnly: true },
  input: Input,
  output: Output,
  async run(ctx, call, input) {
    const found = await list(ctx, call, {
      relationshipType: input.relationship_type ?? null,
      verificationStatus: input.verification_status ?? null,
      query: input.query ?? null,
      hasIssues: input.has_issues ?? null,
      limit: input.limit,
      offset: input.offset,
    })
    return {
      text: myProductsText(found, input.offset),
      data: {
        products: found.products.map(wire),
        submissions_pending: found.submissionsPending,
        submissions_rejected: found.submissionsRejected,
        total: found.total,
        next_offset: nextOffset(found.total, { offset: input.offset, shown: found.products.length }),
      },
    }
  },
})

function wire({
  facts,
  offersByStatus,
  rfq,
  issues,
  worst,
}: MyProduct): z.input<typeof Output>['products'][number] {
  return {
    product_slug: facts.slug,
    title: facts.title,
    relationships: facts.relationships.map(({ id, type, status }) => ({
      relationship_id: id,
      relationship_type: type,
      status,
    })),
    profile_status: facts.verificationStatus,
    discontinued: facts.discontinued,
    offers: offersByStatus,
    issues,
    worst_severity: worst,
    rfq,
  }
}

const RFQ_WORDS: Record<RfqReadiness, string> = {
  ready: 'RFQs: ready',
  organization_deactivated: 'RFQs: none, the organization is deactivated',
  claim_not_verified: 'RFQs: none until the claim is verified',
  no_way_to_answer: 'RFQs: none, set up managed pricing or an agent',
  no_quote_possible: 'RFQs: managed pricing cannot quote it',
  out_of_stock: 'RFQs: quoted as out of stock, ranked below all that have it',
  agent_unreachable: 'RFQs: sent, but your agent is unreachable',
}

function proposedText({ submissionsPending, submissionsRejected }: MyProducts): string {
  const words = [
    submissionsPending > 0 ? ` Waiting for review: ${counted(submissionsPending, 'proposed product')}.` : '',
    submissionsRejected > 0
      ? ` Rejected: ${counted(submissionsRejected, 'proposed product')}; get_catalog_issues explains why.`
      : '',
  ]
  return words.join('')
}

function myProductsText(found: MyProducts, from: number): string {
  const { products, total, complete } = found
  const proposed = proposedText(found)
  if (products.length === 0)
    return total > 0
      ? `No products from offset ${from} on: there are ${total} in all.`
      : `None of your products match.${proposed}\n\nNext: claim_product for a catalog product, submit_product for a new one.`
  return fitItems(products.length, TEXT_ROOM, (shown) => {
    const last = from + shown
    const more = last < total ? ` More: offset ${last}.` : ''
    const partial = complete ? '' : ` Only the ${MOST_JUDGED} most recently claimed products were checked.`
    return [
      `**Your products** ${from + 1} to ${last} of ${total}.${more}${partial}${proposed}`,
      ...products.slice(0, shown).map(productText),
      'Next: get_catalog_issues with a product_slug shows problems and fixes.',
    ].join('\n\n')
  })
}

function productText({ facts, offersByStatus, rfq, issues, worst }: MyProduct): string {
  const claims = facts.relationships.map(({ type, status }) => `${type} (${status})`).join(', ')
  const offers = Object.entries(offersByStatus).flatMap(([status, count]) =>
    count > 0 ? [`${count} ${status}`] : [],
  )
  return [
    `**${inlineText(facts.title, 100)}** · ${facts.slug}${facts.discontinued ? ' · **discontinued**' : ''}`,
    `- ${claims} · profile ${facts.verificationStatus} · offers: ${offers.join(', ') || 'none'}`,
    `- ${RFQ_WORDS[rfq]} · ${worst === null ? 'no issues' : `${counted(issues, 'issue')}, worst: ${worst}`}`,
  ].join('\n')
}
