/** Who may call the tool server, from where, and how often. */
import { describe, expect, test } from 'vitest'
import { BASE_URL, testConfig } from '../harness.ts'
import { createToolsWorld } from '../tools.world.ts'
import { ask, createProtocolWorld } from './tools.protocol.world.ts'

const world = await createProtocolWorld()
const { consumer, producer } = world

describe('who may call', () => {
  const post = (headers: Record<string, string>, path = '/mcp/') =>
    world.app.request(`${BASE_URL}${path}`, { method: 'POST', headers, body: '{}' })

  test.each(['/mcp', '/mcp/', '/sse', '/sse/', '/mcp/connector', '/mcp/connector/'])(
    'without a token %s says where to get one, and names no error',
    async (path) => {
      const response = await post({}, path)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource${path}", scope="mcp"`,
      )
      const metadata = await world.app.request(`${BASE_URL}/.well-known/oauth-protected-resource${path}`)
      expect(await metadata.json()).toMatchObject({ resource: `${BASE_URL}${path}` })
    },
  )

  test.each(['Bearer souk_at_wrong', 'Bearer', 'Basic abc', `Bearer ${'x'.repeat(5000)}`])(
    'with a wrong token (%#) the challenge names the error',
    async (authorization) => {
      const response = await post({ authorization })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    },
  )

  test('a token for another resource is a wrong token', async () => {
    const ada = await world.person()
    const other = 'https://other.example/mcp'
    await world.database.pool.query('update oauth_families set resource = $2 where user_id = $1', [
      ada.userId,
      other,
    ])
    expect((await world.rpc(ada.token, ask('ping'))).status).toBe(401)
  })

  test("a link token is not a person's token", async () => {
    const bearer = producer.org?.bearer.bearer ?? ''
    expect((await world.rpc(bearer, ask('ping'))).status).toBe(401)
  })

  test('a revoked token is a wrong token at once', async () => {
    const ada = await world.person()
    expect((await world.rpc(ada.token, ask('ping'))).status).toBe(200)
    await world.database.pool.query('update oauth_families set revoked_at = now() where user_id = $1', [
      ada.userId,
    ])
    expect((await world.rpc(ada.token, ask('ping'))).status).toBe(401)
  })

  test.each([
    ['a page that resolves to our address', { host: 'evil.example' }],
    ['a page over plain http', { origin: 'http://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('%s is turned away, whatever token it sends', async (_, headers) => {
    const response = await world.rpc(consumer.token, ask('ping'), headers)
    expect(response.status).toBe(403)
  })

  test.each<Record<string, string>>([
    {},
    { origin: BASE_URL },
    { origin: 'https://agent.example' },
    { origin: 'http://localhost:6274' },
  ])('a request with %o comes in', async (headers) => {
    expect((await world.rpc(consumer.token, ask('ping'), headers)).status).toBe(200)
  })

  test('a browser may ask before it sends', async () => {
    const response = await world.app.request(`${BASE_URL}/mcp/`, {
      method: 'OPTIONS',
      headers: { origin: 'https://agent.example', 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    for (const name of ['Authorization', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])
      expect(response.headers.get('access-control-allow-headers')).toContain(name)
  })

  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s is not taken', async (method) => {
    const response = await world.app.request(`${BASE_URL}/mcp/`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('the quota', () => {
  test('both headers stand on every answer, and what is over it is told when to come back', async () => {
    const ada = await world.person()
    const first = await world.rpc(ada.token, ask('ping'))
    expect(first.headers.get('x-ratelimit-remaining')).toBe('499')
    const reset = Number(first.headers.get('x-ratelimit-reset'))
    expect(reset).toBe(Date.parse('2026-11-02T00:00:00Z') / 1000)
    await world.database.pool.query('update tool_days set taken = 500 where user_id = $1', [ada.userId])
    const over = await world.rpc(ada.token, ask('tools/list'))
    expect(over.status).toBe(429)
    expect(over.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(over.headers.get('retry-after'))).toBe(12 * 3600)
    expect(await over.json()).toMatchObject({ error: { code: 29429 } })
    for (const response of [
      await world.rpc(null, ask('ping')),
      await world.rpc('souk_at_no', '{'),
      await world.rpc(consumer.token, '{'),
    ])
      for (const name of ['x-ratelimit-remaining', 'x-ratelimit-reset'])
        expect(response.headers.get(name)).toMatch(/^\d+$/)
  })

  test('a request that is no message counts too, one without a good token does not', async () => {
    const ada = await world.person()
    await world.rpc(ada.token, '{')
    await world.rpc(`${ada.token}x`, ask('ping'))
    const next = await world.rpc(ada.token, ask('ping'))
    expect(next.headers.get('x-ratelimit-remaining')).toBe('498')
  })
})

test('a server at a public name is not called by names of this machine', async () => {
  const strict = await createToolsWorld({ config: testConfig({ HOST: '0.0.0.0' }) })
  const ada = await strict.person()
  expect((await strict.rpc(ada.token, ask('ping'), { host: 'localhost:3000' })).status).toBe(403)
})
