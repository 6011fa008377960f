/** The files over the whole catalog and nothing else, on the data folder it is given, so that the memory is theirs. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { GOOGLE_FEED, OPENAI_FEED } from '../../src/agents/discovery/listings/feeds.ts'
import { createListings } from '../../src/agents/discovery/listings/listings.ts'
import { createLlmsTxt, LLMS_FULL } from '../../src/agents/discovery/listings/llms.ts'
import { SITEMAP } from '../../src/agents/discovery/listings/sitemap.ts'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createChangeFollower } from '../../src/catalog/changes.follower.ts'
import { loadConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/db/connect.ts'
import { startListener } from '../../src/db/listen.ts'
import type { HttpEnv } from '../../src/http/env.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createLiveOffers } from '../../src/offers/live-offers.ts'

const config = loadConfig({ SOUK_DATA_DIR: process.argv[2] ?? '' })
const log = createLog('error')
const { db, connection, close } = await connectDatabase(config, { log, role: 'server' })
const ctx = { db, clock: systemClock, log }
const offers = createLiveOffers(ctx)
const listings = createListings({
  ...ctx,
  site: { baseUrl: config.baseUrl, mcpUrl: config.mcpUrl, demo: true },
  offers,
  listings: [createLlmsTxt(TOOLS), LLMS_FULL, OPENAI_FEED, GOOGLE_FEED, SITEMAP],
})
const follower = createChangeFollower({
  db,
  log,
  async apply(events) {
    await offers.apply(events)
    listings.apply(events)
  },
})
await follower.start()
await offers.fill()
const listener = startListener(connection, { changes: follower.wake }, log)
const app = new Hono<HttpEnv>()
app.use(async (c, next) => {
  c.set('log', log)
  await next()
})
listings.mount(app)
const server = createServer(getRequestListener(app.fetch))
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  follower.stop()
  await listener.close()
  await listings.stop()
  await close()
  process.exit(0)
})
