/**
 * Who sees and does what on the pages of producers. The table is held against the app's own list of
 * routes, so a new page fails here until it has its line. Every form that is refused to one is also sent by somebody who
 * may, for whom it is done: a form filled in wrongly would prove nothing.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { ORG_ROLES, type OrgRole } from '../../src/orgs/orgs.schema.ts'
import { addMember, createOrg, relate, type TestOrg } from '../orgs.ts'
import { mayUse, PAGES } from './separation.pages.table.ts'
import {
  createPagesWorld,
  ELSEWHERE,
  expectStatus,
  isOfDashboard,
  offeredBy,
  pathOf,
  rowFor,
  saidBy,
} from './separation.pages.world.ts'
import type { Settled } from './separation.world.ts'

const TABLE = Object.entries(PAGES)
const READS = TABLE.filter(([name]) => name.startsWith('GET '))
const WRITES = TABLE.filter(([name]) => name.startsWith('POST '))
/** Those that are sent for one organization. */
const ACTIONS = WRITES.filter(([, { namesOrg }]) => !namesOrg)

const world = await createPagesWorld()
const { base, ask, send, expectNothingTold } = world
let bravo: Settled
let golf: Settled
beforeAll(async () => {
  bravo = await world.settle('Bravo-of-the-other-side')
  golf = await world.settle('Golf-next-to-it')
})

test('every page and form of the dashboard that the app serves is in this table', () => {
  const served = world.app.routes
    .filter(({ path, method }) => method !== 'ALL' && isOfDashboard(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(PAGES).sort()).toEqual([...new Set(served)].sort())
})

describe('a stranger is led to sign in and back to the page', () => {
  world.nothingChanges(() => [bravo])

  test.each(TABLE)('%s', async (name, page) => {
    for (const call of page.calls(bravo))
      for (const by of [null, { cookie: `souk_session=${'x'.repeat(43)}` }]) {
        const answer = await send(by, name, call, bravo.org.id)
        const led = new URL(answer.location ?? '', base)
        expect([answer.status, led.pathname]).toEqual([303, '/auth/signin'])
        const back = led.searchParams.get('return_to') ?? ''
        if (name.startsWith('GET ')) expect(back).toBe(pathOf(name, call))
        // What was typed waits for the person who sent it.
        const isKept = name.startsWith('POST ') && /^\/unsaved\/[\da-f-]{36}$/.test(back)
        if (!isKept)
          expect([back, rowFor('GET', new URL(back, base).pathname)]).toEqual([back, expect.any(Object)])
        expectNothingTold(answer, bravo, saidBy(name, call))
      }
  })
})

describe('somebody who belongs to no organization is told so', () => {
  world.nothingChanges(() => [bravo])

  test.each(TABLE)('%s', async (name, page) => {
    const { cookie } = await world.addPerson()
    for (const call of page.calls(bravo)) {
      const answer = await send({ cookie }, name, call, bravo.org.id)
      const expected = page.right === 'person' ? call.others : 403
      expectStatus(answer, expected)
      if (expected === 403) expect(answer.told).toContain('You belong to no organization')
      expectNothingTold(answer, bravo, saidBy(name, call))
    }
  })
})

describe('with another organization’s ids nothing is told of it', () => {
  let strangers: TestOrg[]
  /** One that sells something else, and one that sells the same. */
  async function settleStrangers(): Promise<TestOrg[]> {
    const [alpha, rival] = [
      await createOrg(world, { name: 'Alpha' }),
      await createOrg(world, { name: 'Rival' }),
    ]
    await relate(world, rival, await productOf(bravo))
    return [alpha, rival]
  }
  beforeAll(async () => {
    strangers = await settleStrangers()
  })

  world.nothingChanges(() => [bravo])

  test.each(TABLE)('%s', async (name, page) => {
    // Who registers acts for the new one from then on.
    const [alpha, rival] = page.namesOrg ? await settleStrangers() : strangers
    for (const call of page.calls(bravo))
      for (const [by, expected] of [
        [alpha, call.others],
        [rival, call.rivals ?? call.others],
      ] as const) {
        const answer = await send(by?.session ?? null, name, call, by?.id)
        expectStatus(answer, expected)
        expectNothingTold(answer, bravo, saidBy(name, call))
      }
  })
})

async function productOf({ slug }: Settled): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from products where slug = $1',
    [slug.split('/')[1]],
  )
  return rows[0]?.id ?? ''
}

describe('what another site makes a browser send is not done, though the cookie is good', () => {
  world.nothingChanges(() => [bravo])

  test.each(WRITES)('%s', async (name, page) => {
    const [call = { others: 0 }] = page.calls(bravo)
    for (const headers of ELSEWHERE) {
      const answer = await send(bravo.org.session, name, call, bravo.org.id, headers)
      expectStatus(answer, 403)
      expect(answer.told).toContain('another site')
    }
  })
})

describe('who belongs to two organizations', () => {
  let person: { cookie: string }
  beforeAll(async () => {
    const { cookie, userId } = await addMember(world, bravo.org, 'owner')
    person = { cookie }
    await world.database.db
      .insertInto('org_members')
      .values({ org_id: golf.org.id, user_id: userId, role: 'owner' })
      .execute()
  })

  async function choose({ org }: Settled): Promise<void> {
    const call = { fields: { org_id: org.id, at: '/dashboard' }, others: 0 }
    expectStatus(await send(person, 'POST /dashboard/switch', call), 303)
  }

  describe.each([
    { title: 'the one', both: () => [bravo, golf] as const },
    { title: 'the other', both: () => [golf, bravo] as const },
  ])('is shown the chosen one alone: $title', ({ both }) => {
    beforeAll(() => choose(both()[0]))

    test.each(READS)('%s', async (name, page) => {
      const [chosen, other] = both()
      for (const call of page.calls(chosen)) {
        const answer = await send(person, name, call)
        expectStatus(answer, 200)
        // Where one chooses, the other is named.
        const told = answer.told.replaceAll(
          /<form method="post" action="\/dashboard\/switch">.*?<\/form>/gs,
          '',
        )
        expectNothingTold({ ...answer, told }, other, saidBy(name, call))
      }
      for (const call of page.calls(other))
        if (call.others === 404) expectStatus(await send(person, name, call), 404)
    })
  })

  describe('does nothing with a form of the other, or of none', () => {
    beforeAll(() => choose(golf))
    world.nothingChanges(() => [bravo, golf])

    test.each(ACTIONS)('%s', async (name, page) => {
      for (const [ids, orgId] of [
        [bravo, bravo.org.id],
        [golf, bravo.org.id],
        [golf, ''],
      ] as const)
        for (const call of page.calls(ids)) expectStatus(await send(person, name, call, orgId), 409)
    })
  })
})

describe('a deactivated organization reads what is its own, and is offered and does nothing else', () => {
  let delta: Settled
  beforeAll(async () => {
    delta = await world.settle('Delta-that-is-closed')
    await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [delta.org.id])
  })

  describe('for itself', () => {
    world.nothingChanges(() => [delta])

    test.each(TABLE.filter(([, { namesOrg }]) => !namesOrg))('%s', async (name, page) => {
      for (const call of page.calls(delta)) {
        const answer = await send(delta.org.session, name, call, delta.org.id)
        expectStatus(answer, page.deactivated ?? (name.startsWith('GET ') ? 200 : 403))
        const offered = offeredBy(answer.html).posts.filter(isOfDashboard)
        expect(offered.filter((path) => rowFor('POST', path)?.right !== 'person')).toEqual([])
      }
    })
  })

  test('its owner may still turn to another organization', async () => {
    for (const [name, page] of WRITES.filter(([, { namesOrg }]) => namesOrg))
      for (const call of page.calls(delta)) expectStatus(await send(delta.org.session, name, call), 303)
  })
})

function mayPost(role: OrgRole, path: string): boolean {
  const right = rowFor('POST', path)?.right
  const isElsewhere = path.startsWith('/') && !isOfDashboard(path)
  return isElsewhere || (right !== undefined && mayUse(role, right))
}

/** Ids that stand only on pages which the role does not see. */
function hiddenFrom(role: OrgRole, of: Settled): string[] {
  return [
    ...(mayUse(role, 'oversee') ? [] : [of.org.tokenId, of.spareTokenId]),
    ...(mayUse(role, 'edit') ? [] : [of.broughtId, of.sourceId]),
  ]
}

test.each(ORG_ROLES)('%s is offered what the role may use, and no other form or way', async (role) => {
  const person = await addMember(world, bravo.org, role)
  const links = new Map<string, string>()
  const posts = new Set<string>()
  let told = ''
  for (const [name, page] of READS)
    for (const call of page.calls(bravo)) {
      const answer = await send(person, name, call)
      expectStatus(answer, mayUse(role, page.right) ? 200 : 403)
      const offered = offeredBy(answer.html)
      expect({ name, posts: offered.posts.filter((path) => !mayPost(role, path)) }).toEqual({
        name,
        posts: [],
      })
      for (const path of offered.posts.filter(isOfDashboard)) posts.add(path)
      told += answer.told
      for (const link of offered.links.filter(isOfDashboard)) {
        // Of filters, one of a kind.
        const { pathname, searchParams } = new URL(link, base)
        links.set(`${pathname}?${[...searchParams.keys()]}`, link.replace(/#.*/, ''))
      }
    }
  expect(links.size).toBeGreaterThan(20)
  const forms = WRITES.filter(([, { right, unoffered }]) => !unoffered && mayUse(role, right))
  expect(WRITES.filter(([, page]) => [...posts].some((path) => rowFor('POST', path) === page))).toEqual(forms)
  // Who oversees is shown all there is, but for the place in history that only a longer one goes on from.
  expect(world.marksOf(bravo).filter((mark) => !told.includes(mark))).toEqual(
    mayUse(role, 'oversee') ? [bravo.auditId] : expect.arrayContaining(hiddenFrom(role, bravo)),
  )
  for (const link of links.values())
    expect({ link, status: (await ask(person, 'GET', link)).status }).toEqual({ link, status: 200 })
})

describe.each(ORG_ROLES)('%s does what the role allows and no more', (role) => {
  let org: Settled
  let person: { cookie: string }
  beforeAll(async () => {
    org = await world.settle(`Hotel-with-${role}`)
    person = await addMember(world, org.org, role)
  })

  const refused = WRITES.filter(([, { right }]) => !mayUse(role, right))
  const holdBack = () => {
    world.nothingChanges(() => [org])

    test.each(refused)('%s', async (name, page) => {
      // Filled in badly, it is the input that is refused; the page that says so is for the role all the same.
      for (const call of page.calls(org))
        for (const fields of [call.fields, {}]) {
          const answer = await send(person, name, { ...call, fields }, org.org.id)
          expectStatus(answer, ...(fields === call.fields ? [403] : [400, 403]))
          expect(offeredBy(answer.html).posts.filter((path) => !mayPost(role, path))).toEqual([])
          const hidden = hiddenFrom(role, org).filter((id) => !saidBy(name, call).includes(id))
          expect(hidden.filter((id) => answer.told.includes(id))).toEqual([])
        }
    })
  }
  // Owners and admins may do all.
  if (refused.length > 0) describe('and not', holdBack)

  test.each(WRITES.filter(([, { right }]) => mayUse(role, right)))('%s', async (name, page) => {
    for (const call of page.calls(org)) {
      const answer = await send(person, name, call, org.org.id)
      expectStatus(answer, ...(call.own === undefined ? [200, 303] : [call.own]))
    }
  })
})
