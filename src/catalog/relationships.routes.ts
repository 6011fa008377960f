/** The products an organization sells or makes: claim, list, withdraw. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { wireOf } from '../lib/entity.ts'
import { parseInput } from '../lib/validate.ts'
import type { ProducerGuard } from '../orgs/producer.http.ts'
import { claimProduct } from './claim.service.ts'
import { ClaimRequest, PageQuery, WithdrawRequest } from './relationships.schema.ts'
import {
  listRelationships,
  type RelationshipsContext,
  withdrawRelationship,
} from './relationships.service.ts'

/** `shown` resolves when this node shows what was just written. */
export function mountRelationships(
  app: Hono<HttpEnv>,
  ctx: RelationshipsContext,
  guard: ProducerGuard,
  shown: () => Promise<void>,
): void {
  app.post('/api/org/products/claim', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const claim = await claimProduct(ctx, act, await readJson(c, ClaimRequest))
    await shown()
    return c.json({ relationship_id: claim.relationshipId, status: claim.status }, claim.created ? 201 : 200)
  })
  app.get('/api/org/products', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const page = parseInput(PageQuery, c.req.query())
    const { relationships, total } = await listRelationships(ctx, act, page)
    return c.json({
      total,
      products: relationships.map((one) => ({
        relationship_id: one.id,
        ...wireOf(one, ['productSlug', 'title']),
        relationship_type: one.type,
        ...wireOf(one, ['status', 'verifiedVia', 'verifiedAt']),
      })),
    })
  })
  app.delete('/api/org/products', async (c) => {
    const act = await guard.sessionOrBearer(c)
    await withdrawRelationship(ctx, act, await readJson(c, WithdrawRequest))
    await shown()
    return c.json({ ok: true })
  })
}
