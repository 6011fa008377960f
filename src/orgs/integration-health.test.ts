/** How the health of producers' agents follows from their answers, on a real database; and what the RFQ engine is given. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { createOrg } from '../../test/orgs.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { findIntegrations, recordAnswer, recordAnswers } from './integration-health.service.ts'

const souk = await createTestApp()
const { db } = souk.database
const org = await createOrg(souk, { domain: 'acme.example' })
const CARD = 'https://acme.example/card.json'
const START = new Date('2026-11-01T12:00:00Z')
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000)

const fail = (seconds = 0) =>
  recordAnswer(souk.orgs, { orgId: org.id, ok: false, ms: null, at: later(seconds) })
const succeed = (seconds = 0, ms = 40) =>
  recordAnswer(souk.orgs, { orgId: org.id, ok: true, ms, at: later(seconds) })
const row = () => db.selectFrom('agent_integrations').selectAll().executeTakeFirstOrThrow()

beforeEach(async () => {
  await db.deleteFrom('agent_integrations').execute()
  await db.insertInto('agent_integrations').values({ org_id: org.id, agent_card_url: CARD }).execute()
})

describe('after answers', () => {
  test('a valid one makes it active and is timed', async () => {
    expect(await succeed(5, 41.6)).toEqual({ status: 'active', failuresInARow: 0, skipUntil: null })
    expect(await row()).toMatchObject({ status: 'active', last_response_ms: 42, last_checked_at: later(5) })
  })

  test('two failures change nothing but the count, the third makes it unreachable', async () => {
    await succeed()
    expect(await fail(1)).toMatchObject({ status: 'active', failuresInARow: 1 })
    expect(await fail(2)).toMatchObject({ status: 'active', failuresInARow: 2 })
    expect(await fail(3)).toMatchObject({ status: 'unreachable', failuresInARow: 3, skipUntil: null })
    expect(await row()).toMatchObject({ last_response_ms: 40, last_checked_at: later(3) })
  })

  test('one that has never answered stays pending for two failures', async () => {
    await fail()
    expect(await fail()).toMatchObject({ status: 'pending' })
    expect(await fail()).toMatchObject({ status: 'unreachable' })
  })

  test('failures count only in a row', async () => {
    for (const answer of [fail, fail, succeed, fail, fail]) await answer()
    expect(await row()).toMatchObject({ status: 'active', failures_in_a_row: 2 })
  })

  test('the next valid answer makes an unreachable one active again', async () => {
    for (let n = 0; n < 12; n++) await fail()
    expect(await succeed()).toEqual({ status: 'active', failuresInARow: 0, skipUntil: null })
  })

  test('nine failures skip nothing, the tenth and each later one skips a minute', async () => {
    for (let n = 1; n <= 9; n++) expect(await fail(n)).toMatchObject({ skipUntil: null })
    expect(await fail(10)).toMatchObject({ failuresInARow: 10, skipUntil: later(70) })
    expect(await fail(75)).toMatchObject({ failuresInARow: 11, skipUntil: later(135) })
  })

  test('twenty failures at once are all counted', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => fail(n)))
    expect(await row()).toMatchObject({
      status: 'unreachable',
      failures_in_a_row: 20,
      last_checked_at: later(19),
    })
    const { skip_until } = await row()
    expect(skip_until?.getTime()).toBeGreaterThanOrEqual(later(60).getTime())
    expect(skip_until?.getTime()).toBeLessThanOrEqual(later(79).getTime())
  })

  test('an answer that is told late does not turn the time back', async () => {
    await succeed(10, 20)
    await succeed(5, 90)
    expect(await row()).toMatchObject({ last_checked_at: later(10), last_response_ms: 20 })
  })

  test('a managed organization is left as it is', async () => {
    await db.updateTable('agent_integrations').set({ is_managed: true, status: 'active' }).execute()
    const before = await row()
    for (let n = 0; n < 12; n++) expect(await fail(n)).toBeNull()
    expect(await succeed()).toBeNull()
    expect(await row()).toEqual(before)
  })

  test('the answer of an agent that was replaced says nothing about the new one', async () => {
    const old = { orgId: org.id, ok: false, ms: null, at: START, cardUrl: 'https://acme.example/old.json' }
    expect(await recordAnswer(souk.orgs, old)).toBeNull()
    expect(await recordAnswer(souk.orgs, { ...old, cardUrl: CARD })).toMatchObject({ failuresInARow: 1 })
  })

  test('without a card there is nothing to count', async () => {
    await db.updateTable('agent_integrations').set({ agent_card_url: null }).execute()
    expect(await fail()).toBeNull()
    const nobody = { orgId: '019a0000-0000-7000-8000-000000000000', ok: true, ms: 1, at: START }
    expect(await recordAnswer(souk.orgs, nobody)).toBeNull()
  })
})

describe('answers in batches', () => {
  test('each organization is counted for itself; several of one, in the order given', async () => {
    const other = await createOrg(souk)
    await db.insertInto('agent_integrations').values({ org_id: other.id, agent_card_url: CARD }).execute()
    const failed = { ok: false, ms: null, at: START }
    const health = await recordAnswers(souk.orgs, [
      { orgId: org.id, ...failed },
      { orgId: other.id, ...failed, ok: true, ms: 7 },
      { orgId: org.id, ...failed },
      { orgId: org.id, ...failed },
    ])
    expect(Object.fromEntries(health)).toEqual({
      [org.id]: { status: 'unreachable', failuresInARow: 3, skipUntil: null },
      [other.id]: { status: 'active', failuresInARow: 0, skipUntil: null },
    })
    expect((await recordAnswers(souk.orgs, [])).size).toBe(0)
  })

  test('twenty at once over the same organizations, in every order, lose no count and never lock up', async () => {
    const others = [await createOrg(souk), await createOrg(souk), await createOrg(souk)]
    for (const { id } of others)
      await db.insertInto('agent_integrations').values({ org_id: id, agent_card_url: CARD }).execute()
    const ids = [org.id, ...others.map(({ id }) => id)]
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const turned = [...ids.slice(n % 4), ...ids.slice(0, n % 4)]
        return recordAnswers(
          souk.orgs,
          turned.map((orgId) => ({ orgId, ok: false, ms: null, at: later(n) })),
        )
      }),
    )
    const rows = await db.selectFrom('agent_integrations').select('failures_in_a_row').execute()
    expect(rows).toEqual(Array(4).fill({ failures_in_a_row: 20 }))
  })
})

describe('what the engine is given', () => {
  test('the card, the opened secret, the health and the rules', async () => {
    const secret_box = souk.orgs.integrationSecrets.seal('a secret of a producer')
    const managed_rules = JSON.stringify({ volume_discounts: [], reserve_price_usd: 3 })
    await db.updateTable('agent_integrations').set({ auth_type: 'hmac', secret_box, managed_rules }).execute()
    for (let n = 0; n < 10; n++) await fail()
    const found = await findIntegrations(souk.orgs, [org.id, org.id])
    expect([...found.values()]).toEqual([
      {
        orgId: org.id,
        isManaged: false,
        managedRules: { volume_discounts: [] },
        agentCardUrl: CARD,
        authType: 'hmac',
        secret: 'a secret of a producer',
        secretLost: false,
        status: 'unreachable',
        failuresInARow: 10,
        skipUntil: later(60),
      },
    ])
  })

  test('one whose secret cannot be opened is there, says so, and stops none of the others', async () => {
    const other = await createOrg(souk)
    const secret_box = createSecretBox('an older secret that is gone of 32 characters', 'integration').seal(
      'x',
    )
    await db.updateTable('agent_integrations').set({ auth_type: 'bearer', secret_box }).execute()
    await db.insertInto('agent_integrations').values({ org_id: other.id, is_managed: true }).execute()
    const found = await findIntegrations(souk.orgs, [org.id, other.id])
    expect(found.get(org.id)).toMatchObject({ authType: 'bearer', secret: null, secretLost: true })
    expect(found.get(other.id)).toMatchObject({ isManaged: true, secret: null, secretLost: false })
    expect(souk.logged.lines().at(-1)).toMatchObject({ level: 'warn', orgs: [org.id] })
  })

  test('deactivated and unconfigured organizations are left out', async () => {
    const gone = await createOrg(souk, { deactivated: true })
    await db.insertInto('agent_integrations').values({ org_id: gone.id, is_managed: true }).execute()
    const silent = await createOrg(souk)
    const found = await findIntegrations(souk.orgs, [gone.id, silent.id, org.id])
    expect([...found.keys()]).toEqual([org.id])
    expect((await findIntegrations(souk.orgs, [])).size).toBe(0)
  })
})
