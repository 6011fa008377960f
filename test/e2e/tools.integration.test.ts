/** Setting how an organization answers, through the tool server: secrets stay where they are, and all or nothing changes. */
import { beforeEach, expect, test } from 'vitest'
import { BASE_URL } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import { HOSTILE } from '../skills.world.ts'
import { withTools } from '../tools.world.ts'
import { CARD, createIntegrationWorld, REGISTER } from './integration.world.ts'

const SET = 'set_agent_integration'
const SECRET = 'a secret of the producer, long enough'
const URL_ONE = 'https://acme.example/card.json'
const URL_TWO = 'https://agent.acme.example/.well-known/agent-card.json'
const URL_BESIDE = 'https://acme.example/.well-known/agent-card.json'

const world = withTools(await createIntegrationWorld())
const { site, acme, rowOf, auditOf } = world
const owner = { token: await world.tokenFor(acme.ownerId) }
const set = (args: Record<string, unknown>, by = owner) => world.call(by, SET, args)
const withSecret = () =>
  world.send(acme.bearer, 'POST', REGISTER, {
    agent_card_url: URL_ONE,
    auth_type: 'hmac',
    hmac_secret: SECRET,
  })

beforeEach(async () => {
  site.serving(CARD)
  await world.database.pool.query('truncate agent_integrations')
})

/** Holds that a refused or unfinished call left everything as it was. */
async function unchanged<T>(work: () => Promise<T>): Promise<T> {
  const before = [await rowOf(acme), await auditOf(acme)]
  const done = await work()
  expect([await rowOf(acme), await auditOf(acme)]).toEqual(before)
  return done
}

test('a card without a secret is checked, registered and answered with at once', async () => {
  const { data, text } = await set({ agent_card_url: URL_ONE, auth_type: 'none' })
  expect(data).toEqual({
    is_managed: false,
    managed_rules: null,
    agent_card_url: URL_ONE,
    auth_type: 'none',
    status: 'pending',
    last_response_ms: null,
    last_checked_at: null,
    changed: ['agent_card_url'],
    not_changed: [{ setting: 'auth_type', reason: 'it was so already' }],
    needs_secret: false,
    dashboard_url: `${BASE_URL}/dashboard/agent`,
  })
  expect(text).toContain('run_test')
  expect((await auditOf(acme)).at(-1)).toMatchObject({
    action: 'integration.card_registered',
    detail: { card_host: 'acme.example', auth_type: 'none' },
  })
})

test('where a secret is needed nothing changes, and the answer links to where a person enters it', async () => {
  for (const auth_type of ['bearer', 'hmac']) {
    const { data, text } = await unchanged(() =>
      set({ agent_card_url: URL_ONE, auth_type, is_managed: true }),
    )
    expect(data).toMatchObject({ needs_secret: true, agent_card_url: null, is_managed: false })
    expect(text).toContain(`${BASE_URL}/dashboard/agent`)
  }
})

test('within its origin the card moves under the sealed secret', async () => {
  await withSecret()
  const before = await rowOf(acme)
  for (const args of [{ auth_type: 'hmac' }, {}]) {
    const { data, text } = await set({ agent_card_url: URL_BESIDE, ...args })
    expect(data).toMatchObject({ needs_secret: false, agent_card_url: URL_BESIDE, auth_type: 'hmac' })
    expect(text + JSON.stringify(data)).not.toContain(SECRET)
    expect((await rowOf(acme))?.secret_box).toBe(before?.secret_box)
  }
})

test('a secret is not taken along to another host or port, be it of the own domain', async () => {
  await withSecret()
  site.requests.length = 0
  for (const agent_card_url of [URL_TWO, 'https://acme.example:8443/card.json'])
    for (const args of [{ auth_type: 'hmac' }, {}, { is_managed: false }]) {
      const { data, text } = await unchanged(() => set({ agent_card_url, ...args }))
      expect(data).toMatchObject({ needs_secret: true, agent_card_url: URL_ONE, auth_type: 'hmac' })
      expect(text).toContain('a stored one is only valid for its host and port')
    }
  expect(site.requests).toEqual([])
  expect((await set({ agent_card_url: 'https://ACME.example:443/card.json' })).data.needs_secret).toBe(false)
})

test('a secret that was entered for another host while a card is read does not move back', async () => {
  await withSecret()
  site.respondWith((_request, response) => {
    void world.database.pool
      .query('update agent_integrations set agent_card_url = $1', [URL_TWO])
      .then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(CARD)))
  })
  const { data } = await set({ agent_card_url: URL_BESIDE })
  expect(data).toMatchObject({ needs_secret: true, agent_card_url: URL_TWO })
  expect((await rowOf(acme))?.secret_box).not.toBeNull()
})

test('another way to authenticate needs its own secret; none drops the old one', async () => {
  await withSecret()
  const { data } = await unchanged(() => set({ agent_card_url: URL_TWO, auth_type: 'bearer' }))
  expect(data).toMatchObject({ needs_secret: true, agent_card_url: URL_ONE, auth_type: 'hmac' })
  expect((await set({ auth_type: 'none' })).data).toMatchObject({
    agent_card_url: URL_ONE,
    auth_type: 'none',
  })
  expect((await rowOf(acme))?.secret_box).toBeNull()
})

test('a secret that can no longer be opened is not kept for a new address', async () => {
  await withSecret()
  await world.database.pool.query(`update agent_integrations set secret_box = 'v1.gone.gone'`)
  const { data } = await unchanged(() => set({ agent_card_url: URL_BESIDE }))
  expect(data).toMatchObject({ needs_secret: true })
})

test('managed is switched alone, and null takes the card and its secret away', async () => {
  await withSecret()
  expect((await set({ is_managed: true })).data).toMatchObject({
    is_managed: true,
    status: 'active',
    agent_card_url: URL_ONE,
  })
  expect((await set({ agent_card_url: null })).data).toMatchObject({ is_managed: true, agent_card_url: null })
  expect(await rowOf(acme)).toMatchObject({ secret_box: null, auth_type: 'none' })
  expect((await set({ is_managed: false, agent_card_url: null })).data).toMatchObject({
    is_managed: false,
    status: 'pending',
  })
})

test('a card and managed together are both set', async () => {
  const { data } = await set({ agent_card_url: URL_ONE, is_managed: true })
  expect(data).toMatchObject({ agent_card_url: URL_ONE, is_managed: true, status: 'active' })
  expect((await set({ agent_card_url: URL_TWO, is_managed: false })).data).toMatchObject({
    is_managed: false,
  })
})

test('a card that does not hold is refused as over REST, and nothing changes', async () => {
  await set({ is_managed: true })
  const refused = async (args: Record<string, unknown>) => (await unchanged(() => set(args))).error
  expect(
    await refused({ agent_card_url: 'https://other.example/card.json', is_managed: false }),
  ).toMatchObject({
    kind: 'forbidden',
    code: 'domain_mismatch',
    field: 'agent_card_url',
  })
  expect(await refused({ agent_card_url: 'http://acme.example/card.json' })).toMatchObject({
    kind: 'invalid',
    field: 'agent_card_url',
  })
  site.serving({ ...CARD, skills: [] })
  expect(await refused({ agent_card_url: URL_ONE, is_managed: false })).toMatchObject({
    code: 'card_lacks_skill',
  })
  site.serving('gone', 404)
  expect(await refused({ agent_card_url: URL_ONE })).toMatchObject({ code: 'card_unreachable' })
  for (const hostile of HOSTILE)
    expect(await refused({ agent_card_url: hostile })).toMatchObject({ field: 'agent_card_url' })
})

test('what makes no sense is refused with its field', async () => {
  const refused = async (args: Record<string, unknown>) => (await unchanged(() => set(args))).error
  const nothing = await unchanged(() => set({}))
  expect([nothing.isError, nothing.text]).toEqual([false, expect.stringMatching(/^Nothing was changed\./)])
  expect(await refused({ auth_type: 'none' })).toMatchObject({ kind: 'invalid', field: 'agent_card_url' })
  expect(await refused({ agent_card_url: null, auth_type: 'hmac' })).toMatchObject({ field: 'auth_type' })
  const { field, valid } = await refused({ agent_card_url: URL_ONE, auth_type: 'basic' })
  expect({ field, valid }).toEqual({ field: 'auth_type', valid: ['none', 'bearer', 'hmac'] })
  expect(await refused({ agent_card_url: `${URL_ONE}?${'x'.repeat(2_100)}` })).toMatchObject({ max: 2_048 })
})

test('what is so already is said to be as before, and replacing a secret has a way of its own', async () => {
  const again = await unchanged(() => set({ is_managed: false }))
  expect(again.data).toMatchObject({ changed: [], not_changed: [{ setting: 'is_managed' }] })
  expect(again.text).toMatch(/^Nothing was changed\. As before: is_managed\./)
  const rotated = await unchanged(() => set({ rotate_secret: true }))
  expect(rotated.data).toMatchObject({ changed: [], dashboard_url: `${BASE_URL}/dashboard/agent` })
  expect(rotated.text).toMatch(/^Nothing was changed: /)
  const both = await unchanged(() => set({ rotate_secret: true, is_managed: true }))
  expect(both.error).toMatchObject({ kind: 'invalid', field: 'rotate_secret' })
})

test('a secret among the arguments is never used or kept', async () => {
  await unchanged(() =>
    set({ agent_card_url: URL_ONE, auth_type: 'hmac', hmac_secret: SECRET, bearer_token: SECRET }),
  )
  expect(world.logged.text()).not.toContain(SECRET)
})

test('only owners and admins set it, for their own organization alone', async () => {
  for (const role of ['viewer', 'editor'] as const) {
    const member = await world.person({ in: acme, role })
    const { error } = await unchanged(() => set({ is_managed: true }, member))
    expect(error).toMatchObject({ kind: 'forbidden', code: 'not_owner_or_admin' })
  }
  const other = await createOrg(world, { name: 'Other' })
  const stranger = { token: await world.tokenFor(other.ownerId) }
  await unchanged(() => set({ is_managed: true }, stranger))
  expect(await rowOf(other)).toMatchObject({ is_managed: true })
  expect((await unchanged(async () => set({ is_managed: true }, await world.person()))).isError).toBe(true)
})

test('a card whose address carries markup is shown as text, and the answer still fits', async () => {
  const url = `https://acme.example/[x](javascript:alert(1))/**b**/${'y'.repeat(1_900)}`
  const { isError } = await set({ agent_card_url: url })
  expect(isError).toBe(false)
  const { text } = await world.call(owner, 'get_agent_integration')
  expect(text).not.toContain('[x](')
})

test('two calls at once leave one whole configuration', async () => {
  await Promise.all([
    set({ agent_card_url: URL_ONE, auth_type: 'none' }),
    set({ agent_card_url: null, is_managed: true }),
    set({ agent_card_url: URL_TWO, auth_type: 'none' }),
  ])
  const row = await rowOf(acme)
  const whole = row?.is_managed
    ? { is_managed: true, status: 'active', agent_card_url: null }
    : { is_managed: false, status: 'pending', agent_card_url: expect.stringMatching(/^https:/) }
  expect(row).toMatchObject(whole)
})
