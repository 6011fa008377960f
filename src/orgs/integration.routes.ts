/** How an organization answers requests for quotes, and whether its shop speaks UCP, over REST. */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { OrgsContext } from './context.ts'
import { ChangeIntegrationBody, RegisterCardBody } from './integration.schema.ts'
import { changeIntegration, getIntegration, registerAgentCard } from './integration.service.ts'
import { type CardRegistered, integrationWire, ucpCheckWire } from './integration.wire.ts'
import type { ProducerDoor } from './producer.http.ts'
import { checkUcp } from './ucp.service.ts'

/** What one organization is shown is not for a cache between it and us. */
const NO_STORE = { 'Cache-Control': 'no-store' }

export function mountIntegration(app: Hono<HttpEnv>, ctx: OrgsContext, door: ProducerDoor): void {
  app.post('/api/org/register-agent-card', async (c) => {
    const deed = await door.sessionOrBearer(c)
    await registerAgentCard(ctx, deed, await readJson(c, RegisterCardBody))
    return c.json({ ok: true, validated: true } satisfies CardRegistered, 200, NO_STORE)
  })

  app.get('/api/org/agent-integration', async (c) => {
    const found = await getIntegration(ctx, await door.sessionOrBearer(c))
    return c.json(integrationWire(found), 200, NO_STORE)
  })

  app.patch('/api/org/agent-integration', async (c) => {
    const deed = await door.sessionOrBearer(c)
    await changeIntegration(ctx, deed, await readJson(c, ChangeIntegrationBody))
    return c.json({ ok: true }, 200, NO_STORE)
  })

  app.post('/api/org/ucp-check', async (c) => {
    const result = await checkUcp(ctx, await door.sessionOnly(c))
    return c.json(ucpCheckWire(result), 200, NO_STORE)
  })
}
