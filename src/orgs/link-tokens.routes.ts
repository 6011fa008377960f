/** Link tokens, for signed-in owners and admins only: a token makes no tokens. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { OrgsContext } from './context.ts'
import { createLinkToken, listLinkTokens, revokeLinkToken } from './link-tokens.service.ts'
import { TokenBody, TokenId } from './orgs.input.ts'
import type { ProducerDoor } from './producer.http.ts'

const PATH = '/api/org/link-tokens'

export function mountLinkTokens(app: Hono<HttpEnv>, ctx: OrgsContext, door: ProducerDoor): void {
  app.get(PATH, async (c) => {
    const tokens = await listLinkTokens(ctx, await door.sessionOnly(c))
    return c.json({
      tokens: tokens.map(({ id, name, hint, createdAt, createdBy, lastUsedAt }) => ({
        id,
        name,
        hint,
        created_at: createdAt.toISOString(),
        created_by: createdBy && { user_id: createdBy.userId, name: createdBy.name, email: createdBy.email },
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    })
  })

  app.post(PATH, async (c) => {
    const deed = await door.sessionOnly(c)
    const created = await createLinkToken(ctx, deed, await readJson(c, TokenBody))
    return c.json(created, 201, { 'Cache-Control': 'no-store' })
  })

  app.delete(PATH, async (c) => {
    const deed = await door.sessionOnly(c)
    const id = c.req.query('id') ?? (await readJson(c, TokenId)).id
    await revokeLinkToken(ctx, deed, id)
    return c.json({ ok: true })
  })
}
