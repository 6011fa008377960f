/**
 * Who takes part in a trial: shoppers with a session and an access token for tools, organizations that sell products (some
 * answer requests for quote with an agent of their own, some by managed pricing), an operator. Written straight to the
 * tables, because seeding is not what is tried and hashing passwords takes its time; what they do then, they do by HTTP.
 *
 *   const people = await seedPeople(cluster.database.db, { shoppers: 20, producers: 5 })
 *
 * Each person has a network of their own (`ip`), which traffic sends as X-Forwarded-For.
 */
import { sql } from 'kysely'
import { createAccountsContext } from '../src/accounts/context.ts'
import { createSession } from '../src/accounts/sessions.service.ts'
import { loadConfig } from '../src/config.ts'
import type { Db } from '../src/db/database.ts'
import { sessionCookieName } from '../src/http/session-cookie.ts'
import { systemClock } from '../src/lib/clock.ts'
import { hashToken, newToken } from '../src/lib/crypto.ts'
import { newId } from '../src/lib/ids.ts'
import { createLog } from '../src/lib/log.ts'
import { giveAccessToken } from '../test/access-token.ts'
import { BASE_URL, SECRET } from './cluster.ts'
import { bringProducts } from './products.ts'

export type Person = {
  userId: string
  email: string
  ip: string
  /** The whole Cookie header. */
  cookie: string
  /** An access token for tools and A2A. */
  token: string
}

export type Producer = Person & {
  orgId: string
  domain: string
  /** A link token, for REST. */
  bearer: string
  /** `<category>/<slug>` of what it sells, verified. */
  sells: string[]
  managed: boolean
}

export type Product = { id: string; category: string; slug: string; title: string }

export type People = { shoppers: Person[]; producers: Producer[]; operator: Person; products: Product[] }

const TOKEN = { baseUrl: BASE_URL, clientName: 'Trial agent' }
/** Every product has this many sellers. */
const SELLERS = 3

export const producerDomain = (n: number) => `shop-${n}.trial.example`

export async function seedPeople(db: Db, counts: { shoppers: number; producers: number }): Promise<People> {
  if ((await listProducts(db)).length === 0) await bringProducts(db)
  const products = await listProducts(db)
  const accounts = createAccountsContext({
    db,
    clock: systemClock,
    log: createLog('silent'),
    config: loadConfig({ SOUK_BASE_URL: BASE_URL }),
    secret: SECRET,
  })

  async function person(email: string, ip: string, role: { producer?: boolean; admin?: boolean } = {}) {
    const userId = newId()
    const at = systemClock.now()
    await db
      .insertInto('users')
      .values({
        id: userId,
        email,
        email_key: email,
        name: 'Ada',
        password_hash: null,
        email_verified_at: at,
        account_type: role.producer ? 'producer' : 'consumer',
        is_admin: role.admin ?? false,
        created_at: at,
        updated_at: at,
      })
      .execute()
    const visit = { ip, userAgent: 'trial', requestId: null }
    const session = await createSession(accounts, { userId, visit, replaces: null })
    const cookie = `${sessionCookieName(BASE_URL)}=${session.token}`
    return { userId, email, ip, cookie, token: await giveAccessToken(db, { ...TOKEN, userId, at }) }
  }

  const shoppers: Person[] = []
  for (let n = 1; n <= counts.shoppers; n++)
    shoppers.push(await person(`shopper-${n}@people.trial.example`, addressOf(1, n)))
  const producers: Producer[] = []
  // Everybody sells something, however many they are.
  const turn = Math.min(counts.producers, products.length)
  for (let n = 1; n <= counts.producers; n++) {
    const owner = await person(`owner-${n}@${producerDomain(n)}`, addressOf(2, n), { producer: true })
    const sold = products.filter((_, at) => (at + n) % turn < SELLERS)
    const managed = n % 2 === 0
    producers.push({ ...owner, ...(await makeOrg(db, { n, owner, sold, managed })), managed })
  }
  const operator = await person('operator@people.trial.example', addressOf(3, 1), { admin: true })
  return { shoppers, producers, operator, products }
}

async function listProducts(db: Db): Promise<Product[]> {
  const { rows } = await sql<Product>`
    select p.id, c.slug as category, p.slug, p.title from products p join categories c on c.id = p.category_id
    order by p.slug`.execute(db)
  return rows
}

async function makeOrg(
  db: Db,
  { n, owner, sold, managed }: { n: number; owner: Person; sold: Product[]; managed: boolean },
): Promise<{ orgId: string; domain: string; bearer: string; sells: string[] }> {
  const [orgId, domain, bearer] = [newId(), producerDomain(n), newToken('souk_link')]
  const at = systemClock.now()
  await db
    .insertInto('orgs')
    .values({
      id: orgId,
      name: `Shop ${n}`,
      org_type: 'retailer',
      domain,
      website_url: null,
      shopify_shop: null,
      verification_status: 'verified',
      verified_via: 'operator',
      verified_at: at,
      verification_token: newToken('souk_domain'),
      deactivated_at: null,
    })
    .execute()
  await db
    .insertInto('org_members')
    .values({ org_id: orgId, user_id: owner.userId, role: 'owner', created_at: at })
    .execute()
  await db
    .insertInto('link_tokens')
    .values({
      id: newId(),
      org_id: orgId,
      name: 'plugin',
      token_hash: hashToken(bearer),
      hint: bearer.slice(-4),
      created_by: owner.userId,
      created_at: at,
      last_used_at: null,
      revoked_at: null,
    })
    .execute()
  await db
    .insertInto('product_relationships')
    .values(
      sold.map(({ id }) => ({
        id: newId(),
        org_id: orgId,
        product_id: id,
        relationship_type: 'sells' as const,
        status: 'verified' as const,
        verified_via: 'operator' as const,
        evidence_url: null,
        created_at: at,
        verified_at: at,
      })),
    )
    .execute()
  await db
    .insertInto('agent_integrations')
    .values({
      org_id: orgId,
      is_managed: managed,
      managed_rules: managed
        ? JSON.stringify({ volume_discounts: [{ min_qty: 10, discount_pct: 5 }] })
        : null,
      agent_card_url: managed ? null : `https://${domain}/.well-known/agent-card.json`,
      auth_type: 'none',
      secret_box: null,
      status: 'active',
      last_response_ms: null,
      last_checked_at: null,
      skip_until: null,
    })
    .execute()
  return { orgId, domain, bearer, sells: sold.map(({ category, slug }) => `${category}/${slug}`) }
}

/** Addresses that are set aside for examples, so that nobody real is ever meant. */
export function addressOf(group: number, n: number): string {
  return `198.18.${group * 32 + Math.floor(n / 250)}.${(n % 250) + 1}`
}
