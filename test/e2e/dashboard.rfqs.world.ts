/**
 * A marketplace with one producer for each thing that can come of a request, two requests that all of them were asked, and
 * their people's browsers. What the cheapest answers can be held back.
 */
import { createBrowser } from '../accounts.ts'
import { createOrg, relate, type TestOrg } from '../orgs.ts'
import { read } from './dashboard.agent.world.ts'
import { answerWith, createRfqWorld, type ProducerPlan, type Respond } from './rfq.world.ts'

export const LIST = '/dashboard/rfqs'
export const HMAC = 'planted-hmac-0d4e8b2a6c'
export const BEARER = 'planted-bearer-7f3a9c1e5b'

export async function createInspectorWorld() {
  const now = () => world.clock.now()
  const answer =
    (fields: Record<string, unknown>): Respond =>
    (...args) =>
      answerWith(now, fields)(...args)
  const held: Array<() => void> = []
  let holding = false
  const plans: Record<string, ProducerPlan> = {
    cheapest: {
      respond: (received, response, count) => {
        const go = () => answer({ price_usd: 90.5, shipping_cost_usd: 0 })(received, response, count)
        if (holding) held.push(go)
        else go()
      },
      auth: { type: 'hmac', secret: HMAC },
    },
    dearer: {
      respond: answer({ price_usd: 117.25, terms: '<b>SECRET-TERMS</b>' }),
      auth: { type: 'bearer', secret: BEARER },
    },
    choosy: { respond: answer({ price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }) },
    broken: { respond: (_received, response) => void response.writeHead(200).end('<i>oops</i>') },
    flaky: {
      respond: (received, response, count) =>
        count % 2 === 1
          ? void response.writeHead(503).end('busy')
          : answer({ price_usd: 130, shipping_cost_usd: 5 })(received, response, count),
    },
  }
  const world = await createRfqWorld(plans)
  const managed = await createOrg(world, { name: 'managed', domain: 'managed.example' })
  await relate(world, managed, world.product)
  await world.database.db
    .insertInto('agent_integrations')
    .values({
      org_id: managed.id,
      is_managed: true,
      agent_card_url: null,
      managed_rules: null,
      secret_box: null,
      last_response_ms: null,
      last_checked_at: null,
      skip_until: null,
    })
    .execute()
  const first = await world.ask({ quantity: 2, delivery_region: 'CA-US', deadline_iso: '2026-12-24' })
  world.clock.advance(24 * 3_600_000)
  const second = await world.ask({ quantity: 1 })

  function browserOf({ cookie }: { cookie: string }) {
    const browser = createBrowser(world)
    browser.setCookie(cookie)
    return browser
  }
  const orgOf = (name: string): TestOrg => producerOf(name).org
  const producerOf = (name: string) => {
    const found = world.producers[name]
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  const as = (name: string) => browserOf(orgOf(name).session)

  return {
    ...world,
    names: Object.keys(plans),
    managed,
    first: first.sessionId,
    second: second.sessionId,
    browserOf,
    producerOf,
    orgOf,
    as,
    see: async (name: string, path: string) => read(as(name).get(path)),
    held,
    /** From now on the cheapest waits; what is returned lets it go on. */
    hold() {
      holding = true
      return () => {
        holding = false
        for (const go of held.splice(0)) go()
      }
    },
  }
}

/** What stands on the page, without its tags. */
export function words(html: string): string {
  return html
    .slice(Math.max(0, html.indexOf('<main')))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
}

/** The requests on the list, in its order. */
export function rowsOf(html: string): Array<string | undefined> {
  return [...html.matchAll(/href="\/dashboard\/rfqs\/([0-9a-f-]{36})"/g)].map(([, id]) => id)
}
