/** How to connect an agent. */
import type { Hono } from 'hono'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { Site } from '../site.ts'

export function mountConnect(_app: Hono<HttpEnv>, _deps: { site: Site; config: Config }): void {}
