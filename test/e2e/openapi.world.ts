/**
 * A small world in which every published operation can be asked and refused, and a recorder that keeps what was really
 * sent and answered as the examples of the description. Its products are from the demo catalog, as they stand there. What
 * differs from run to run (ids) gets a stand-in, and the address of the service is written as a word.
 */
import { expect } from 'vitest'
import { OPERATIONS } from '../../src/agents/discovery/openapi/document.ts'
import { BASE_URL_WORD, type Example, type Examples } from '../../src/agents/discovery/openapi/examples.ts'
import { importDemoFiles, parseDemoFile, readDemoFiles } from '../../src/catalog/demo.service.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { signIn } from '../accounts.ts'
import { BASE_URL, createTestApp, testConfig } from '../harness.ts'
import { addMember, type Credential, createOrg, relate } from '../orgs.ts'
import { createSite } from './integration.world.ts'

/** Products of the demo catalog, so that what an example links to is there on a fresh start. Two keep the examples short. */
export const PRODUCT = { category: 'coffee-grinders', slug: 'grindel-conic-40' }
export const MACHINE = 'espresso-machines/brasswick-solo-v2'
/** Who makes the grinder. */
export const GRINDEL_DOMAIN = 'grindel.example'
const GRINDER = `${PRODUCT.category}/${PRODUCT.slug}`

/** What its maker offers, with all that can be said. */
export const DEAL = {
  product_slug: GRINDER,
  headline: 'A tenth off the list price',
  detail: 'With free shipping',
  destination_url: `https://${GRINDEL_DOMAIN}/conic-40?ref=souk`,
  price_usd: 116.1,
  list_price_usd: 129,
  // Far enough that the example of an offer that is live stays one.
  expires_at: '2099-12-01T00:00:00Z',
  promo_code: 'TENTH',
  offer_types: ['percentage_off', 'free_shipping'],
}

/** What a shop that speaks UCP publishes. */
export const UCP_PROFILE = {
  ucp: {
    version: '2026-01-23',
    services: {
      'dev.ucp.shopping': [
        { version: '2026-01-23', transport: 'rest', endpoint: `https://${GRINDEL_DOMAIN}/ucp` },
      ],
    },
    capabilities: { 'dev.ucp.shopping.checkout': [{ version: '2026-01-23' }] },
  },
}

/** That a network may have worked out in a minute. */
export const SEARCHES = 20

export async function createOpenApiWorld() {
  const site = await createSite([GRINDEL_DOMAIN, `agent.${GRINDEL_DOMAIN}`])
  const souk = await createTestApp({
    outbound: site.outbound,
    demo: true,
    config: testConfig({ SOUK_LIMITS: `search=${SEARCHES}/minute` }),
  })
  await importSome(souk.ctx, [GRINDER, MACHINE])
  const { id: productId } = await souk.database.db
    .selectFrom('products')
    .select('id')
    .where('slug', '=', PRODUCT.slug)
    .executeTakeFirstOrThrow()
  const grindel = await createOrg(souk, { name: 'Grindel', orgType: 'manufacturer', domain: GRINDEL_DOMAIN })
  await relate(souk, grindel, productId, { type: 'manufactured_by' })
  const closed = await createOrg(souk, { name: 'Closed Shop', deactivated: true })
  const unproved = await createOrg(souk, { name: 'Unproved', domain: 'unproved.example', verified: false })
  await souk.catchUp()
  const broken = createOutbound({ allow: [] })
  await broken.close()
  const stopping = await createTestApp({ outbound: broken, database: souk.database })
  return {
    ...souk,
    site,
    productId,
    grindel,
    /** On the same database, a node that fetches nothing any more. */
    stopping: stopping.app,
    closed,
    unproved,
    nowhere: await createOrg(souk, { name: 'Nowhere', domain: null, verified: false }),
    viewer: await addMember(souk, grindel, 'viewer'),
    /** Signed in, with a verified address and no organization. */
    person: await signIn(souk, { email: 'ada@people.example', verified: true }),
    unverified: await signIn(souk, { email: 'bob@people.example' }),
  }
}

/** Each product by its category and slug. Their vectors come with the project, as on a fresh start. */
async function importSome(ctx: Parameters<typeof importDemoFiles>[0], wanted: string[]): Promise<void> {
  const files = readDemoFiles()
    .map(parseDemoFile)
    .map((file) => ({
      ...file,
      products: file.products.filter(({ slug }) => wanted.includes(`${file.slug}/${slug}`)),
    }))
    .filter(({ products }) => products.length > 0)
  expect(await importDemoFiles(ctx, files, 'for the examples')).toBe(wanted.length)
}

export type OpenApiWorld = Awaited<ReturnType<typeof createOpenApiWorld>>

type Ask = {
  as?: Credential
  parameters?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  /** Another app on the same database. */
  app?: OpenApiWorld['app']
}

/** `record` asks, holds the answer to the status, and keeps both under the name. */
export function createRecorder(souk: Pick<OpenApiWorld, 'app'>) {
  const examples: Examples = {}
  const standIns = new Map<string, string>()

  async function ask(id: string, { as = null, parameters = {}, body, headers = {}, app = souk.app }: Ask) {
    const operation = OPERATIONS.find((one) => one.id === id)
    if (!operation) throw new Error(`there is no operation ${id}`)
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name] ?? '')
    return app.request(`${BASE_URL}${path}`, {
      method: operation.method.toUpperCase(),
      headers: {
        ...(as && 'cookie' in as && { cookie: as.cookie }),
        ...(as && 'bearer' in as && { authorization: `Bearer ${as.bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  async function record(status: number, id: string, name: string, summary: string, asked: Ask = {}) {
    const response = await ask(id, asked)
    const text = await response.text()
    expect(response.status, `${id} ${name}: ${text}`).toBe(status)
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const value: unknown = type.endsWith('json') ? JSON.parse(text) : text
    examples[id] ??= {}
    const kept = examples[id]
    if (status < 300 && asked.body !== undefined) {
      kept.requests ??= {}
      keep(kept.requests, name, { summary, value: masked(asked.body) })
    }
    kept.answers ??= {}
    kept.answers[status] ??= {}
    kept.answers[status][type] ??= {}
    keep(kept.answers[status][type], name, { summary, value: masked(value) })
    return value as Record<string, unknown>
  }

  /** Ids in the order they appear. Text first written out, so that those inside of addresses are found too. */
  function masked(value: unknown): unknown {
    const text = JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uuid) => {
        const known =
          standIns.get(uuid) ?? `01990000-0000-7000-8000-${String(standIns.size + 1).padStart(12, '0')}`
        standIns.set(uuid, known)
        return known
      })
      .replaceAll(BASE_URL, BASE_URL_WORD)
    return JSON.parse(text)
  }

  return { ask, record, examples }
}

function keep(into: Record<string, Example>, name: string, example: Example): void {
  if (into[name]) throw new Error(`there is an example ${name} already`)
  into[name] = example
}

/** Figures that a model makes, whose last digits are the machine's. */
const MODELLED = new Set(['similarity', 'score', 'value'])
const NEAR = 0.05

/** `fresh` with the modelled figures of `stored` where they are nearly the same. */
export function settled(fresh: unknown, stored: unknown, key = ''): unknown {
  if (typeof fresh === 'number' && typeof stored === 'number')
    return MODELLED.has(key) && Math.abs(fresh - stored) <= NEAR ? stored : fresh
  if (Array.isArray(fresh))
    return fresh.map((one, at) => settled(one, Array.isArray(stored) ? stored[at] : undefined))
  if (typeof fresh !== 'object' || fresh === null) return fresh
  const beside = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fresh).map(([name, one]) => [name, settled(one, beside[name], name)]),
  )
}
