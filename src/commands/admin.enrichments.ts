/** `souk admin …` about what producers propose: what waits, beside what the catalog says now, and the decision. */
import { EnrichmentNote } from '../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from '../catalog/enrichment-review.service.ts'
import { printable } from '../lib/text.ts'
import { parseInput } from '../lib/validate.ts'
import type { AdminDeed } from './admin.ts'
import { provedDomain } from './proved-domain.ts'

const LISTED = 1_000
const OPERATOR = { kind: 'operator', id: null } as const

export const ENRICHMENT_DEEDS: Record<string, AdminDeed> = {
  enrichments: {
    usage: 'enrichments',
    takes: 0,
    run: async (ctx) => {
      const { entries } = await listForReview(ctx, { status: 'pending', limit: LISTED, offset: 0 })
      process.stdout.write(entries.map(enrichmentLines).join(''))
    },
  },
  'approve-enrichment': {
    usage: 'approve-enrichment ID',
    takes: 1,
    run: async (ctx, [id = '']) => {
      const { productSlug, verificationStatus, approved } = await approveEnrichment(ctx, { by: OPERATOR, id })
      process.stderr.write(`${productSlug} has ${approved.join(', ')} now, and is ${verificationStatus}.\n`)
    },
  },
  'reject-enrichment': {
    usage: 'reject-enrichment ID NOTE',
    takes: 2,
    run: async (ctx, [id = '', note = '']) => {
      await rejectEnrichment(ctx, { by: OPERATOR, id, note: parseInput(EnrichmentNote, note) })
      process.stderr.write('It is rejected; its organization sees the note.\n')
    },
  },
}

/** One proposal a line, then one line for each part: its name, what is there, what is proposed, as JSON. */
function enrichmentLines({ id, org, product, changes, ...entry }: ReviewEntry): string {
  const head = [
    id,
    `${product.category.slug}/${product.slug}`,
    entry.createdAt.toISOString(),
    org.name,
    provedDomain(org.domain, org.verified),
  ]
  const parts = [
    ...changes.map(({ field, current, proposed }) => [field, current, proposed]),
    ...entry.images.map((image) => ['image', null, image]),
    ...(entry.confirmsProfile ? [['confirms_profile', false, true]] : []),
    ...entry.evidence.map((url) => ['evidence', null, url]),
    ...(entry.note === null ? [] : [['note', null, entry.note]]),
  ]
  const lines = parts.map(([name, ...values]) => [
    '',
    String(name),
    ...values.map((value) => JSON.stringify(value)),
  ])
  return [head, ...lines].map((columns) => `${columns.map(printable).join('\t')}\n`).join('')
}
