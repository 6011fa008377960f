/** How an organization answers requests for quotes. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import type { OrgsContext } from './context.ts'
import type { ProducerDoor } from './producer.http.ts'

export function mountIntegration(_app: Hono<HttpEnv>, _ctx: OrgsContext, _door: ProducerDoor): void {}
