/** Whether a quote was really promised here. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Site } from '../site.ts'

export function mountVerifyQuote(_app: Hono<HttpEnv>, _deps: { site: Site; rfq: RfqContext }): void {}
