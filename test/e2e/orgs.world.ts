/** An app whose organizations can prove domains: TXT records from a map, files from a TLS server on loopback. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll } from 'vitest'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import type { OrgRole } from '../../src/orgs/orgs.schema.ts'
import { createMailbox, signIn } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { serve } from '../loopback.ts'
import { type Credential, call, type JsonAnswer } from '../orgs.ts'
import { createTestCa } from '../tls.ts'

/** The names that lead to the loopback server. */
export const SERVED = ['acme.example', 'rival.example', 'third.example']

export type Registered = { org_id: string; verification_status: string; skipped_verification: boolean }
type Respond = (request: IncomingMessage, response: ServerResponse) => void

const NOTHING: Respond = (_request, response) => response.writeHead(404).end('nothing here')

export async function createOrgsWorld() {
  const authority = createTestCa()
  const files = { respond: NOTHING, asked: 0 }
  const server = await serve((request, response) => {
    files.asked += 1
    files.respond(request, response)
  }, authority.certFor(SERVED))
  afterAll(() => server.close())
  const allow = parseOutboundAllow(SERVED.map((name) => `${name}=127.0.0.1:${server.port}`).join(','))
  const txt = new Map<string, string[] | Error>()
  /** Called while a domain is looked at. */
  const during = { lookup: async () => {} }
  const souk = await createTestApp({
    outbound: createOutbound({ allow, ca: authority.ca }),
    resolveTxt: async (name) => {
      await during.lookup()
      const found = txt.get(name) ?? []
      if (found instanceof Error) throw found
      return found
    },
  })
  /** What later features are told, in order; `fails` makes them fail, as a database may. */
  const told = { calls: [] as string[], fails: false }
  const { domainVerified, domainLost, changed } = souk.orgs.orgHooks
  const tell =
    (what: string, hook: typeof changed): typeof changed =>
    async (tx, orgId, at) => {
      told.calls.push(`${what} ${orgId}`)
      if (told.fails) throw new Error('a later feature failed')
      await hook(tx, orgId, at)
    }
  souk.orgs.orgHooks = {
    domainVerified: tell('verified', domainVerified),
    domainLost: tell('lost', domainLost),
    changed: tell('changed', changed),
  }
  const mailbox = createMailbox(souk)
  const { db, pool } = souk.database

  async function person(email: string, { verified = true, name = 'Ada' } = {}) {
    const { cookie, browser } = await signIn(souk, { email, verified, name })
    const { rows } = await pool.query<{ id: string }>('select id from users where email_key = $1', [email])
    return { cookie, browser, email, id: rows[0]?.id ?? '' }
  }

  const ask = (who: Credential, method: string, path: string, body?: unknown): Promise<JsonAnswer> =>
    call(souk, who, method, path, body)

  async function register(who: Credential, body: Record<string, unknown>): Promise<Registered> {
    const answer = await ask(who, 'POST', '/api/org/register/', { org_type: 'retailer', ...body })
    if (answer.status !== 201) throw new Error(`not registered: ${JSON.stringify(answer.body)}`)
    return answer.body as Registered
  }

  const row = async (id: string) =>
    db.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  /** The organization's history as the table has it, oldest first. */
  async function history(orgId: string) {
    return db
      .selectFrom('audit_log')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('at')
      .orderBy('id')
      .execute()
  }
  const actions = async (orgId: string) => (await history(orgId)).map(({ action }) => action)

  async function roleOf(orgId: string, userId: string): Promise<OrgRole | null> {
    const member = await db
      .selectFrom('org_members')
      .select('role')
      .where('org_id', '=', orgId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return member?.role ?? null
  }
  const accountType = async (userId: string) =>
    (await db.selectFrom('users').select('account_type').where('id', '=', userId).executeTakeFirstOrThrow())
      .account_type

  return {
    ...souk,
    files,
    NOTHING,
    txt,
    during,
    told,
    mailbox,
    person,
    ask,
    register,
    row,
    history,
    actions,
    roleOf,
    accountType,
  }
}

export type OrgsWorld = Awaited<ReturnType<typeof createOrgsWorld>>
