/** Organizations for tests: one with an owner who is signed in, a link token, and JSON calls by either. */
import { createSession } from '../src/accounts/sessions.service.ts'
import { sessionCookieName } from '../src/http/session-cookie.ts'
import { hashToken, newToken } from '../src/lib/crypto.ts'
import { newId } from '../src/lib/ids.ts'
import type { OrgRole, OrgType } from '../src/orgs/orgs.schema.ts'
import type { Souk } from './accounts.ts'

export type JsonAnswer = { status: number; body: Record<string, unknown>; headers: Headers }

/** How somebody calls the API: by cookie or by bearer token. */
export type Credential = { cookie: string } | { bearer: string } | null

export async function call(
  souk: Pick<Souk, 'app' | 'accounts'>,
  credential: Credential,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const url = new URL(path, souk.accounts.config.baseUrl)
  const response = await souk.app.request(url.href, {
    method,
    headers: {
      ...(credential && 'cookie' in credential && { cookie: credential.cookie }),
      ...(credential && 'bearer' in credential && { authorization: `Bearer ${credential.bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = /[+/]json(;|$)/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, body: isJson ? JSON.parse(text) : { text }, headers: response.headers }
}

export type TestOrg = {
  id: string
  ownerId: string
  session: { cookie: string }
  bearer: { bearer: string }
  tokenId: string
}

let orgs = 0

/** Written straight to the tables, so that tests of what comes after do not hang on how organizations are made. */
export async function createOrg(
  souk: Souk,
  options: {
    name?: string
    orgType?: OrgType
    domain?: string | null
    verified?: boolean
    deactivated?: boolean
    role?: OrgRole
    shopifyShop?: string
  } = {},
): Promise<TestOrg> {
  const n = ++orgs
  const { orgType = 'retailer', domain = `shop-${n}.example`, verified = true, role = 'owner' } = options
  const { db } = souk.database
  const owner = await createProducerAccount(souk, `owner-${n}@example.com`)
  const at = souk.accounts.clock.now()
  const [id, tokenId, token] = [newId(), newId(), newToken('souk_link')]
  await db
    .insertInto('orgs')
    .values({
      id,
      name: options.name ?? `Shop ${n}`,
      org_type: orgType,
      domain,
      website_url: null,
      shopify_shop: options.shopifyShop ?? null,
      verification_status: verified ? 'verified' : 'pending',
      verified_via: verified ? 'operator' : null,
      verified_at: verified ? at : null,
      verification_token: newToken('souk_domain'),
      deactivated_at: options.deactivated ? at : null,
      created_at: at,
      updated_at: at,
    })
    .execute()
  await db
    .insertInto('org_members')
    .values({ org_id: id, user_id: owner.userId, role, created_at: at })
    .execute()
  await db
    .insertInto('link_tokens')
    .values({
      id: tokenId,
      org_id: id,
      name: 'plugin',
      token_hash: hashToken(token),
      hint: token.slice(-4),
      created_by: owner.userId,
      created_at: at,
      last_used_at: null,
      revoked_at: null,
    })
    .execute()
  return { id, ownerId: owner.userId, session: { cookie: owner.cookie }, bearer: { bearer: token }, tokenId }
}

/** Somebody with a confirmed address, signed in; their rows are written, because hashing a password takes its time. */
async function createProducerAccount(souk: Souk, email: string): Promise<{ cookie: string; userId: string }> {
  const { accounts, database } = souk
  const at = accounts.clock.now()
  const userId = newId()
  await database.db
    .insertInto('users')
    .values({
      id: userId,
      email,
      email_key: email,
      name: 'Ada',
      password_hash: null,
      email_verified_at: at,
      account_type: 'producer',
      created_at: at,
      updated_at: at,
    })
    .execute()
  const visit = { ip: '192.0.2.1', userAgent: null, requestId: null }
  const { token } = await createSession(accounts, { userId, visit, replaces: null })
  return { cookie: `${sessionCookieName(accounts.config.baseUrl)}=${token}`, userId }
}

/** Another member of an organization, signed in. */
export async function addMember(
  souk: Souk,
  org: TestOrg,
  role: OrgRole,
): Promise<{ cookie: string; userId: string }> {
  const person = await createProducerAccount(souk, `member-${++orgs}@example.com`)
  await souk.database.db
    .insertInto('org_members')
    .values({ org_id: org.id, user_id: person.userId, role, created_at: souk.accounts.clock.now() })
    .execute()
  return person
}

/** A product for tests with the organization's relationship to it, verified unless said otherwise. */
export async function relate(
  souk: Pick<Souk, 'database' | 'accounts'>,
  org: TestOrg,
  productId: string,
  {
    type = 'sells',
    status = 'verified',
  }: { type?: 'sells' | 'manufactured_by'; status?: 'pending' | 'verified' } = {},
): Promise<string> {
  const id = newId()
  const at = souk.accounts.clock.now()
  await souk.database.db
    .insertInto('product_relationships')
    .values({
      id,
      org_id: org.id,
      product_id: productId,
      relationship_type: type,
      status,
      verified_via: status === 'verified' ? 'operator' : null,
      evidence_url: null,
      created_at: at,
      verified_at: status === 'verified' ? at : null,
    })
    .execute()
  return id
}
