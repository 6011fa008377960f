/** A person with a session, clients, and the steps of the OAuth dance in process, for tests that break one step at a time. */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createSession } from '../../src/accounts/sessions.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { BASE_URL, createTestApp } from '../harness.ts'
import { unescapeHtml } from '../html.ts'

export const REDIRECT = 'https://client.example/callback'
export const RESOURCE = `${BASE_URL}/mcp`

export type Changes = Record<string, string | string[] | null>

export type World = Awaited<ReturnType<typeof createOauthWorld>>

export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export function withChanges(base: Record<string, string>, changes: Changes): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...base, ...changes }))
    for (const one of [value].flat()) if (one !== null) params.append(name, one)
  return params
}

/** `name="…"` of the consent form's fields. */
export function hiddenFields(html: string): URLSearchParams {
  const form = /<form method="post" action="\/oauth\/authorize\/">([\s\S]*?)<\/form>/.exec(html)?.[1] ?? ''
  const params = new URLSearchParams()
  for (const [, name = '', value = ''] of form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g))
    params.append(unescapeHtml(name), unescapeHtml(value))
  return params
}

export async function createOauthWorld(options: Parameters<typeof createTestApp>[0] = {}) {
  const made = await createTestApp(options)
  const { app, oauth, database } = made
  const origin = { Origin: BASE_URL }

  async function addPerson(change: { admin?: boolean } = {}): Promise<{ id: string; cookie: string }> {
    const id = newId()
    const email = `${id}@people.example`
    await database.db
      .insertInto('users')
      .values({
        id,
        email,
        email_key: email,
        password_hash: null,
        email_verified_at: new Date(),
        is_admin: change.admin ?? false,
      })
      .execute()
    const { token } = await createSession(oauth, {
      userId: id,
      visit: { ip: null, userAgent: null, requestId: null },
      replaces: null,
    })
    return { id, cookie: `souk_session=${token}` }
  }

  async function register(redirectUris = [REDIRECT], name = 'Test client'): Promise<string> {
    const answer = await postJson('/api/oauth/register/', { redirect_uris: redirectUris, client_name: name })
    return ((await answer.json()) as { client_id: string }).client_id
  }

  const postJson = async (path: string, body: unknown) =>
    await app.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  const postForm = async (path: string, params: URLSearchParams, headers: Record<string, string> = {}) =>
    await app.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: String(params),
    })

  const token = (params: URLSearchParams) => postForm('/api/oauth/token/', params)

  const authorize = async (params: URLSearchParams, cookie?: string) =>
    await app.request(`/oauth/authorize/?${params}`, {
      headers: { Accept: 'text/html', ...(cookie && { cookie }) },
    })

  const decide = (fields: URLSearchParams, cookie: string, headers: Record<string, string> = origin) =>
    postForm('/oauth/authorize/', fields, { ...headers, cookie, Accept: 'text/html' })

  /** All the way to a code, through the consent page when it is shown. */
  async function obtainCode(input: {
    clientId: string
    cookie: string
    challenge: string
    redirectUri?: string
    changes?: Changes
  }): Promise<string> {
    const params = withChanges(
      requestFor(input.clientId, input.challenge, input.redirectUri),
      input.changes ?? {},
    )
    let answer = await authorize(params, input.cookie)
    if (answer.status === 200) {
      const fields = hiddenFields(await answer.text())
      fields.set('decision', 'allow')
      answer = await decide(fields, input.cookie)
    }
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code')
    if (!code) throw new Error(`no code: ${answer.status} ${answer.headers.get('location')}`)
    return code
  }

  /** A client, a person, a code and the token request that would redeem it. */
  async function readyToRedeem(changes: Changes = {}) {
    const person = await addPerson()
    const clientId = await register()
    const { verifier, challenge } = pkce()
    const code = await obtainCode({ clientId, cookie: person.cookie, challenge, changes })
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: clientId,
      code_verifier: verifier,
    }
    return { person, clientId, form }
  }

  /** The same, redeemed. */
  async function connected() {
    const ready = await readyToRedeem()
    const answer = await token(new URLSearchParams(ready.form))
    const tokens = (await answer.json()) as { access_token: string; refresh_token: string }
    const form = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: ready.clientId,
    }
    return { ...ready, redeemed: ready.form, tokens, form }
  }

  async function counts(): Promise<{ codes: number; access: number; refresh: number; clients: number }> {
    const { rows } = await sql<{ codes: number; access: number; refresh: number; clients: number }>`
      select (select count(*) from oauth_codes) as codes, (select count(*) from oauth_access_tokens) as access,
        (select count(*) from oauth_refresh_tokens) as refresh, (select count(*) from oauth_clients) as clients`.execute(
      database.db,
    )
    const [row] = rows
    if (!row) throw new Error('no counts')
    return row
  }

  /** What the person's history shows, oldest first. */
  async function auditOf(userId: string): Promise<string[]> {
    const rows = await database.db
      .selectFrom('audit_log')
      .select('action')
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()
    return rows.map((row) => row.action)
  }

  /** Runs the work and fails if any client, code or token came of it. */
  async function nothingIssued<T>(work: () => Promise<T>): Promise<T> {
    const before = await counts()
    const result = await work()
    expect(await counts()).toEqual(before)
    return result
  }

  return {
    ...made,
    auditOf,
    nothingIssued,
    addPerson,
    register,
    postJson,
    postForm,
    token,
    authorize,
    decide,
    obtainCode,
    readyToRedeem,
    connected,
    counts,
  }
}

export function requestFor(
  clientId: string,
  challenge: string,
  redirectUri = REDIRECT,
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'mcp',
    state: 'st4te',
    resource: RESOURCE,
  }
}

export async function errorOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: string }).error
}
