/**
 * Proposals for a profile by who sells or makes the product. The same contract as REST, but for what a person should
 * do with open eyes: confirming a whole profile is not offered to a model.
 */
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { wireOf } from '../lib/entity.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { VERIFICATION_STATUSES } from './catalog.schema.ts'
import { ENRICHMENT_STATUSES, PROPOSABLE_FIELDS, partsOf, SubmitEnrichment } from './enrichment.schema.ts'
import {
  getEnrichmentStatus as readStatus,
  submitEnrichment as submitProposal,
} from './enrichment.service.ts'
import { ProductSlugInput } from './relationships.schema.ts'

const MOST_PROPOSALS = 20
const productSlug = ProductSlugInput.describe('<category>/<slug>, or the slug alone')

const StatusInput = z.object({ product_slug: productSlug })

const StatusOutput = z.object({
  product_slug: z.string(),
  verification_status: z.enum(VERIFICATION_STATUSES),
  fields: z.array(
    z.object({
      field: z.string(),
      standing: z.enum(['base', 'enriched', 'verified']),
      source: z.string(),
      verified_at: z.string().nullable(),
    }),
  ),
  proposals: z
    .array(
      z.object({
        enrichment_id: z.string(),
        status: z.enum(ENRICHMENT_STATUSES),
        parts: z.array(z.string()).describe('What it proposes: field names, images'),
        created_at: z.string(),
        reviewed_at: z.string().nullable(),
        review_note: z.string().nullable(),
      }),
    )
    .describe('Your own, newest first'),
  total_proposals: z.int(),
})
type Status = z.output<typeof StatusOutput>

export const getEnrichmentStatus = defineTool<{ db: Db }, typeof StatusInput, typeof StatusOutput>({
  name: 'get_enrichment_status',
  title: 'Get enrichment status',
  description:
    'Shows the source of each product profile field (base, enriched or verified) and the status of your proposals, with the reason for rejections. Use it before submit_enrichment.',
  audience: 'producers',
  effects: { readOnly: true },
  input: StatusInput,
  output: StatusOutput,
  async run(ctx, call, input) {
    const asked = { productSlug: input.product_slug, limit: MOST_PROPOSALS, offset: 0 }
    const found = await readStatus(ctx, call, asked)
    const confirmed = found.verificationStatus === 'manufacturer_verified'
    const data: Status = {
      product_slug: found.productSlug,
      verification_status: found.verificationStatus,
      fields: found.fields.map(({ field, source, verifiedAt }) => ({
        field,
        standing: confirmed ? 'verified' : verifiedAt === null ? 'base' : 'enriched',
        source,
        verified_at: verifiedAt,
      })),
      proposals: found.proposals.map((proposal) => ({
        enrichment_id: proposal.id,
        status: proposal.status,
        parts: partsOf(proposal),
        ...wireOf(proposal, ['createdAt', 'reviewedAt', 'reviewNote']),
      })),
      total_proposals: found.total,
    }
    return { text: statusText(data), data }
  },
})

const STATUS_WORDS: Record<Status['verification_status'], string> = {
  base: 'base: no producer has contributed to it yet',
  producer_enriched: 'producer_enriched: a seller’s contribution was approved',
  manufacturer_enriched: 'manufacturer_enriched: its manufacturer’s contribution was approved',
  manufacturer_verified: 'manufacturer_verified: its manufacturer has confirmed the whole profile',
}

function statusText(data: Status): string {
  const { proposals, total_proposals: total } = data
  const unsaid = PROPOSABLE_FIELDS.filter((name) => !data.fields.some(({ field }) => field === name))
  return fitItems(proposals.length, TEXT_ROOM, (shown) => {
    const notes = proposals
      .slice(0, shown)
      .flatMap(({ enrichment_id, review_note }) =>
        review_note === null ? [] : [{ label: enrichment_id, text: review_note, max: 300 }],
      )
    return paragraphs([
      `# Enrichment of ${data.product_slug}`,
      `Status ${STATUS_WORDS[data.verification_status]}.`,
      `## Sources\n${bySource(data.fields)}`,
      unsaid.length === 0 ? '' : `Not stated: ${unsaid.join(', ')}.`,
      `## Your proposals (${total})`,
      total === 0 ? 'None yet.' : proposals.slice(0, shown).map(proposalLine).join('\n'),
      total > shown ? `${counted(total - shown, 'older proposal')} not shown here.` : '',
      notes.length === 0 ? '' : untrusted('the people who reviewed them', notes),
      'Next: use submit_enrichment to add or correct fields.',
    ])
  })
}

function bySource(fields: Status['fields']): string {
  if (fields.length === 0) return 'Nothing is recorded.'
  const groups = Map.groupBy(
    fields,
    ({ source, standing, verified_at }) => `${standing} ${verified_at} ${source}`,
  )
  return [...groups.values()]
    .flatMap(([first, ...rest]) => (first ? [{ ...first, names: [first, ...rest] }] : []))
    .map(({ source, standing, verified_at, names }) => {
      const when = verified_at === null ? '' : `, approved ${verified_at.slice(0, 10)}`
      return `- ${standing}, from ${inlineText(source, 80)}${when}: ${names.map(({ field }) => field).join(', ')}`
    })
    .join('\n')
}

function proposalLine(proposal: Status['proposals'][number]): string {
  const reviewed = proposal.reviewed_at === null ? '' : `, reviewed ${proposal.reviewed_at.slice(0, 10)}`
  const note = proposal.review_note === null ? '' : ' (note below)'
  const status = proposal.status === 'pending' ? 'waiting for review' : proposal.status
  return `- ${proposal.enrichment_id}: **${status}**, sent ${proposal.created_at.slice(0, 10)}${reviewed}: ${proposal.parts.join(', ')}${note}`
}

const { images, evidence_url } = SubmitEnrichment.shape

const SubmitInput = z.object({
  product_slug: productSlug,
  fields: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Only what should change: title, model, description, specs {name: value}, best_for [], not_for [], where_to_buy [{name, url, price}], price {low, high}, list_price, released, discontinued, gtin, mpn, sku. Prices in dollars; null clears',
    ),
  images: images.unwrap().unwrap().optional().describe('Images by https URL, each with alt text'),
  evidence_url: evidence_url
    .unwrap()
    .unwrap()
    .optional()
    .describe('A page that proves it, such as the data sheet'),
})

const SubmitOutput = z.object({
  enrichment_id: z.string(),
  status: z.enum(['pending']),
  created: z.boolean().describe('false: the same proposal was already waiting'),
  parts: z.array(z.string()),
})

export const submitEnrichment = defineTool<{ db: Db; clock: Clock }, typeof SubmitInput, typeof SubmitOutput>(
  {
    name: 'submit_enrichment',
    title: 'Submit enrichment',
    description:
      'Proposes facts, texts or images for a product your organization is verified to sell or make. An operator reviews it before anything changes. Send only what should change, with evidence_url if you have one. get_enrichment_status shows current fields and past proposals; use claim_product first if the product is not yours yet.',
    audience: 'producers',
    effects: { readOnly: false, destructive: false, idempotent: true },
    input: SubmitInput,
    output: SubmitOutput,
    async run(ctx, call, input) {
      const { id, created } = await submitProposal(ctx, call, { ...input, note: null })
      const parts = [...Object.keys(input.fields ?? {}), ...(input.images?.length ? ['images'] : [])]
      return {
        text: [
          created
            ? `Proposed: ${parts.join(', ')}. Nothing changes until an operator approves it.`
            : `The same proposal (${parts.join(', ')}) is already waiting for review; nothing was added.`,
          `Proposal ${id}. Next: check it with get_enrichment_status.`,
        ].join('\n\n'),
        data: { enrichment_id: id, status: 'pending', created, parts },
      }
    },
  },
)
