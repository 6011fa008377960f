/** `POST /a2a/` and the agent cards. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { A2aContext } from './context.ts'

export function mountA2a(_app: Hono<HttpEnv>, _ctx: A2aContext): void {}
