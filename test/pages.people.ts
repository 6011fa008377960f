/** Who there is in the world of pages: three sellers who answer in three ways, and people in every state of an account. */
import { createSession } from '../src/accounts/sessions.service.ts'
import { sessionCookieName } from '../src/http/session-cookie.ts'
import { signIn } from './accounts.ts'
import type { createTestApp } from './harness.ts'
import { call, createOrg, relate, type TestOrg } from './orgs.ts'
import type { SellerAgents } from './seller-agents.ts'
import type { withTools } from './tools.world.ts'

/** Everybody asks for this one; it is sold by all three sellers. */
export const ASKED = 'espresso-machines/brasswick-solo-v2'
/** The seller whom the service answers for has a promoted offer for this one. */
export const OFFERED = 'coffee-grinders/grindel-conic-40'
export const UNSOLD = 'tents/basecairn-stormkeep-3'
/** Stood there once. */
export const REMOVED = 'tents/basecairn-leaky'
export const VISIT = {
  ip: '127.0.0.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0',
  requestId: null,
}

type PeopledSouk = ReturnType<typeof withTools<Awaited<ReturnType<typeof createTestApp>>>>
type Base = { souk: PeopledSouk; agents: SellerAgents; config: { baseUrl: string } }

export async function addSellers({ souk, agents }: Base) {
  const managed = await createOrg(souk, { name: 'Harbor & Hearth', domain: 'harborhearth.example' })
  const quick = await createOrg(souk, { name: 'Fernhill Supply', domain: agents.quick.host })
  const slow = await createOrg(souk, {
    name: 'Brasswick',
    orgType: 'manufacturer',
    domain: agents.slow.host,
  })
  const asked = await productId(souk, ASKED)
  for (const org of [managed, quick]) await relate(souk, org, asked)
  await relate(souk, slow, asked, { type: 'manufactured_by' })
  await relate(souk, managed, await productId(souk, OFFERED))
  for (const [org, { host }] of [
    [quick, agents.quick],
    [slow, agents.slow],
  ] as const)
    await souk.database.db
      .insertInto('agent_integrations')
      .values({
        org_id: org.id,
        agent_card_url: `https://${host}/.well-known/agent-card.json`,
        managed_rules: null,
        auth_type: 'none',
        secret_box: null,
        last_response_ms: null,
        last_checked_at: null,
        skip_until: null,
      })
      .execute()
  await send(souk, managed, 'PATCH', '/api/org/agent-integration/', {
    is_managed: true,
    managed_rules: { volume_discounts: [{ min_qty: 2, discount_pct: 5 }] },
  })
  await send(souk, managed, 'PATCH', '/api/org/pricing/', { product_slug: ASKED, lead_time_days: 4 })
  return { managed, quick, slow }
}

export async function addPeople({ souk, config }: Base) {
  const session = async (userId: string) => {
    const { token } = await createSession(souk.accounts, { userId, visit: VISIT, replaces: null })
    return `${sessionCookieName(config.baseUrl)}=${token}`
  }
  const added = async (email: string, verified: boolean) => {
    const { userId } = await souk.person({ email, name: 'Grace', verified })
    return { userId, email, cookie: await session(userId) }
  }
  const ada = await signIn(souk, { email: 'ada@people.example', verified: true })
  const { id: adaId } = await souk.database.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', ada.email)
    .executeTakeFirstOrThrow()
  const admin = await added('admin@people.example', true)
  await souk.database.db.updateTable('users').set({ is_admin: true }).where('id', '=', admin.userId).execute()
  return {
    ada: { userId: adaId, email: ada.email, cookie: ada.cookie },
    /** Verified, with nothing of their own yet. */
    newcomer: await added('grace@people.example', true),
    unverified: await added('new@people.example', false),
    admin,
  }
}

export async function productId(
  { database }: Pick<PeopledSouk, 'database'>,
  product: string,
): Promise<string> {
  const { id } = await database.db
    .selectFrom('products')
    .select('id')
    .where('slug', '=', product.split('/')[1] ?? '')
    .executeTakeFirstOrThrow()
  return id
}

/** By its owner; throws unless it went well. */
export async function send(
  souk: Pick<PeopledSouk, 'app' | 'accounts'>,
  org: TestOrg,
  method: string,
  to: string,
  body: object,
) {
  const answer = await call(souk, org.session, method, to, body)
  if (answer.status > 201) throw new Error(`${to}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
