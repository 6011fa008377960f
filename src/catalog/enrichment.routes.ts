/** The organization's own routes. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import type { OrgsContext } from '../orgs/context.ts'
import type { ProducerDoor } from '../orgs/producer.http.ts'

export function mountEnrichment(_app: Hono<HttpEnv>, _ctx: OrgsContext, _door: ProducerDoor): void {}
