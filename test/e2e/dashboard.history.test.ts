/** The history as people read it: a sentence for every action, filters that hold on page, file and API, and nobody else's actions. */
import { describe, expect, test } from 'vitest'
import { recordAudits } from '../../src/accounts/audit.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { textOf } from '../html.ts'
import { addMember, call, createOrg, type TestOrg } from '../orgs.ts'
import { read } from './dashboard.agent.world.ts'

const world = await createTestApp()
const PAGE = '/dashboard/history'
const CSV = '/dashboard/history.csv'
const API = '/api/org/audit/'

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

type Done = {
  action: string
  at: string
  detail?: Record<string, unknown>
  by?: 'owner' | 'token' | 'operator' | 'system'
}

/** Writes actions of the organization as its features would. */
async function did(org: TestOrg, actions: Done[]): Promise<void> {
  const actors = {
    owner: { kind: 'user', id: org.ownerId },
    token: { kind: 'link_token', id: org.tokenId },
    operator: { kind: 'operator', id: null },
    system: { kind: 'system', id: null },
  } as const
  await recordAudits(
    world.database.db,
    actions.map(({ action, at, detail, by = 'owner' }) => {
      return { actor: actors[by], action, at: new Date(at), orgId: org.id, detail }
    }),
  )
}

const ACTIONS: Done[] = [
  { action: 'team.invited', at: '2026-10-01T00:00:00Z', detail: { role: 'editor' } },
  {
    action: 'offer.created',
    at: '2026-10-02T23:59:59Z',
    detail: { product_slug: 'tents/stormkeep' },
    by: 'token',
  },
  {
    action: 'offer.status_set',
    at: '2026-10-03T00:00:00Z',
    detail: { product_slug: 'tents/stormkeep', to: 'paused' },
  },
  {
    action: 'org.verified',
    at: '2026-10-04T10:00:00Z',
    detail: { domain: 'x.example', via: 'operator' },
    by: 'operator',
  },
  { action: 'relationship.unverified', at: '2026-10-05T10:00:00Z', detail: {}, by: 'system' },
]

async function createStory() {
  const org = await createOrg(world)
  await did(org, ACTIONS)
  return { org, owner: browserOf(org.session) }
}

/** The actions that a page or the API shows, newest first. */
const shownBy = (html: string) =>
  [...html.matchAll(/<code>([a-z_]+\.[a-z_]+)<\/code>/g)].map(([, action]) => action)
const given = ({ body }: { body: Record<string, unknown> }) =>
  (body.entries as Array<{ action: string }>).map(({ action }) => action)

describe('the page', () => {
  test('tells what was done, by whom and when, newest first, with the details', async () => {
    const { owner } = await createStory()
    const { status, html } = await read(owner.get(PAGE))
    expect(status).toBe(200)
    expect(shownBy(html)).toEqual(ACTIONS.map(({ action }) => action).toReversed())
    const text = textOf(html)
    for (const words of [
      'Invited a team member as editor',
      'Created an offer for tents/stormkeep',
      'Set an offer for tents/stormkeep to paused',
      'Verified the domain x.example by review',
      'Link token “plugin”',
      'The operator',
      'October 5, 2026, 10:00 UTC',
    ])
      expect(text).toContain(words)
    expect(html).toContain('<a href="/p/tents/stormkeep">tents/stormkeep</a>')
    expect(html).not.toContain('192.0.2')
  })

  test('names people who are in the team, and nobody else', async () => {
    const org = await createOrg(world)
    const [here, gone] = [await addMember(world, org, 'editor'), await addMember(world, org, 'editor')]
    const change = { from: 'viewer', to: 'editor' }
    await did(org, [
      {
        action: 'team.role_changed',
        at: '2026-10-01T00:00:00Z',
        detail: { user_id: here.userId, ...change },
      },
      {
        action: 'team.role_changed',
        at: '2026-10-01T00:00:00Z',
        detail: { user_id: gone.userId, ...change },
      },
    ])
    await world.database.db.deleteFrom('org_members').where('user_id', '=', gone.userId).execute()
    const text = textOf((await read(browserOf(org.session).get(PAGE))).html)
    expect(text).toContain('Changed the role of Ada from viewer to editor')
    expect(text).toContain('Changed the role of a former member from viewer to editor')
  })

  test('what others typed is text, not markup', async () => {
    const org = await createOrg(world)
    await did(org, [{ action: 'token.created', at: '2026-10-01T00:00:00Z', detail: { name: '<b>x</b>' } }])
    expect((await read(browserOf(org.session).get(PAGE))).html).not.toContain('<b>x</b>')
  })

  test('comes in pages that together are the whole', async () => {
    const org = await createOrg(world)
    const at = '2026-10-01T00:00:00Z'
    await did(
      org,
      Array.from({ length: 53 }, (_, n) => ({ action: 'offer.edited', at, detail: { offer_id: `${n}` } })),
    )
    await did(org, [{ action: 'team.invited', at }])
    const owner = browserOf(org.session)
    const first = (await read(owner.get(`${PAGE}?kind=offers`))).html
    const older = /href="(\/dashboard\/history\?kind=offers&amp;before=[^"]+)"/.exec(first)?.[1] ?? ''
    const second = (await read(owner.get(older.replace('&amp;', '&')))).html
    expect([shownBy(first).length, shownBy(second).length]).toEqual([50, 3])
    expect(second).not.toContain('Show more')
    expect(second).toContain('href="/dashboard/history?kind=offers">First page<')
  })

  test('a history without entries says what will be in it', async () => {
    const org = await createOrg(world)
    const { html } = await read(browserOf(org.session).get(PAGE))
    expect(html).toContain('Nothing here yet.')
    expect((await read(browserOf(org.session).get(`${PAGE}?kind=team`))).html).toContain(
      'Show all history entries',
    )
  })

  test.each(['editor', 'viewer'] as const)('anyone who is %s sees neither page nor file', async (role) => {
    const { org } = await createStory()
    const member = browserOf(await addMember(world, org, role))
    for (const path of [PAGE, CSV]) {
      const { status, html } = await read(member.get(path))
      expect(status).toBe(403)
      expect(html).not.toContain('stormkeep')
    }
  })
})

describe('filters', () => {
  test.each<[string, (org: TestOrg) => Record<string, string>, string[]]>([
    ['a kind', () => ({ kind: 'offers' }), ['offer.status_set', 'offer.created']],
    ['a link token', (org) => ({ actor: org.tokenId }), ['offer.created']],
    ['a person', (org) => ({ actor: org.ownerId }), ['offer.status_set', 'team.invited']],
    ['the operator', () => ({ actor: 'operator' }), ['org.verified']],
    ['Souk itself', () => ({ actor: 'system' }), ['relationship.unverified']],
    ['a first day', () => ({ from: '2026-10-04' }), ['relationship.unverified', 'org.verified']],
    ['a last day, whole', () => ({ to: '2026-10-02' }), ['offer.created', 'team.invited']],
    ['one day', () => ({ from: '2026-10-03', to: '2026-10-03' }), ['offer.status_set']],
    [
      'all at once',
      (org) => ({ actor: org.ownerId, kind: 'offers', from: '2026-10-03', to: '2026-10-09' }),
      ['offer.status_set'],
    ],
    ['nothing that was done', () => ({ kind: 'pricing' }), []],
  ])('%s: the page, the file and the API show the same', async (_what, filter, expected) => {
    const { org, owner } = await createStory()
    const query = new URLSearchParams(filter(org)).toString()
    const { html } = await read(owner.get(`${PAGE}?${query}`))
    expect(shownBy(html)).toEqual(expected)
    expect(given(await call(world, org.session, 'GET', `${API}?${query}`))).toEqual(expected)
    const lines = (await (await owner.get(`${CSV}?${query}`)).text()).trimEnd().split('\r\n').slice(1)
    expect(lines.map((line) => line.split(',')[5])).toEqual(expected)
    const chosen = Object.values(filter(org)).every((value) => html.includes(`value="${value}"`))
    expect(chosen).toBe(true)
  })

  test('an operator who is signed in is shown and found as the operator, not as a person', async () => {
    const org = await createOrg(world)
    const operator = { kind: 'user', id: newId() } as const
    const at = new Date('2026-10-01T00:00:00Z')
    await recordAudits(world.database.db, [
      { actor: operator, action: 'submission.rejected', at, orgId: org.id },
      {
        actor: operator,
        action: 'relationship.verified',
        at,
        orgId: org.id,
        detail: { verified_via: 'operator' },
      },
    ])
    // The last owner deleted the account: nobody but they did it.
    await did(org, [
      { action: 'org.deactivated', at: at.toISOString(), detail: { reason: 'last_owner_left' } },
      { action: 'relationship.verified', at: at.toISOString(), detail: { verified_via: 'brand_domain' } },
    ])
    const { html } = await read(browserOf(org.session).get(`${PAGE}?actor=operator`))
    expect(shownBy(html).toSorted()).toEqual(['relationship.verified', 'submission.rejected'])
    expect(textOf(html)).not.toContain('a former member')
    const everything = (await read(browserOf(org.session).get(PAGE))).html
    expect(everything.match(/<td data-label="Who">Ada</g)).toHaveLength(2)
    expect(everything.match(/<td data-label="Who">The operator</g)).toHaveLength(2)
  })

  test('an empty field is no filter', async () => {
    const { owner } = await createStory()
    const { html } = await read(owner.get(`${PAGE}?actor=&kind=&from=&to=`))
    expect(shownBy(html)).toHaveLength(ACTIONS.length)
  })

  test.each([
    ['kind=nonsense', 'kind'],
    ['actor=nobody', 'actor'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=2026-10-02&to=2026-10-01', 'to'],
  ])('%s is refused beside its field, and by the API', async (query, field) => {
    const { org, owner } = await createStory()
    const { status, html } = await read(owner.get(`${PAGE}?${query}`))
    expect(status).toBe(400)
    expect(html).toContain(`id="field-${field}-error"`)
    expect(shownBy(html)).toEqual([])
    const answer = await call(world, org.session, 'GET', `${API}?${query}`)
    expect([answer.status, answer.body.field]).toEqual([400, field])
    const file = await owner.get(`${CSV}?${query}`)
    expect([file.status, file.headers.get('location')]).toEqual([303, `${PAGE}?${query}`])
  })

  test('another organization’s people and entries give nothing away', async () => {
    const { org, owner } = await createStory()
    const foreign = await createStory()
    expect(shownBy((await read(owner.get(`${PAGE}?actor=${foreign.org.ownerId}`))).html)).toEqual([])
    const { html } = await read(owner.get(PAGE))
    expect(html).not.toContain(foreign.org.tokenId)
    expect(html).toContain(org.tokenId)
  })
})

describe('the file', () => {
  test('is for spreadsheets, kept by nobody, and runs nothing there', async () => {
    const org = await createOrg(world)
    await did(org, [
      { action: 'token.created', at: '2026-10-01T08:30:00Z', detail: { name: 'a "quoted", name' } },
      { action: 'offer.edited', at: '2026-09-01T08:30:00Z', detail: {} },
    ])
    await world.database.db
      .updateTable('users')
      .set({ name: '=HYPERLINK("x")' })
      .where('id', '=', org.ownerId)
      .execute()
    const answer = await browserOf(org.session).get(CSV)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="souk-history-entries.csv"')
    const who = `"'=HYPERLINK(""x"")",user,${org.ownerId}`
    expect(await answer.text()).toBe(
      [
        'at,who,who_kind,who_id,kind,action,what,details',
        `2026-10-01T08:30:00.000Z,${who},organization,token.created,"Created the link token “a ""quoted"", name”","name: a ""quoted"", name"`,
        `2026-09-01T08:30:00.000Z,${who},offers,offer.edited,Changed an offer for a product,`,
        '',
      ].join('\r\n'),
    )
  })
})
