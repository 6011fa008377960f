/**
 * The UCP face: our profile, and the catalog's three operations. Anonymous, and browsers of any site may call: it knows
 * no cookies. A platform that names its profile gets what both sides speak, or hears why not; one that names none is
 * answered all the same, though the specification lets us refuse it. The body is read first: nothing is fetched for a
 * request that cannot be answered anyway.
 */
import type { Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import type { z } from 'zod'
import { createNetworkCount, type NetworkCount } from '../../accounts/network-limit.ts'
import { readJson } from '../../http/body.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { prepare, sendPrepared } from '../../http/prepared.ts'
import { requireLeft } from '../../http/rate-limit-headers.ts'
import type { SearchLimit } from '../../search/search-limit.ts'
import type { AgentsContext } from '../context.ts'
import { createBrowse, createOfferPrices } from './browse.ts'
import { getUcpProduct, lookupCatalog } from './lookup-catalog.ts'
import {
  countFetch,
  createPlatformProfiles,
  type PlatformProfiles,
  readAgentHeader,
} from './platform-profiles.ts'
import {
  type Capability,
  envelope,
  errorAnswer,
  LOOKUP,
  PROFILE_PATH,
  respondRefusal,
  SEARCH,
  UCP_VERSION,
  type UcpCaller,
  UcpError,
  writeProfile,
} from './protocol.ts'
import { searchCatalog } from './search-catalog.ts'
import { LookupRequest, ProductRequest, SearchRequest } from './ucp.schema.ts'

const UCP_PATHS = ['/catalog/search', '/catalog/lookup', '/catalog/product'] as const

const CORS = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'OPTIONS'],
  allowHeaders: [
    'Accept-Language',
    'Authorization',
    'Content-Digest',
    'Content-Type',
    'Idempotency-Key',
    'Request-Id',
    'Signature',
    'Signature-Input',
    'UCP-Agent',
    'X-API-Key',
  ],
  exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'],
  maxAge: 86_400,
})

type Operation<Request> = {
  capability: Capability
  schema: z.ZodType<Request>
  /** The answer but for its `ucp`, unless that tells of an error. */
  run(request: Request, caller: UcpCaller): Promise<object>
}

export function mountUcp(app: Hono<HttpEnv>, ctx: AgentsContext, searchLimit: SearchLimit): void {
  const profile = prepare({
    body: JSON.stringify(writeProfile(ctx.config)),
    contentType: 'application/json',
    lastModified: null,
    headers: {
      // Shared caches must be able to keep a profile for a minute at least.
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
      'Access-Control-Allow-Origin': '*',
    },
  })
  const platforms = createPlatformProfiles(ctx)
  const countsRead = createNetworkCount(ctx.clock)
  const offerPrices = createOfferPrices(ctx.offers)
  const browse = createBrowse(ctx.search, offerPrices)
  for (const path of [PROFILE_PATH, ...UCP_PATHS]) app.use(path, CORS)
  app.get(PROFILE_PATH, (c) => sendPrepared(c, profile))

  const operate = <Request>(
    path: (typeof UCP_PATHS)[number],
    operation: Operation<Request>,
    before?: (c: Context<HttpEnv>) => void,
  ) =>
    app.post(path, async (c) => {
      try {
        before?.(c)
        return await answer(c, { ...ctx, platforms, countsRead }, operation)
      } catch (error) {
        return respondRefusal(c, error, `${ctx.config.baseUrl}/`)
      }
    })
  operate(
    '/catalog/search',
    {
      capability: SEARCH,
      schema: SearchRequest,
      run: (request, { ip }) => searchCatalog({ ...ctx, browse, offerPrices, ip }, request),
    },
    (c) => requireLeft(c, searchLimit.take(clientIp(c, ctx.config.trustProxy))),
  )
  operate('/catalog/lookup', {
    capability: LOOKUP,
    schema: LookupRequest,
    run: (request, caller) => lookupCatalog(ctx, request, caller),
  })
  operate('/catalog/product', {
    capability: LOOKUP,
    schema: ProductRequest,
    run: (request, caller) => getUcpProduct(ctx, request, caller),
  })
}

async function answer<Request>(
  c: Context<HttpEnv>,
  ctx: AgentsContext & { platforms: PlatformProfiles; countsRead: NetworkCount },
  { capability, schema, run }: Operation<Request>,
): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  const request = await readJson(c, schema)
  const ip = clientIp(c, ctx.config.trustProxy)
  const platform = await findPlatform(c, ctx, ip)
  if (platform && !platform.speaks(capability)) {
    const content = `The platform's profile does not list ${capability} in version ${UCP_VERSION}`
    const error = { code: 'capabilities_incompatible', content, severity: 'unrecoverable' } as const
    return c.json(errorAnswer(null, error, `${ctx.config.baseUrl}/`))
  }
  const agent = platform?.host ?? c.req.header('user-agent') ?? 'unknown'
  const found = await run(request, { agent, ip, countsRead: () => ctx.countsRead(ip) })
  return c.json({ ucp: envelope(capability), ...found })
}

type Platform = { host: string; speaks(capability: Capability): boolean }

async function findPlatform(
  c: Context<HttpEnv>,
  ctx: AgentsContext & { platforms: PlatformProfiles },
  ip: string | null,
): Promise<Platform | null> {
  const field = c.req.header('ucp-agent')
  if (field === undefined) return null
  const header = readAgentHeader(field)
  if ('problem' in header) throw new UcpError(400, 'invalid_profile_url', header.problem)
  const { speaks } = await ctx.platforms.find(header.profile, () => countFetch(ctx, ip))
  return {
    host: new URL(header.profile).host,
    speaks: (capability) => speaks.has(capability),
  }
}
