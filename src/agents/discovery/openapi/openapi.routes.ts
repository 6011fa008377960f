/**
 * `GET /openapi.json`: one of the public files, mounted as the others are. Writing it takes longer than any of them, so
 * it is left until somebody asks.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../../http/env.ts'
import { createPublicFiles, JSON_TYPE } from '../discovery.routes.ts'
import { publishedOpenApi } from './document.ts'

export const OPENAPI_PATH = '/openapi.json'

export function mountOpenApi(app: Hono<HttpEnv>, { config }: { config: { baseUrl: string } }): void {
  const { fixed } = createPublicFiles(app)
  fixed([OPENAPI_PATH], JSON_TYPE, () => JSON.stringify(publishedOpenApi(config)))
}
