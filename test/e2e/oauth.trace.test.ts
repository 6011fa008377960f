/** What the dance leaves behind: the operator's trace, and what the sweep takes away. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweepOauth } from '../../src/oauth/sweep.job.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { listTrace } from '../../src/oauth/trace.service.ts'
import { createOauthWorld, RESOURCE, requestFor, withChanges } from './oauth.world.ts'

const world = await createOauthWorld()

describe('what is left behind', () => {
  test('the trace tells each step of a client with its reason, to operators only', async () => {
    const { clientId, form, person } = await world.connected()
    await world.token(withChanges(form, { resource: 'https://other.example/' }))
    await world.oauth.trace.settled()
    const rows = await listTrace(world.oauth, { clientId })
    expect(rows.map((row) => [row.step, row.outcome]).reverse()).toEqual([
      ['register', 'ok'],
      ['authorize', 'ok'],
      ['consent', 'ok'],
      ['token', 'ok'],
      ['refresh', 'refused'],
    ])
    expect(rows[0]?.reason).toBe(`invalid_target: tokens are issued for ${RESOURCE} only`)
    expect((await listTrace(world.oauth, { clientId, outcome: 'refused' })).length).toBe(1)

    const page = async (cookie?: string) =>
      await world.app.request(`/admin/oauth?client=${clientId}&outcome=refused`, {
        headers: { Accept: 'text/html', ...(cookie && { cookie }) },
      })
    expect((await page()).status).toBe(404)
    expect((await page(person.cookie)).status).toBe(404)
    const operator = await world.addPerson({ admin: true })
    const html = await (await page(operator.cookie)).text()
    expect(html).toContain('invalid_target')
    expect(html).not.toContain('asked the person')
  })

  test('a fault of ours is told without its details, and traced as failed', async () => {
    const { form, person } = await world.readyToRedeem()
    const params = new URLSearchParams(requestFor(form.client_id, 'a'.repeat(43)))
    await sql`alter table oauth_families rename to oauth_families_away`.execute(world.database.db)
    const token = await world.token(new URLSearchParams(form))
    const page = await world.authorize(params, person.cookie)
    await sql`alter table oauth_families_away rename to oauth_families`.execute(world.database.db)
    expect([token.status, page.status]).toEqual([500, 500])
    const body = (await token.text()) + (await page.text())
    expect(body).toContain('"error":"server_error"')
    expect(body).not.toContain('oauth_families')
    // The page of a fault is a page like others: with the stylesheet allowed, and no frame.
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'self'`)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    await world.oauth.trace.settled()
    const failed = await listTrace(world.oauth, { clientId: form.client_id, outcome: 'failed' })
    expect(failed.map((row) => row.step).sort()).toEqual(['authorize', 'token'])
    expect((await world.token(new URLSearchParams(form))).status).toBe(200)
  })

  test('a trace that cannot be written fails nothing', async () => {
    await sql`alter table oauth_trace rename to oauth_trace_away`.execute(world.database.db)
    const { tokens } = await world.connected()
    await world.oauth.trace.settled()
    await sql`alter table oauth_trace_away rename to oauth_trace`.execute(world.database.db)
    expect(await findAccessToken(world.oauth, tokens.access_token)).not.toBeNull()
    expect(world.logged.text()).toContain('the OAuth trace could not be written')
  })

  test('the sweep takes what has run out and leaves what counts', async () => {
    const fresh = await createOauthWorld()
    const { form, tokens } = await fresh.connected()
    await fresh.register()
    await sweepOauth(fresh.oauth)
    expect(await fresh.counts()).toEqual({ codes: 1, access: 1, refresh: 1, clients: 2 })
    fresh.clock.advance(2 * 86_400_000)
    await fresh.token(new URLSearchParams(form))
    await sweepOauth(fresh.oauth)
    // The rotated token stays, or its reuse could not be told.
    expect(await fresh.counts()).toEqual({ codes: 0, access: 1, refresh: 2, clients: 2 })
    expect(await findAccessToken(fresh.oauth, tokens.access_token)).toBeNull()
    await fresh.oauth.trace.settled()
    fresh.clock.advance(91 * 86_400_000)
    const swept = await sweepOauth(fresh.oauth)
    expect(swept).toMatchObject({ families: 1, clients: 1, trace: expect.any(Number) })
    expect(await fresh.counts()).toEqual({ codes: 0, access: 0, refresh: 0, clients: 1 })
    expect(await listTrace(fresh.oauth)).toEqual([])
  })

  test('the trace keeps its last 5,000 rows', async () => {
    const fresh = await createOauthWorld()
    await sql`
      insert into oauth_trace (id, at, step, outcome)
      select gen_random_uuid(), ${fresh.clock.now()}::timestamptz - n * interval '1 second', 'token', 'ok'
      from generate_series(1, 5100) as n`.execute(fresh.database.db)
    expect((await sweepOauth(fresh.oauth)).trace).toBe(100)
  })
})
