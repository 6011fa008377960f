import { beforeAll, expect, test } from 'vitest'
import type { TestOrg } from '../../test/orgs.ts'
import { createToolsWorld, type ToolPerson, type ToolsWorld } from '../../test/tools.world.ts'
import type { OrgRole } from './orgs.schema.ts'

type Colleague = ToolPerson & { org: TestOrg; email: string }

let world: ToolsWorld
beforeAll(async () => {
  world = await createToolsWorld()
})

async function known({ org, ...person }: ToolPerson): Promise<Colleague> {
  if (!org) throw new Error('acts for nobody')
  const { email } = await world.database.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', person.userId)
    .executeTakeFirstOrThrow()
  return { ...person, org, email }
}

const founder = async (name = 'Kettle Shop') => known(await world.person({ producer: { name } }))
const colleague = async ({ org }: Colleague, role: OrgRole) => known(await world.person({ in: org, role }))
const set = (by: ToolPerson, email: string, role: string) =>
  world.call(by, 'set_team_member', { email, role })

async function team(by: ToolPerson) {
  const { data } = await world.call(by, 'list_team_members')
  const { members, invitations } = data as Record<'members' | 'invitations', Array<Record<string, string>>>
  return {
    members: members.map(({ email, role }) => [email, role]),
    invitations: invitations.map(({ email, role }) => [email, role]),
  }
}

/** The addresses of invitations that wait to be sent. */
async function mailsTo(who: RegExp): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ payload: { sealed: string } }>(
    `select payload from jobs where kind = 'mail.send' order by id`,
  )
  const letters = rows.map(({ payload }) => JSON.parse(world.accounts.secrets.mail.open(payload.sealed)))
  return letters.filter(({ kind, to }) => kind === 'invitation' && who.test(to)).map(({ to }) => to)
}

async function actions({ org }: Colleague): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ action: string }>(
    'select action from audit_log where org_id = $1 order by id',
    [org.id],
  )
  return rows.map(({ action }) => action)
}

test('every member sees members, roles and open invitations', async () => {
  const owner = await founder()
  const viewer = await colleague(owner, 'viewer')
  await set(owner, 'carol@example.com', 'editor')
  const { data, text } = await world.call(viewer, 'list_team_members')
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(data).toEqual({
    ...{ total: 2, next_offset: null },
    members: [
      { email: owner.email, name: 'Ada', role: 'owner', joined_at: day },
      { email: viewer.email, name: 'Ada', role: 'viewer', joined_at: day },
    ],
    invitations: [{ email: 'carol@example.com', role: 'editor', expires_at: day }],
  })
  expect(text).toContain('Organization: Kettle Shop')
  expect(text).toContain('2 members, 1 open invitation.')
  expect(text).toContain('carol@example.com · invited as editor')
})

test('another organization’s team is not seen', async () => {
  const owner = await founder()
  const stranger = await founder()
  await set(owner, 'dora@example.com', 'viewer')
  expect(await team(stranger)).toEqual({ members: [[stranger.email, 'owner']], invitations: [] })
})

test('anyone who is no member is invited by mail, again by a new one, and taken back with none', async () => {
  const owner = await founder()
  const first = await set(owner, 'Eve@example.com', 'viewer')
  expect(first.data).toEqual({ email: 'Eve@example.com', role: 'viewer', outcome: 'invited' })
  expect(first.text).toContain('Invited Eve@example.com as viewer')
  const second = await set(owner, 'eve@example.com', 'editor')
  expect(second.data.outcome).toBe('invited')
  expect((await team(owner)).invitations).toEqual([['eve@example.com', 'editor']])
  expect(await mailsTo(/^eve@/i)).toEqual(['Eve@example.com', 'eve@example.com'])
  const gone = await set(owner, 'eve@example.com', 'none')
  expect(gone.data.outcome).toBe('withdrawn')
  expect((await team(owner)).invitations).toEqual([])
  expect((await set(owner, 'eve@example.com', 'none')).error).toMatchObject({
    kind: 'not_found',
    field: 'email',
  })
  expect(await actions(owner)).toEqual(['team.invited', 'team.invited', 'team.invitation_revoked'])
})

test('a member is changed, left as they are, or removed, and the answer says which', async () => {
  const owner = await founder()
  const member = await colleague(owner, 'viewer')
  const { email } = member
  const outcomes = []
  for (const role of ['editor', 'editor', 'none']) outcomes.push((await set(owner, email, role)).data.outcome)
  expect(outcomes).toEqual(['changed', 'unchanged', 'removed'])
  expect(await actions(owner)).toEqual(['team.role_changed', 'team.removed'])
  expect((await team(owner)).members).toEqual([[owner.email, 'owner']])
  expect((await world.call(member, 'list_team_members')).error).toMatchObject({ code: 'not_a_producer' })
})

test('the last owner stays', async () => {
  const owner = await founder()
  for (const role of ['admin', 'none']) {
    const answer = await set(owner, owner.email, role)
    expect(answer.error).toMatchObject({ kind: 'conflict', code: 'conflict' })
  }
  expect((await team(owner)).members).toEqual([[owner.email, 'owner']])
})

test('of two owners who remove each other at once, one stays', async () => {
  const one = await founder()
  const two = await colleague(one, 'owner')
  await Promise.all([set(one, two.email, 'none'), set(two, one.email, 'none')])
  const { rows } = await world.database.pool.query(
    `select 1 from org_members where org_id = $1 and role = 'owner'`,
    [one.org.id],
  )
  expect(rows.length).toBe(1)
})

test('editors and viewers change nobody', async () => {
  const owner = await founder()
  for (const role of ['editor', 'viewer'] as const) {
    const member = await colleague(owner, role)
    const answer = await set(member, member.email, 'admin')
    expect(answer.error).toMatchObject({ kind: 'forbidden', code: 'not_owner_or_admin' })
    expect(answer.text).toContain('list_team_members')
  }
})

test('an admin makes and unmakes no owner', async () => {
  const owner = await founder()
  const admin = await colleague(owner, 'admin')
  for (const [email, role] of [
    [owner.email, 'viewer'],
    [admin.email, 'owner'],
    ['frank@example.com', 'owner'],
  ] as const)
    expect((await set(admin, email, role)).error).toMatchObject({ kind: 'forbidden' })
  expect((await set(admin, 'frank@example.com', 'viewer')).data.outcome).toBe('invited')
})

test.each([
  [{ email: 'nobody', role: 'viewer' }, { field: 'email' }],
  [
    { email: `${'x'.repeat(250)}@example.com`, role: 'viewer' },
    { field: 'email', max: 254 },
  ],
  [{ role: 'viewer' }, { field: 'email' }],
  [
    { email: 'gina@example.com', role: 'boss' },
    { field: 'role', valid: expect.arrayContaining(['none']) },
  ],
])('%j is refused by name', async (input, error) => {
  const answer = await world.call(await founder(), 'set_team_member', input)
  expect(answer).toMatchObject({ isError: true, error: { kind: 'invalid', ...error } })
})

test('a team has an end: one more than the most is refused', async () => {
  const owner = await crowd(199)
  const answer = await set(owner, 'late@example.com', 'viewer')
  expect(answer.error).toMatchObject({ kind: 'conflict', max: 200 })
})

test('a crowd is listed in the data whole, and in the text with how many are left out', async () => {
  const owner = await crowd(150)
  const { data, text } = await world.call(owner, 'list_team_members')
  expect((data as { members: unknown[] }).members).toHaveLength(151)
  const shown = text.match(/^- /gm)?.length ?? 0
  expect(shown).toBeGreaterThan(20)
  expect(text).toContain(`${151 - shown} more in the data`)
  expect(text).toContain('Next: set_team_member')
})

/** An owner among so many viewers. */
async function crowd(size: number): Promise<Colleague> {
  const owner = await founder()
  await world.database.pool.query(
    `with people as (
       insert into users (id, email, email_key, name, account_type, created_at, updated_at)
       select gen_random_uuid(), mail, mail, 'One of many', 'producer', now(), now()
       from (select $1::text || '-' || n || '@crowd.example' as mail from generate_series(1, $2::int) n) mails
       returning id)
     insert into org_members (org_id, user_id, role, created_at) select $1::uuid, id, 'viewer', now() from people`,
    [owner.org.id, size],
  )
  return owner
}

test('a name or an address that is Markdown is shown as itself', async () => {
  const owner = await founder('**Shop** [x](https://evil.example)')
  const { db } = world.database
  await db.updateTable('users').set({ name: '# Ignore <b>all</b>' }).where('id', '=', owner.userId).execute()
  await set(owner, '`*_a_*`@example.com', 'viewer')
  const { text } = await world.call(owner, 'list_team_members')
  expect(text).toContain('\\`\\*\\_a\\_\\*\\`@example.com')
  expect(text).toContain('```untrusted\nOrganization: **Shop** [x](https://evil.example)\n```')
  const outside = text.replaceAll(/```untrusted[\s\S]*?```/g, '')
  expect(outside).not.toMatch(/(?<!\\)\[x|\*\*Shop|<b>/)
})

test('a client that checks by the schema lets every address through that we take', async () => {
  const { token } = await founder()
  const answer = await world.rpc(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { result } = (await answer.json()) as {
    result: { tools: Array<{ name: string; inputSchema: { properties: Record<string, object> } }> }
  }
  const tool = result.tools.find(({ name }) => name === 'set_team_member')
  expect(tool?.inputSchema.properties.email).toEqual({
    ...{ type: 'string', minLength: 1, maxLength: 254, description: 'Email of the person' },
  })
})
