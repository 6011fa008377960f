/**
 * Who may do what, on every route and with every tool: the table is held against the app's router and the registry of
 * tools, and each line is tried by a caller of every kind. Anyone who is refused changes nothing, and nobody from outside is
 * told anything of the organization.
 */
import { describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { FAST_ROUTES } from '../fast-paths.ts'
import { WRITTEN_CALLS, withoutNote } from './authorization.calls.ts'
import { FRESH } from './authorization.fresh.ts'
import { KINDS, type Kind, type Line, POLICY_NAMES, readPolicy } from './authorization.policies.ts'
import type { Subject } from './authorization.subjects.ts'
import { MIDDLEWARE, ROUTE_POLICIES, TOOL_POLICIES } from './authorization.table.ts'
import { type Asked, createMatrixWorld } from './authorization.world.ts'

const world = await createMatrixWorld()

/** They belong to the organization. */
const INSIDE: ReadonlySet<Kind> = new Set(['viewer', 'editor', 'admin', 'owner', 'link', 'token'])

test('every route that the app serves is in the table, and no other', () => {
  const named = [...world.app.routes, ...FAST_ROUTES].map(({ method, path }) => `${method} ${path}`)
  // A path that answers to some method may have something for all of them before it: who else may read an answer.
  const answered = new Set(named.filter((name) => !name.startsWith('ALL ')).map((name) => name.split(' ')[1]))
  const served = named.filter(
    (name) => !MIDDLEWARE.has(name) && !(name.startsWith('ALL ') && answered.has(name.split(' ')[1])),
  )
  const lines = Object.keys(ROUTE_POLICIES).map(withoutNote)
  expect([...new Set(lines)].sort()).toEqual([...new Set(served)].sort())
})

test('every tool of the server is in the table, and no other', () => {
  const lines = Object.keys(TOOL_POLICIES).map(withoutNote)
  expect([...new Set(lines)].sort()).toEqual(TOOLS.map(({ name }) => name).sort())
})

test('no call is written and no policy is kept for a line that is not there', () => {
  const lines = { ...ROUTE_POLICIES, ...TOOL_POLICIES }
  const written = [...WRITTEN_CALLS, ...Object.keys(FRESH)]
  expect(written.filter((name) => !(name in lines))).toEqual([])
  const used = new Set(Object.values(lines).map((text) => readPolicy(text).policy))
  expect(POLICY_NAMES.filter((name) => !used.has(name))).toEqual([])
})

type Ask = (name: string, of: Subject) => Promise<Asked>

async function tryLine(name: string, policy: string, { ask, writes }: { ask: Ask; writes: boolean }) {
  const { line } = readPolicy(policy)
  const askAs = async (kind: Kind, fresh: boolean) => ask(name, await world.subjectFor(kind, name, { fresh }))
  const may = KINDS.filter((kind) => line[kind] === 'ok')
  const mayNot = KINDS.filter((kind) => line[kind] !== 'ok')
  const before = writes ? await world.moment() : ''
  const answers = await Promise.all(mayNot.map((kind) => askAs(kind, false)))
  // Told by the cells first: they say who was let in.
  expectCells(name, line, answers)
  if (writes) expect({ name, changes: await world.changes(before) }).toEqual({ name, changes: [] })
  if (writes) for (const kind of may) answers.push(await askAs(kind, true))
  else answers.push(...(await Promise.all(may.map((kind) => askAs(kind, true)))))
  expectCells(name, line, answers)
  expectNothingTold(name, policy, answers)
}

function expectCells(name: string, line: Line, answers: Asked[]): void {
  const got = Object.fromEntries(answers.map(({ kind, cell }) => [kind, cell]))
  const asked = Object.fromEntries(answers.map(({ kind }) => [kind, line[kind]]))
  const wrong = answers.filter(({ kind, cell }) => line[kind] !== cell)
  const why = wrong.map(
    ({ kind, told }) => `${kind}: ${told.slice(Math.max(0, told.indexOf('<main'))).slice(0, 600)}`,
  )
  expect({ name, got, why }).toEqual({ name, got: asked, why: [] })
}

function expectNothingTold(name: string, policy: string, answers: Asked[]): void {
  // Anyone who has an invitation was told whose it is, and anyone who asked sellers who answered.
  const isTold = name.includes('/org/join') || name.endsWith('/plans/:id/quotes')
  const isPublic = policy.startsWith('PUBLIC') || policy === 'TOOL' || isTold
  // Anyone who chose or shared has that in a history of their own.
  const ofRequest = /\/(?:shared-)?(?:rfq|quotes)\/:|\/account\/export/.test(name)
  const known = [...(isPublic ? world.publicMarks : []), ...(ofRequest ? [world.requestMark] : [])]
  const found = answers
    .filter(({ kind }) => !INSIDE.has(kind) && !(kind === 'operator' && policy.endsWith('_OPERATOR')))
    .flatMap(({ kind, said, told }) =>
      world.marks
        .filter((mark) => !known.includes(mark) && !said.includes(mark) && told.includes(mark))
        .map((mark) => ({ kind, mark })),
    )
  expect({ name, found }).toEqual({ name, found: [] })
}

describe('routes', () => {
  test.each(Object.entries(ROUTE_POLICIES))('%s: %s', (name, policy) =>
    tryLine(name, policy, { ask: world.request, writes: !name.startsWith('GET ') }),
  )
})

test('the figures of the service are for a program on its machine', async () => {
  const address = { incoming: { socket: { remoteAddress: '127.0.0.1' } } }
  const answer = await world.app.request(
    'http://127.0.0.1/metrics',
    { headers: { host: '127.0.0.1' } },
    address,
  )
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('# TYPE')])
})

describe('a method that a path does not take is refused, and one that only looks changes nothing', () => {
  const names = Object.keys(ROUTE_POLICIES).filter((name) => name === withoutNote(name))
  // Of several routes at a path, the first: one that is read.
  const byPath = new Map(names.toReversed().map((name) => [name.split(' ')[1], name]))
  const read = names
    .filter((name) => name.startsWith('GET '))
    .map((name) => name.slice(4).replaceAll(/:\w+(\{[^/]*\})?|\*/g, '[^/]+'))
    .map((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.')}$`))
  const isRead = (name: string) => read.some((pattern) => pattern.test(name.split(' ')[1] ?? ''))

  /** What nobody but a program on the machine knows of is not there by any method. */
  function expected(method: string, name: string): number[] {
    if (name === 'ALL /metrics') return [404]
    if (name.startsWith('ALL /a2a/')) return method === 'OPTIONS' ? [204] : [404]
    if (method === 'HEAD' && name === 'GET /a2a/extendedAgentCard') return [400]
    // node:http refuses a method that it does not know before anybody else sees it.
    if (method === 'BREW' && FAST_ROUTES.some(({ path }) => name === `ALL ${path}`)) return [400]
    if (method === 'OPTIONS') return [204]
    return method === 'HEAD' && isRead(name) ? [200, 301, 302, 303, 401, 403, 404] : [405]
  }

  test.each(['PUT', 'BREW', 'OPTIONS', 'HEAD'])('%s', async (method) => {
    const before = await world.moment()
    const odd: unknown[] = []
    for (const name of byPath.values())
      for (const kind of ['nobody', 'owner', 'operator'] as const) {
        const status = await world.tryMethod(method, name, kind)
        if (!expected(method, name).includes(status)) odd.push({ name, kind, status })
      }
    expect(odd).toEqual([])
    expect(await world.changes(before)).toEqual([])
  })
})

test('a set of products is planned for who has confirmed their address, and others get the regular answer', async () => {
  const planned: Kind[] = []
  for (const kind of KINDS) {
    const headers = { ...world.callerOf(kind).headers, 'content-type': 'application/json' }
    const body = JSON.stringify({ query: 'shelves and shelves under $500', bundle: true })
    const answer = await world.app.request('/api/search/', { method: 'POST', headers, body })
    if (((await answer.json()) as { type?: string }).type === 'bundle') planned.push(kind)
  }
  expect(planned).toEqual(['consumer', 'viewer', 'editor', 'admin', 'owner', 'other', 'operator'])
})

describe('tools', () => {
  test.each(Object.entries(TOOL_POLICIES))('%s: %s', (name, policy) =>
    tryLine(name, policy, { ask: world.callTool, writes: true }),
  )
})
