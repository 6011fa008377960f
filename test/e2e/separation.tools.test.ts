/**
 * Organizations are separate by tools as they are by routes: whatever tool one calls with another's ids and words, it is
 * told nothing of it and changes nothing of it. The table is held against the server's own list of tools, so a new tool
 * fails here until it has its line. Every call is also made by the owner, for whom it works: a wrong id would prove
 * nothing.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createOrg, relate } from '../orgs.ts'
import type { ToolPerson, ToolResult } from '../tools.world.ts'
import { type Line, type Outcome, type Right, TOOL_LINES, type ToolUse } from './separation.tools.table.ts'
import { createSeparationWorld, type Settled } from './separation.world.ts'

const TABLE = Object.entries(TOOL_LINES)
const OF_PRODUCERS = TABLE.filter(([, { right }]) => right !== 'anybody')
const OF_EVERYBODY = TABLE.filter(([, { right }]) => right === 'anybody')

const world = await createSeparationWorld()
let bravo: Settled
beforeAll(async () => {
  bravo = await world.settle('Bravo-of-the-other-side')
  expect((await world.rowsOf(bravo)).length).toBeGreaterThan(25)
})

const rightOf = (line: Line, use: ToolUse): Right => use.right ?? line.right
const ownerOf = ({ ownerToken }: Settled) => ({ token: ownerToken })

function expectOutcome(answer: ToolResult, outcome: Outcome, what: Record<string, unknown>): void {
  const { isError, data, error, text } = answer
  expect({ ...what, text, isError, ...(isError ? { code: error.code } : { data }) }).toMatchObject(
    typeof outcome === 'string'
      ? { ...what, isError: true, code: outcome }
      : { ...what, isError: false, data: outcome },
  )
}

/** Signed quotes are read too: what stands in them is told like the rest. */
function toldBy({ text, data, error }: ToolResult): string {
  const told = JSON.stringify([text, data, error])
  const signed = told.match(/\beyJ[\w-]+\.[\w-]+/g) ?? []
  const opened = signed.flatMap((jws) => jws.split('.').map((part) => Buffer.from(part, 'base64url')))
  return [told, ...opened.map(String)].join('\n')
}

function expectNothingTold(answer: ToolResult, of: Settled, line: Line, { args }: ToolUse): void {
  const [said, told] = [JSON.stringify(args), toldBy(answer)]
  const known = line.isPublic?.(of) ?? []
  const marks = world.marksOf(of).filter((mark) => !known.includes(mark) && !said.includes(mark))
  expect(marks.length).toBeGreaterThan(10)
  expect(marks.filter((mark) => told.includes(mark))).toEqual([])
}

/** No matter who calls with the words of `of`, each of its rows stays as it was. */
async function callAll(
  by: Pick<ToolPerson, 'token'>,
  [name, line]: [string, Line],
  of: Settled,
  expected: (use: ToolUse) => Outcome,
): Promise<void> {
  const before = await world.written.now()
  for (const use of line.uses(of)) {
    const answer = await world.call(by, name, use.args)
    expectOutcome(answer, expected(use), { name, args: use.args })
    expectNothingTold(answer, of, line, use)
  }
  const changes = await world.changesOf(of, before)
  expect(line.adds ? changes.filter((row) => !row.startsWith('+')) : changes).toEqual([])
}

test('every tool of the server is in this table', () => {
  expect(Object.keys(TOOL_LINES).sort()).toEqual(TOOLS.map(({ name }) => name).sort())
  const audiences = TABLE.map(([name, { right }]) => [name, right === 'anybody' ? 'everyone' : 'producers'])
  expect(Object.fromEntries(audiences)).toEqual(
    Object.fromEntries(TOOLS.map(({ name, audience }) => [name, audience])),
  )
})

describe('with another organization’s ids nothing is told of it and nothing is changed', () => {
  test.each(TABLE)('%s', async (name, line) => {
    const alpha = await world.person({ producer: { name: 'Alpha' } })
    await callAll(alpha, [name, line], bravo, ({ others }) => others)
  })
})

describe('who sells the same product works on their own part of it and is told nothing of the rest', () => {
  test.each(OF_PRODUCERS)('%s', async (name, line) => {
    const rival = await createOrg(world, { name: 'Rival' })
    const [, slug] = bravo.slug.split('/')
    const { rows } = await world.database.pool.query<{ id: string }>(
      'select id from products where slug = $1',
      [slug],
    )
    await relate(world, rival, rows[0]?.id ?? '')
    const by = { token: await world.tokenFor(rival.ownerId) }
    await callAll(by, [name, line], bravo, ({ others, rivals = others }) => rivals)
  })
})

describe('who has left an organization has nothing of it any more, by the same token', () => {
  let left: ToolPerson
  beforeAll(async () => {
    left = await world.person({ in: bravo.org, role: 'admin' })
    const { isError } = await world.call(left, 'list_offers')
    expect(isError).toBe(false)
    const { rows } = await world.database.pool.query<{ email: string }>(
      'select email from users where id = $1',
      [left.userId],
    )
    const gone = { email: rows[0]?.email, role: 'none' }
    const removed = await world.call(ownerOf(bravo), 'set_team_member', gone)
    expectOutcome(removed, { outcome: 'removed' }, gone)
  })

  test.each(OF_PRODUCERS)('%s', (name, line) => callAll(left, [name, line], bravo, () => 'not_a_producer'))
})

const RIGHTS: Record<string, Right[]> = {
  viewer: ['read'],
  editor: ['read', 'edit'],
  admin: ['read', 'edit', 'manage'],
}
describe.each(['viewer', 'editor', 'admin'] as const)('%s does what the role allows and no more', (role) => {
  let org: Settled
  let person: ToolPerson
  beforeAll(async () => {
    org = await world.settle(`Golf-with-${role}`)
    person = await world.person({ in: org.org, role })
  })

  test.each(OF_PRODUCERS)('%s', async (name, line) => {
    for (const use of line.uses(org)) {
      const right = rightOf(line, use)
      const before = await world.written.now()
      const answer = await world.call(person, name, use.args)
      const what = { name, args: use.args }
      if (RIGHTS[role]?.includes(right)) {
        expectOutcome(answer, use.own, what)
        continue
      }
      if (right === 'manage') expectOutcome(answer, 'not_owner_or_admin', what)
      else
        expect({ ...what, ...answer }).toMatchObject({ ...what, isError: true, error: { kind: 'forbidden' } })
      expect(await world.changesOf(org, before)).toEqual([])
    }
  })

  test('what a colleague saved is the colleague’s', async () => {
    for (const name of ['list_saved_products', 'remove_saved_product'])
      for (const use of TOOL_LINES[name]?.uses(org) ?? [])
        expectOutcome(await world.call(person, name, use.args), use.others, { name, args: use.args })
  })
})

describe('a deactivated organization reads what is its own and writes nothing', () => {
  let delta: Settled
  beforeAll(async () => {
    delta = await world.settle('Delta-that-is-closed')
    await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [delta.org.id])
  })

  test.each(OF_PRODUCERS)('%s', async (name, line) => {
    const before = await world.written.now()
    for (const use of line.uses(delta)) {
      const reads = rightOf(line, use) === 'read'
      const expected = use.deactivated ?? (reads ? use.own : 'org_deactivated')
      expectOutcome(await world.call(ownerOf(delta), name, use.args), expected, { name, args: use.args })
    }
    expect(await world.changesOf(delta, before)).toEqual([])
  })

  test.each(OF_EVERYBODY)('%s is still there for its people', async (name, line) => {
    for (const use of line.uses(delta))
      expectOutcome(await world.call(ownerOf(delta), name, use.args), use.own, { name, args: use.args })
  })
})

test('the same calls, made by the organization itself, find what they name', async () => {
  const own = await world.settle('Hotel-at-home')
  for (const [name, line] of TABLE) {
    const told: string[] = []
    for (const use of line.uses(own)) {
      const answer = await world.call(ownerOf(own), name, use.args)
      expectOutcome(answer, use.own, { name, args: use.args })
      told.push(toldBy(answer))
    }
    const mark = line.shows?.(own)
    if (mark !== undefined)
      expect({ name, told: told[0] }).toEqual({ name, told: expect.stringContaining(mark) })
  }
})

test('a request made by find_retailers is a task of that person alone', async () => {
  const [ada, bob] = [await world.person(), await world.person()]
  const { data } = await world.call(ada, 'find_retailers', { query: 'a shelf', product_slug: bravo.slug })
  const read = async (token: string | null) => {
    const response = await world.app.request('/a2a/', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: data.task_id } }),
    })
    return response.json()
  }
  expect(await read(ada.token)).toMatchObject({ result: { id: data.task_id } })
  for (const token of [bob.token, bravo.ownerToken, null])
    expect(await read(token)).toMatchObject({ error: { code: -32001, message: 'there is no such task' } })
})
