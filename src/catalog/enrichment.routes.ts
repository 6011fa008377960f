/** Proposals by producers, and their review by operators. Who calls comes first (401), then the input, then the right. */
import type { Context, Hono } from 'hono'
import type { SessionActor } from '../accounts/actor.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { AppError } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import type { OrgsContext } from '../orgs/context.ts'
import type { ProducerDoor } from '../orgs/producer.http.ts'
import type { Deed } from '../orgs/producer.ts'
import {
  Approval,
  EnrichmentId,
  EnrichmentQuery,
  Rejection,
  ReviewQuery,
  SubmitEnrichment,
} from './enrichment.schema.ts'
import {
  getEnrichmentStatus,
  listEnrichments,
  submitEnrichment,
  withdrawEnrichment,
} from './enrichment.service.ts'
import { wireProposal, wireReview, wireStanding } from './enrichment.wire.ts'
import { approveEnrichment, listForReview, rejectEnrichment } from './enrichment-review.service.ts'

/** `shown` resolves when this node shows what was just approved. */
export function mountEnrichment(
  app: Hono<HttpEnv>,
  ctx: OrgsContext,
  door: ProducerDoor,
  shown: () => Promise<void> = async () => {},
): void {
  app.post('/api/org/enrichment', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { id, created } = await submitEnrichment(ctx, deed, await readJson(c, SubmitEnrichment))
    return c.json({ enrichment_id: id, status: 'pending' }, created ? 201 : 200)
  })

  app.get('/api/org/enrichment', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { product_slug: productSlug, ...page } = parseInput(EnrichmentQuery, c.req.query())
    if (productSlug !== undefined)
      return fresh(c, wireStanding(await getEnrichmentStatus(ctx, deed, { productSlug, ...page })))
    const { enrichments, total } = await listEnrichments(ctx, deed, page)
    return fresh(c, { proposals: enrichments.map(wireProposal), total })
  })

  app.delete('/api/org/enrichment', async (c) => {
    const deed = await door.sessionOrBearer(c)
    const { enrichment_id: enrichmentId } = await readJson(c, EnrichmentId)
    await withdrawEnrichment(ctx, deed, { enrichmentId })
    return c.json({ enrichment_id: enrichmentId, status: 'withdrawn' })
  })

  app.get('/api/admin/enrichments', async (c) => {
    const deed = await door.sessionOnly(c)
    const query = parseInput(ReviewQuery, c.req.query())
    requireOperator(deed)
    const { entries, total } = await listForReview(ctx, query)
    return fresh(c, { enrichments: entries.map((entry) => wireReview(entry, ctx.config.baseUrl)), total })
  })

  app.post('/api/admin/enrichments/approve', async (c) => {
    const deed = await door.sessionOnly(c)
    const { enrichment_id: id, fields: parts, note } = await readJson(c, Approval)
    const { productSlug, verificationStatus, approved, rejected } = await approveEnrichment(ctx, {
      ...requireOperator(deed),
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
    const deed = await door.sessionOnly(c)
    const { enrichment_id: id, note } = await readJson(c, Rejection)
    await rejectEnrichment(ctx, { ...requireOperator(deed), id, note })
    return c.json({ enrichment_id: id, status: 'rejected' })
  })
}

function requireOperator({ caller, visit }: Deed & { caller: SessionActor }) {
  if (!caller.user.isAdmin) throw new AppError('forbidden', 'this is for the operators of this service')
  return { by: { kind: 'user' as const, id: caller.user.id }, visit }
}

/** Who is asking decides what is told. */
function fresh(c: Context<HttpEnv>, body: Record<string, unknown>): Response {
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}
