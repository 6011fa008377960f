/**
 * Races on real PostgreSQL, with as many connections as racers: of eight that present one code or one refresh token at
 * the same moment, exactly one is served; and nothing issued during a revocation outlives it. In most rounds all of them
 * are held at the first lock until every one has read the code or the token as unused, so that one who goes by what was
 * read loses at once. In the others they run as they come.
 */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashToken, newToken } from '../../src/lib/crypto.ts'
import { newId } from '../../src/lib/ids.ts'
import { listGrants, revokeGrant } from '../../src/oauth/grants.service.ts'
import { insertCode, insertFamily } from '../../src/oauth/tokens.queries.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { createOauthWorld, pkce, REDIRECT, requestFor } from './oauth.world.ts'

const RACERS = 8
const ROUNDS = 20
/** Of these, so many are held. */
const HELD = 14
const world = await createOauthWorld()
const { db, pool } = world.database
const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const POLLING = { timeout: 20_000, interval: 2 }
const { form: first, clientId, person } = await world.readyToRedeem()
const { rows } = await sql<{ id: string }>`select id from oauth_grants`.execute(db)
const grantId = rows[0]?.id ?? ''
await world.token(new URLSearchParams(first))

/** A new code under the one consent, without walking through the pages each time. */
async function freshCode(): Promise<Record<string, string>> {
  const { verifier, challenge } = pkce()
  const code = newToken('souk_code')
  const familyId = newId()
  const now = world.clock.now()
  const family = {
    id: familyId,
    grantId,
    userId: person.id,
    orgId: null,
    clientId,
    scope: 'mcp',
    resource: null,
  }
  await insertFamily(db, { ...family, createdAt: now })
  const expiresAt = new Date(now.getTime() + 60_000)
  await insertCode(db, {
    codeHash: hashToken(code),
    familyId,
    redirectUri: REDIRECT,
    codeChallenge: challenge,
    expiresAt,
  })
  return { ...first, code, code_verifier: verifier }
}

type Answer = { status: number; body: Record<string, string> }

/** Those who start wait for the grant until all of them do. */
async function whenAllWait<T>(start: () => Promise<T>): Promise<T> {
  const gate = await pool.connect()
  try {
    await gate.query('begin')
    await gate.query('select 1 from oauth_grants where id = $1 for update', [grantId])
    const started = start()
    await expect.poll(async () => (await pool.query(WAITING)).rowCount, POLLING).toBe(RACERS)
    await gate.query('commit')
    return await started
  } finally {
    gate.release()
  }
}

async function race(round: number, form: Record<string, string>): Promise<{ won: Answer[]; lost: Answer[] }> {
  const start = () =>
    Promise.all(
      Array.from({ length: RACERS }, async () => {
        const answer = await world.token(new URLSearchParams(form))
        return { status: answer.status, body: (await answer.json()) as Record<string, string> }
      }),
    )
  const answers = await (round < HELD ? whenAllWait(start) : start())
  return {
    won: answers.filter((answer) => answer.status === 200),
    lost: answers.filter((answer) => answer.status !== 200),
  }
}

test('of 8 parallel redemptions of one code exactly one wins, and the family is revoked', {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { won, lost } = await race(round, await freshCode())
    expect(won.length).toBe(1)
    expect(lost.map((answer) => answer.body.error)).toEqual(Array(RACERS - 1).fill('invalid_grant'))
    // Seven others held the code too: what it gave out is worth nothing.
    expect(await findAccessToken(world.oauth, won[0]?.body.access_token ?? '')).toBeNull()
  }
  const { rows: found } = await sql<{ most: number }>`
    select max(n) as most from (select count(*) as n from oauth_refresh_tokens group by family_id) as f`.execute(
    db,
  )
  expect(found[0]?.most).toBe(1)
})

test('of 8 parallel refreshes with one token exactly one wins, and its family lives on', {
  timeout: 120_000,
}, async () => {
  const answer = await world.token(new URLSearchParams(await freshCode()))
  let { refresh_token } = (await answer.json()) as { refresh_token: string }
  const before = await world.counts()
  for (let round = 0; round < ROUNDS; round++) {
    const { won, lost } = await race(round, {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: clientId,
    })
    expect(won.length).toBe(1)
    expect(lost.map((one) => one.body.error)).toEqual(Array(RACERS - 1).fill('invalid_grant'))
    refresh_token = won[0]?.body.refresh_token ?? ''
    expect(await findAccessToken(world.oauth, won[0]?.body.access_token ?? '')).not.toBeNull()
  }
  expect((await world.counts()).refresh).toBe(before.refresh + ROUNDS)
})

test('whatever is issued while a grant is taken back is dead once it is', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 12; round++) {
    const { person: owner, clientId: id, form, tokens } = await world.connected()
    const [grant] = await listGrants(world.oauth, owner.id)
    const { verifier, challenge } = pkce()
    const visit = { ip: null, userAgent: null, requestId: null }
    const [refreshed, authorized, revoked] = await Promise.all([
      world.token(new URLSearchParams(form)),
      world.authorize(new URLSearchParams(requestFor(id, challenge)), owner.cookie),
      revokeGrant(world.oauth, { userId: owner.id, grantId: grant?.id ?? '', visit }),
    ])
    expect(revoked).toBe(true)
    const answer = (await refreshed.json()) as Record<string, string>
    for (const token of [tokens.access_token, answer.access_token ?? ''])
      expect(await findAccessToken(world.oauth, token)).toBeNull()
    const code = URL.parse(authorized.headers.get('location') ?? '')?.searchParams.get('code')
    if (!code) continue
    const redeem = { ...first, client_id: id, code, code_verifier: verifier }
    expect((await world.token(new URLSearchParams(redeem))).status).toBe(400)
  }
})
