/**
 * Proposals by producers, and their review by operators. Who calls comes first (401), then the input, then the right.
 */
import type { Context, Hono } from 'hono'
import type { SessionActor } from '../accounts/actor.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { wireOf } from '../lib/entity.ts'
import { forbidden } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import type { OrgsContext } from '../orgs/context.ts'
import type { ProducerGuard } from '../orgs/producer.http.ts'
import type { Act } from '../orgs/producer.ts'
import type { Spec } from './catalog.schema.ts'
import type { Enrichment, ListedEnrichment } from './enrichment.queries.ts'
import {
  Approval,
  EnrichmentId,
  EnrichmentQuery,
  type ProposedFields,
  Rejection,
  ReviewQuery,
  SubmitEnrichment,
} from './enrichment.schema.ts'
import {
  type EnrichmentStanding,
  getEnrichmentStatus,
  listEnrichments,
  submitEnrichment,
  withdrawEnrichment,
} from './enrichment.service.ts'
import {
  approveEnrichment,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from './enrichment-review.service.ts'
import { productPath } from './profile.ts'

/** `shown` resolves when this node shows what was just approved. */
export function mountEnrichment(
  app: Hono<HttpEnv>,
  ctx: OrgsContext,
  guard: ProducerGuard,
  shown: () => Promise<void> = async () => {},
): void {
  app.post('/api/org/enrichment', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { id, created } = await submitEnrichment(ctx, act, await readJson(c, SubmitEnrichment))
    return c.json({ enrichment_id: id, status: 'pending' }, created ? 201 : 200)
  })

  app.get('/api/org/enrichment', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { product_slug: productSlug, ...page } = parseInput(EnrichmentQuery, c.req.query())
    if (productSlug !== undefined)
      return fresh(c, wireStanding(await getEnrichmentStatus(ctx, act, { productSlug, ...page })))
    const { enrichments, total } = await listEnrichments(ctx, act, page)
    return fresh(c, { proposals: enrichments.map(wireProposal), total })
  })

  app.delete('/api/org/enrichment', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { enrichment_id: enrichmentId } = await readJson(c, EnrichmentId)
    await withdrawEnrichment(ctx, act, { enrichmentId })
    return c.json({ enrichment_id: enrichmentId, status: 'withdrawn' })
  })

  app.get('/api/admin/enrichments', async (c) => {
    const act = await guard.sessionOnly(c)
    const query = parseInput(ReviewQuery, c.req.query())
    requireOperator(act)
    const { entries, total } = await listForReview(ctx, query)
    return fresh(c, { enrichments: entries.map((entry) => wireReview(entry, ctx.config.baseUrl)), total })
  })

  app.post('/api/admin/enrichments/approve', async (c) => {
    const act = await guard.sessionOnly(c)
    const { enrichment_id: id, fields: parts, note } = await readJson(c, Approval)
    const { productSlug, verificationStatus, approved, rejected } = await approveEnrichment(ctx, {
      ...requireOperator(act),
      id,
      parts,
      note,
    })
    await shown()
    return c.json({
      enrichment_id: id,
      status: 'approved',
      product_slug: productSlug,
      verification_status: verificationStatus,
      approved,
      rejected: rejected && { enrichment_id: rejected.id, fields: rejected.parts },
    })
  })

  app.post('/api/admin/enrichments/reject', async (c) => {
    const act = await guard.sessionOnly(c)
    const { enrichment_id: id, note } = await readJson(c, Rejection)
    await rejectEnrichment(ctx, { ...requireOperator(act), id, note })
    return c.json({ enrichment_id: id, status: 'rejected' })
  })
}

function requireOperator({ caller, visit }: Act & { caller: SessionActor }) {
  if (!caller.user.isAdmin) throw forbidden('only operators of this service can do this')
  return { by: { kind: 'user' as const, id: caller.user.id }, visit }
}

/** Who is asking decides what is told. */
function fresh(c: Context<HttpEnv>, body: Record<string, unknown>): Response {
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

function wireProposal(enrichment: ListedEnrichment) {
  const { id, ...rest } = wireEnrichment(enrichment)
  return { enrichment_id: id, product_slug: enrichment.productSlug, ...rest }
}

function wireStanding(standing: EnrichmentStanding) {
  return {
    product_slug: standing.productSlug,
    verification_status: standing.verificationStatus,
    fields: standing.fields.map((said) => wireOf(said, ['field', 'source', 'verifiedAt'])),
    proposals: standing.proposals.map(wireProposal),
    total: standing.total,
  }
}

function wireReview(entry: ReviewEntry, baseUrl: string) {
  const { org, product, changes } = entry
  const { id, fields: _, ...rest } = wireEnrichment(entry)
  return {
    enrichment_id: id,
    org: { ...wireOf(org, ['id', 'name', 'orgType', 'verified']), active: !org.deactivated },
    product: {
      slug: `${product.category.slug}/${product.slug}`,
      title: product.title,
      url: `${baseUrl}${productPath(product)}`,
      verification_status: product.verificationStatus,
    },
    changes: changes.map(({ field, current, proposed, saidBy }) => ({
      field,
      current: contractValue(field, current),
      proposed: contractValue(field, proposed),
      current_source: saidBy,
    })),
    current_images: product.additionalImages ?? [],
    ...rest,
  }
}

function wireEnrichment(enrichment: Enrichment) {
  return {
    ...wireOf(enrichment, ['id', 'status']),
    fields: wireFields(enrichment.fields),
    ...wireOf(enrichment, ['images', 'confirmsProfile', 'evidence', 'note']),
    ...wireOf(enrichment, ['createdAt', 'reviewedAt', 'reviewNote']),
  }
}

function wireFields(fields: ProposedFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, contractValue(name, value)]))
}

/** Specs are stored as a list, and `{ name: value }` in the contract. */
function contractValue(field: string, value: unknown): unknown {
  if (field !== 'specs' || !Array.isArray(value)) return value
  return Object.fromEntries((value as Spec[]).map((spec) => [spec.name, spec.value]))
}
