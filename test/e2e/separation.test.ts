/**
 * Organizations are separate: whatever route one uses with another's ids, it reads nothing of it and changes nothing of
 * it. The table is held against the app's own list of routes, so a new route fails here until it has its line.
 * Every call with another's id is afterwards made by its owner, for whom it works: a wrong id would prove nothing.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Credential, call, createOrg } from '../orgs.ts'
import { type Call, ROUTES, type Route } from './separation.table.ts'
import { createSeparationWorld, type Settled } from './separation.world.ts'

const TABLE = Object.entries(ROUTES)
const WRITES = TABLE.filter(([name]) => !name.startsWith('GET '))

const world = await createSeparationWorld()
let bravo: Settled

function send(by: Credential, name: string, one: Call, headers: Record<string, string> = {}) {
  const [method = '', route = ''] = name.split(' ')
  const path = `${route.replace(':id', one.id ?? '')}/${one.query ? `?${one.query}` : ''}`
  return call(world, by, method, path, one.body, headers)
}

const back = ({ org }: Settled): Call => ({ body: { org_id: org.id }, others: 404 })
const first = (route: Route, of: Settled): Call => route.calls(of)[0] ?? { others: 0 }

beforeAll(async () => {
  bravo = await world.settle('Bravo-of-the-other-side')
  expect((await world.rowsOf(bravo)).length).toBeGreaterThan(15)
  // Whose access token it is belongs to the organization: what is refused is the kind of token.
  await world.database.db
    .insertInto('org_members')
    .values({ org_id: bravo.org.id, user_id: world.connectedId, role: 'owner' })
    .execute()
})

test('every route for producers that the app serves is in this table', () => {
  const served = world.app.routes
    .filter(({ path, method }) => method !== 'ALL' && /^\/api\/(org|offers)(\/|$)/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(ROUTES).sort()).toEqual([...new Set(served)].sort())
})

describe('with another organization’s ids nothing is read and nothing is changed', () => {
  test.each(TABLE)('%s', async (name, route) => {
    const alpha = await createOrg(world, { name: 'Alpha' })
    const before = await world.written.now()
    for (const one of route.calls(bravo))
      for (const by of [alpha.session, ...(route.sessionOnly ? [] : [alpha.bearer])]) {
        const answer = await send(by, name, one)
        const expected = 'bearer' in by ? (one.othersByToken ?? one.others) : one.others
        // A second claim finds the first.
        const again = name === 'POST /api/org/products/claim' && 'bearer' in by ? 200 : expected
        expect({ status: answer.status, body: answer.body }).toMatchObject({ status: again })
        if (answer.status === 404) expect(answer.body.code).toBe('not_found')
        const [said, told] = [JSON.stringify(one), JSON.stringify([answer.body, [...answer.headers]])]
        expect(world.marksOf(bravo).filter((mark) => !said.includes(mark) && told.includes(mark))).toEqual([])
      }
    expect(await world.changesOf(bravo, before)).toEqual([])
  })
})

describe('nobody is let in without the credential that the route takes', () => {
  test.each(TABLE)('%s', async (name, route) => {
    const one = first(route, bravo)
    const nobodies: Record<string, Credential> = {
      nothing: null,
      'a made-up token': { bearer: `souk_link_${'x'.repeat(43)}` },
      'a made-up cookie': { cookie: `souk_session=${'x'.repeat(43)}` },
      'an access token of the tool server': { bearer: world.accessToken },
      ...(route.sessionOnly && { 'a link token': bravo.org.bearer }),
    }
    const before = await world.written.now()
    for (const [who, by] of Object.entries(nobodies))
      expect({ who, ...(await send(by, name, one)) }).toMatchObject({
        who,
        status: 401,
        body: { error: expect.any(String), code: 'unauthenticated' },
      })
    // A bearer token decides alone, even beside a good cookie.
    const beside = { authorization: `Bearer ${world.accessToken}` }
    expect((await send(bravo.org.session, name, one, beside)).status).toBe(401)
    expect(await world.changesOf(bravo, before)).toEqual([])
  })
})

describe('somebody signed in who belongs to no organization is told so', () => {
  test.each(TABLE)('%s', async (name, { withoutOrg = 403, ...route }) => {
    const person = await world.addPerson()
    const { status, body } = await send({ cookie: person.cookie }, name, first(route, bravo))
    expect({ status, body }).toMatchObject({ status: withoutOrg })
    if (withoutOrg === 403 && !name.endsWith('/accept')) expect(body.code).toBe('not_a_producer')
    if (withoutOrg === 404) expect(body.code).toBe('not_found')
  })
})

describe('what another site makes a browser send is not done, though the cookie is good', () => {
  test.each(WRITES)('%s', async (name, route) => {
    const before = await world.written.now()
    const elsewhere: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://souk.test.evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of elsewhere) {
      const { status, body } = await send(bravo.org.session, name, first(route, bravo), headers)
      expect({ headers, status, body }).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining('another site') },
      })
    }
    expect(await world.changesOf(bravo, before)).toEqual([])
  })
})

describe('a deactivated organization reads what is its own and writes nothing', () => {
  let delta: Settled
  beforeAll(async () => {
    delta = await world.settle('Delta-that-is-closed')
    await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [delta.org.id])
    // The first use of a token is written down.
    await call(world, delta.org.bearer, 'GET', '/api/org/')
  })

  test.each(TABLE)('%s', async (name, route) => {
    const isRead = name.startsWith('GET ')
    const expected = route.deactivated ?? (isRead ? 200 : 403)
    const before = await world.written.now()
    for (const one of route.calls(delta))
      for (const by of [delta.org.session, ...(route.sessionOnly ? [] : [delta.org.bearer])]) {
        const { status, body } = await send(by, name, one)
        expect({ status, body }).toMatchObject({ status: expected })
        const otherwise = name.endsWith('/accept') || ('bearer' in by && one.othersByToken === 403)
        if (expected === 403 && !otherwise) expect(body.code).toBe('org_deactivated')
      }
    // Registering and selecting are the person's own, and change what the session acts for; it is set back.
    if (expected === 201) await send(delta.org.session, 'POST /api/org/select', back(delta))
    else if (!name.endsWith('/select')) expect(await world.changesOf(delta, before)).toEqual([])
  })
})

test('its invitation lets nobody in', async () => {
  const closed = await world.settle('Echo-that-is-closed')
  await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [closed.org.id])
  const invited = await world.signInAs(closed.invited)
  const body = { token: closed.invitationToken }
  const answer = await call(world, invited, 'POST', '/api/org/invitations/accept/', body)
  expect(answer).toMatchObject({ status: 403, body: { code: 'org_deactivated' } })
})

test('the same calls, made by the organization itself, find what they name', async () => {
  for (const [name, route] of TABLE)
    for (const one of route.calls(bravo)) {
      const mark = route.shows?.(bravo)
      if (one.others !== 404 && mark === undefined) continue
      const answer = await send(bravo.org.session, name, one)
      expect({ name, ...answer }).toMatchObject({ name, status: 200 })
      if (mark !== undefined && one.query?.startsWith('before') !== true)
        expect({ name, mark, body: JSON.stringify(answer.body) }).toMatchObject({
          body: expect.stringContaining(mark),
        })
    }
})
