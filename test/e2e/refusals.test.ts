/**
 * What every operation of the published description does alike, tried on each of them by its own list: so a new
 * operation is tried as soon as it is described. What is special to one is in the tests of its feature.
 */
import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/agents/discovery/openapi/document.ts'
import { DEFAULT_BODY_LIMIT } from '../../src/http/body.ts'
import type { Operation, Refusal } from '../../src/http/operation.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { createTestApp } from '../harness.ts'
import { type Credential, call, createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'

const souk = await createTestApp()
const org = await createOrg(souk)
await addProduct(souk, { category: 'kettles', slug: 'gooseneck', title: 'Gooseneck' })
await souk.catchUp()

const refusing = (status: number, code?: string) =>
  OPERATIONS.filter(({ refusals }) => refusals.some((one) => one.status === status && one.code === code))
const taking = OPERATIONS.filter(({ body }) => body)
const fetching = OPERATIONS.filter(({ refusals }) => refusals.some(stopsFetching))
const named = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.id, operation] as const)
const reads = OPERATIONS.filter(({ method, caller }) => method === 'get' && caller === 'anyone')

function stopsFetching({ status, code, words, form }: Refusal): boolean {
  return status === 503 && code === undefined && words === undefined && form === undefined
}

function pathOf({ path }: Operation, { category = 'kettles', slug = 'gooseneck' } = {}): string {
  return path.replace('{category}', category).replace('{slug}', slug)
}

function hasPage({ answers }: Operation): boolean {
  return answers.some(({ content }) => 'text/html' in content)
}

function ask(operation: Operation, who: Credential, body?: unknown, headers?: Record<string, string>) {
  const given = operation.body ? (body ?? {}) : undefined
  return call(souk, who, operation.method.toUpperCase(), pathOf(operation), given, headers)
}

test('the lists below are not empty', () => {
  expect(reads.length).toBeGreaterThanOrEqual(6)
  expect(refusing(413, 'body_too_large').length).toBeGreaterThanOrEqual(6)
  expect(taking.length).toBeGreaterThanOrEqual(6)
  expect(fetching.map(({ id }) => id)).toEqual(expect.arrayContaining(['registerAgentCard', 'checkUcp']))
})

describe('what is no JSON object is told from one that lacks a field', () => {
  test.each(named(taking))('%s', async (_id, operation) => {
    for (const body of ['', '{', '[]', '"text"', 'null']) {
      const answer = await ask(operation, org.session, body)
      expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(/^the body /) }])
    }
    const answer = await ask(operation, org.session, {})
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ field: expect.any(String) }),
    ])
  })
})

describe('a body over 256 KB is refused before anything in it is looked at', () => {
  test.each(named(refusing(413, 'body_too_large')))('%s', async (_id, operation) => {
    const answer = await ask(operation, org.session, 'x'.repeat(DEFAULT_BODY_LIMIT + 1))
    expect(answer.status).toBe(413)
    expect(answer.body).toMatchObject({ code: 'body_too_large', max: DEFAULT_BODY_LIMIT })
  })
})

describe('a cookie that another site made a browser send does nothing', () => {
  const actions = OPERATIONS.filter(({ method, caller }) => method !== 'get' && caller.startsWith('session'))
  test.each(named(actions))('%s', async (_id, operation) => {
    const answer = await ask(operation, org.session, {}, { 'sec-fetch-site': 'cross-site' })
    expect(answer.status).toBe(403)
    expect(answer.body).not.toHaveProperty('code')
  })
})

describe('who has the newest form of a read is told so, without its body', () => {
  const forms = reads.flatMap((operation) =>
    operation.answers
      .filter(({ status }) => status === 200)
      .flatMap(({ content }) => Object.keys(content).map((type) => [operation.id, type, operation] as const)),
  )
  test.each(forms)('%s as %s', async (_id, accept, operation) => {
    const first = await ask(operation, null, undefined, { accept })
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toContain(accept)
    const etag = first.headers.get('etag') ?? 'none'
    const second = await ask(operation, null, undefined, { accept, 'if-none-match': etag })
    expect([second.status, second.headers.get('etag'), second.body]).toEqual([304, etag, { text: '' }])
  })
})

describe('what is unknown is a line of text to programs, and a page to who asks for one', () => {
  test.each(named(reads))('%s', async (_id, operation) => {
    const path = pathOf(operation, { category: 'no-such', slug: 'no-such' })
    const line = await call(souk, null, 'GET', path)
    expect([line.status, line.body]).toEqual([404, { text: 'Not found.\n' }])
    const asked = await call(souk, null, 'GET', path, undefined, { accept: 'text/html' })
    expect(asked.headers.get('content-type')).toContain(hasPage(operation) ? 'text/html' : 'text/plain')
  })
})

describe('a node that stops breaks off what it fetches, and says when to try again', async () => {
  const outbound = createOutbound({ allow: [] })
  const stopping = await createTestApp({ outbound })
  const there = await createOrg(stopping, { domain: 'acme.example' })
  await outbound.close()

  test.each(named(fetching))('%s', async (_id, operation) => {
    const body = operation.body && { agent_card_url: 'https://acme.example/card.json' }
    const answer = await call(stopping, there.session, operation.method.toUpperCase(), operation.path, body)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

describe('a fault of the database is 500, which tells nothing of its cause', async () => {
  const broken = await createTestApp()
  const there = await createOrg(broken)
  await broken.searchRuntime.fill()
  await broken.database.pool.query('drop schema public cascade')

  test.each(named(OPERATIONS))('%s', async (_id, operation) => {
    // Searching needs no database, but finding out who asks for a bundle does.
    const body = operation.body && { query: 'everything for coffee under $500', bundle: true }
    const method = operation.method.toUpperCase()
    const answer = await call(broken, there.session, method, pathOf(operation), body)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    const words =
      'something went wrong on our side; if it keeps happening, contact support with the request id'
    expect(answer.body).toEqual(
      operation.path.startsWith('/api/') ? { error: words, code: 'internal' } : { text: `${words}\n` },
    )
  })

  test.each(named(reads.filter(hasPage)))('%s, as a page to who asks for one', async (_id, operation) => {
    const answer = await call(broken, null, 'GET', pathOf(operation), undefined, { accept: 'text/html' })
    expect(answer.status).toBe(500)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(JSON.stringify(answer.body)).not.toContain('relation')
  })
})

describe('while the database is away the answer is 503, which says when to try again', async () => {
  const away = await createTestApp()
  const there = await createOrg(away)
  await away.searchRuntime.fill()
  const { pool } = away.database
  Object.assign(pool.options, { host: '/nowhere' })
  // One by one, because the pool would hand a single one out again.
  const open = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of open) client.release(true)

  test.each(named(OPERATIONS))('%s', async (_id, operation) => {
    const body = operation.body && { query: 'everything for coffee under $500', bundle: true }
    const method = operation.method.toUpperCase()
    const answer = await call(away, there.session, method, pathOf(operation), body)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    const words = 'the service is temporarily unavailable; try again shortly'
    expect(answer.body).toEqual(
      operation.path.startsWith('/api/') ? { error: words } : { text: `${words}\n` },
    )
  })

  test.each(named(reads.filter(hasPage)))('%s, as a page to who asks for one', async (_id, operation) => {
    const answer = await call(away, null, 'GET', pathOf(operation), undefined, { accept: 'text/html' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.get('content-type')).toContain('text/html')
  })
})
