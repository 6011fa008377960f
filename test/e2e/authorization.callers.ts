/** One caller of each kind, with what they send: a cookie or a bearer token to routes, an access token to the tool server. */
import { hashToken } from '../../src/lib/crypto.ts'
import { addMember, call, createOrg, type TestOrg } from '../orgs.ts'
import type { Kind } from './authorization.policies.ts'
import type { createPagesWorld } from './separation.pages.world.ts'

type World = Awaited<ReturnType<typeof createPagesWorld>>

export type Caller = {
  kind: Kind
  headers: Record<string, string>
  /** Null where there is nobody who could have allowed an agent. */
  token: string | null
  userId: string | null
  /** Where they belong to an organization that is not the one asked about. */
  elsewhere: TestOrg | null
}

const LONG_AGO = new Date('2026-01-01T00:00:00Z')

/** `org` is the organization that is asked about. */
export function createCallers(world: World) {
  const { pool } = world.database
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  async function signedIn(userId: string, { cookie }: { cookie: string }) {
    return { headers: { cookie }, token: await world.tokenFor(userId), userId }
  }

  async function withoutOrg({ admin = false } = {}) {
    const { id, cookie } = await world.addPerson({ admin })
    return signedIn(id, { cookie })
  }

  async function member(org: TestOrg, role: 'viewer' | 'editor' | 'admin' | 'owner') {
    const person = await addMember(world, org, role)
    return signedIn(person.userId, person)
  }

  async function ownersToken(org: TestOrg) {
    const { token, userId } = await member(org, 'owner')
    return { headers: bearer(token), token, userId }
  }

  const make: Record<Kind, (org: TestOrg) => Promise<Partial<Caller>>> = {
    nobody: async () => ({}),
    unverified: async () => {
      const person = await withoutOrg()
      await pool.query('update users set email_verified_at = null where id = $1', [person.userId])
      return person
    },
    consumer: () => withoutOrg(),
    viewer: (org) => member(org, 'viewer'),
    editor: (org) => member(org, 'editor'),
    admin: (org) => member(org, 'admin'),
    owner: (org) => member(org, 'owner'),
    other: async () => {
      const elsewhere = await createOrg(world)
      // It can be asked for quotes, so that what it may not ask about is refused for the product.
      await call(world, elsewhere.session, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
      return { ...(await signedIn(elsewhere.ownerId, elsewhere.session)), elsewhere }
    },
    link: async (org) => ({ headers: bearer(org.bearer.bearer), token: org.bearer.bearer }),
    'other-link': async () => {
      const elsewhere = await createOrg(world)
      return { headers: bearer(elsewhere.bearer.bearer), token: elsewhere.bearer.bearer, elsewhere }
    },
    token: ownersToken,
    expired: async (org) => {
      const caller = await ownersToken(org)
      await pool.query('update oauth_access_tokens set expires_at = $2 where token_hash = $1', [
        hashToken(caller.token),
        LONG_AGO,
      ])
      return caller
    },
    revoked: async (org) => {
      const { headers, token, userId } = await member(org, 'owner')
      const { rows } = await pool.query<{ id: string }>('select id from oauth_grants where user_id = $1', [
        userId,
      ])
      const form = new URLSearchParams({ grant_id: rows[0]?.id ?? '' })
      const answer = await world.postForm('/account/grants/revoke', form, { ...headers, origin: world.base })
      if (answer.status !== 303) throw new Error('the agent was not disconnected')
      return { headers: bearer(token), token, userId }
    },
    operator: () => withoutOrg({ admin: true }),
    closed: async (org) => {
      const person = await member(org, 'admin')
      // Not by the operator's action, which ends sessions and tokens too: the account itself must be looked at.
      await pool.query('update users set deactivated_at = created_at where id = $1', [person.userId])
      return person
    },
  }

  return async (kind: Kind, org: TestOrg): Promise<Caller> => ({
    kind,
    headers: {},
    token: null,
    userId: null,
    elsewhere: null,
    ...(await make[kind](org)),
  })
}
