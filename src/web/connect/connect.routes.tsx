/** `/connect`: how to connect an agent. The page is constant, so it is rendered once, on the first request. */
import type { Hono } from 'hono'
import { offerRegistry } from '../../agents/mcp/registry.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { PAGE_HEADERS } from '../../http/middleware.ts'
import { type Prepared, prepare, sendPrepared } from '../../http/prepared.ts'
import type { Site } from '../site.ts'
import { CONNECT_PATH, renderConnectPage } from './connect.page.tsx'

type Deps = { site: Site; config: Pick<Config, 'baseUrl' | 'mcpUrl'> }

export function mountConnect(app: Hono<HttpEnv>, { site, config }: Deps): void {
  let made: Prepared | null = null
  app.get(CONNECT_PATH, (c) => {
    made ??= prepare({
      body: renderConnectPage({ site, config, tools: listedTools() }),
      contentType: 'text/html; charset=utf-8',
      lastModified: null,
      headers: { Vary: 'Accept-Encoding', ...PAGE_HEADERS },
    })
    return sendPrepared(c, made)
  })
}

function listedTools() {
  return [...offerRegistry().byName.values()].map(({ tool, description: { name, title } }) => ({
    name,
    title,
    audience: tool.audience,
  }))
}
