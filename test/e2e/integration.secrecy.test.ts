/**
 * What a producer keeps to itself stays so: figures and secrets no other text could hold are sent in, and then searched
 * for in everything that comes out or is kept: answers, log lines, audit records, the account's export, every table.
 */
import { expect, test } from 'vitest'
import { resealSecrets } from '../../src/orgs/integration.service.ts'
import { findIntegrations } from '../../src/orgs/integration-health.service.ts'
import { addMember } from '../orgs.ts'
import { CARD, createIntegrationWorld, INTEGRATION, REGISTER } from './integration.world.ts'

const world = await createIntegrationWorld()
const { acme, site } = world

const FIGURES = [7713.37, 7714.41, 7715.53, 61.893, 62.771, 7716.59]
const SECRETS = ['bearer-gravel-otter-90817', 'hmac-gravel-otter-90818', 'refused-otter-90819']
const [topReserve, inList, deep, topMargin, deepMargin, inOther] = FIGURES

async function everyTable(): Promise<string> {
  const { pool } = world.database
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  expect(rows.length).toBeGreaterThan(20)
  const dumps = await Promise.all(rows.map(({ name }) => pool.query(`select t::text as row from ${name} t`)))
  return dumps.flatMap(({ rows: found }) => found.map(({ row }) => row)).join('\n')
}

test('reserve prices, margins and secrets are nowhere but in the sealed box', async () => {
  site.serving(CARD)
  const answers: string[] = []
  const send = async (...args: Parameters<typeof world.send>) => {
    const { status, body, headers } = await world.send(...args)
    answers.push(JSON.stringify([body, [...headers]]))
    return status
  }
  const card = 'https://agent.acme.example/card.json'
  const [bearer_token, hmac_secret, refused] = SECRETS
  const managed_rules = {
    volume_discounts: [{ min_qty: 3, discount_pct: 4, reserve_price_usd: inList }],
    reserve_price_usd: topReserve,
    min_margin_pct: topMargin,
    products: {
      a: { b: [[{ reserve_price_usd: deep, min_margin_pct: { of: [deepMargin] }, keep: 'kept-mark' }]] },
    },
  }

  expect(
    await send(acme.session, 'POST', REGISTER, { agent_card_url: card, auth_type: 'bearer', bearer_token }),
  ).toBe(200)
  expect(await send(acme.session, 'PATCH', INTEGRATION, { is_managed: true, managed_rules })).toBe(200)
  expect(await send(acme.session, 'GET', INTEGRATION)).toBe(200)
  expect(await send(await addMember(world, acme, 'viewer'), 'GET', INTEGRATION)).toBe(200)
  expect(
    await send(acme.bearer, 'POST', REGISTER, { agent_card_url: card, auth_type: 'hmac', hmac_secret }),
  ).toBe(200)
  expect(await send(acme.bearer, 'GET', INTEGRATION)).toBe(200)
  // Refused ones too: bad bodies, wrong people, cards that fail, and a fault of the database.
  const bad = { is_managed: 'x', managed_rules: { reserve_price_usd: inOther } }
  expect(await send(acme.session, 'PATCH', INTEGRATION, bad)).toBe(400)
  expect(await send(acme.session, 'PATCH', INTEGRATION, `{"reserve_price_usd":${inOther},`)).toBe(400)
  const odd = { is_managed: true, managed_rules: { volume_discounts: { reserve_price_usd: inOther } } }
  expect(await send(acme.session, 'PATCH', INTEGRATION, odd)).toBe(400)
  const withSecret = { agent_card_url: card, auth_type: 'bearer', bearer_token: refused }
  const spaced = { ...withSecret, bearer_token: `${refused} with a space` }
  expect(await send(acme.session, 'POST', REGISTER, spaced)).toBe(400)
  expect(await send(await addMember(world, acme, 'viewer'), 'POST', REGISTER, withSecret)).toBe(403)
  site.serving({})
  expect(await send(acme.session, 'POST', REGISTER, withSecret)).toBe(422)
  site.serving(CARD)
  await world.database.pool.query(
    'alter table agent_integrations add constraint broken check (org_id is null) not valid',
  )
  expect(await send(acme.session, 'POST', REGISTER, withSecret)).toBe(500)
  const good = { is_managed: true, managed_rules: { ...managed_rules, reserve_price_usd: inOther } }
  expect(await send(acme.session, 'PATCH', INTEGRATION, good)).toBe(500)
  await world.database.pool.query('alter table agent_integrations drop constraint broken')
  await findIntegrations(world.orgs, [acme.id])
  await resealSecrets(world.orgs)

  const exported = await world.app.request(new URL('/account/export', world.accounts.config.baseUrl).href, {
    headers: acme.session,
  })
  expect(exported.status).toBe(200)
  const places = {
    answers: answers.join('\n'),
    log: world.logged.text(),
    export: await exported.text(),
    tables: await everyTable(),
    // What was sent to the card's server, too.
    requests: JSON.stringify(site.requests.map(({ url, rawHeaders }) => [url, rawHeaders])),
  }
  // The search finds what is there to be found.
  expect(places.answers).toContain('kept-mark')
  expect(places.tables).toContain('kept-mark')
  expect(places.tables).toContain('integration.card_registered')
  expect(places.log).toContain('request failed')
  for (const [place, text] of Object.entries(places))
    for (const hidden of [...FIGURES.map(String), ...SECRETS])
      expect({ place, hidden, found: text.includes(hidden) }).toEqual({ place, hidden, found: false })
  expect(places.tables).not.toMatch(/reserve_price_usd|min_margin_pct/)

  const row = await world.rowOf(acme)
  expect(row?.secret_box).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
  expect(world.orgs.integrationSecrets.open(row?.secret_box ?? '')).toBe(hmac_secret)
})
