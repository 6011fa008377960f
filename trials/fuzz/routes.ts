/**
 * Every route that the router knows, from an app that is made for that and serves nobody. It is the built one, as the node
 * runs it: plain Node reads no TSX.
 */
import { pathToFileURL } from 'node:url'
import { loadConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { BASE_URL, SECRET } from '../cluster.ts'

export type Route = { method: string; path: string }

type Built = Pick<typeof import('../../src/app.ts'), 'createApp'> &
  Pick<typeof import('../../src/parts.ts'), 'createParts'>

async function loadBuilt(): Promise<Built> {
  const load = (file: string) => import(pathToFileURL(projectFile('dist', file)).href)
  return { ...(await load('app.js')), ...(await load('parts.js')) } as Built
}

export async function listRoutes(database: Database): Promise<Route[]> {
  const { createApp, createParts } = await loadBuilt()
  const config = loadConfig({ SOUK_BASE_URL: BASE_URL, SOUK_CATALOG: 'none' })
  const { deps } = createParts({
    ...database,
    clock: systemClock,
    log: createLog('silent'),
    config,
    secret: SECRET,
    outbound: createOutbound({ allow: config.outboundAllow }),
    resolveTxt: async () => [],
    demo: false,
    hearsOfTokens: false,
  })
  const { routes } = createApp({ ...deps, notReady: async () => 'serves nobody' })
  const known = new Map(
    routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => [`${method} ${path}`, { method, path }]),
  )
  return [...known.values()]
}
