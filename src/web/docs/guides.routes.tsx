/** The written documents of the docs folder, as pages under /docs. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { Site } from '../site.ts'

export function mountGuides(_app: Hono<HttpEnv>, _deps: { site: Site }): void {}
