/** The tool server's protocol, both families, from the outside; each row a promise. What tools answer is in their own tests. */
import { describe, expect, test } from 'vitest'
import { BASE_URL } from '../harness.ts'
import { ask, createProtocolWorld, META, MODERN, type Rpc } from './tools.protocol.world.ts'

const world = await createProtocolWorld()
const { consumer, producer, legacy, modern } = world

describe('the older family', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initialize speaks %s',
    async (version) => {
      const { body } = await legacy(
        ask('initialize', {
          protocolVersion: version,
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
      )
      expect(body.result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'souk', version: '1.0.0' },
        instructions: expect.stringContaining('search_products'),
      })
    },
  )

  test.each([MODERN, '1999-01-01'])(
    'initialize that asks for %s is answered with the newest of the family',
    async (version) => {
      const { body } = await legacy(
        ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo: {} }),
      )
      expect(body.result?.protocolVersion).toBe('2025-11-25')
    },
  )

  test('the id comes back as it was sent', async () => {
    for (const id of ['a', 0, 'x"y', -5])
      expect((await legacy(ask('ping', {}, id))).body).toEqual({ jsonrpc: '2.0', id, result: {} })
  })

  test('a notification is taken without a word', async () => {
    const { status, body } = await legacy({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([status, body]).toEqual([202, null])
  })

  test('a batch is answered in order, its notifications left out', async () => {
    const { status, body } = await legacy([
      ask('ping', {}, 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      ask('nothing', {}, 2),
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found: nothing' } },
    ])
  })

  test('a batch of notifications alone is taken without a word', async () => {
    expect((await legacy([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202)
  })

  test.each([
    ['an empty batch', []],
    ['a batch of 21', Array.from({ length: 21 }, (_, id) => ask('ping', {}, id))],
    ['initialize within a batch', [ask('initialize', { protocolVersion: '2025-06-18' })]],
    ['a batch with something that is no message', [ask('ping'), { hello: 1 }]],
    ['a batch with a message of the newer family', [ask('tools/list', { _meta: META })]],
  ])('%s is refused as a whole', async (_, batch) => {
    const { status, body } = await legacy(batch)
    expect([status, body.error?.code]).toEqual([400, -32600])
  })

  test('a version nobody speaks, in the header, is refused with those that are spoken', async () => {
    const { status, body } = await legacy(ask('tools/list'), { 'mcp-protocol-version': '1999-01-01' })
    expect(status).toBe(400)
    expect(body.error?.data?.supported).toContain('2025-11-25')
  })
})

describe('the newer family', () => {
  test('server/discover says who this is and what it can do', async () => {
    const { status, body } = await modern('server/discover')
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: {} },
      ttlMs: expect.any(Number),
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'souk' } },
    })
  })

  test('tools/list is for the person who asks', async () => {
    const { body } = await modern('tools/list')
    expect(body.result).toMatchObject({
      resultType: 'complete',
      cacheScope: 'private',
      ttlMs: expect.any(Number),
    })
  })

  test.each<[string, Record<string, string>]>([
    ['without Mcp-Method', { 'mcp-method': '' }],
    ['with another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['with another Mcp-Name', { 'mcp-name': 'get_product' }],
    ['with an Mcp-Name that is badly encoded', { 'mcp-name': '=?base64?***?=' }],
    ['with another version in the header', { 'mcp-protocol-version': '2025-11-25' }],
  ])('a call %s is refused', async (_, headers) => {
    const { status, body } = await modern('tools/call', { name: 'list_categories', arguments: {} }, headers)
    expect([status, body.error?.code]).toEqual([400, -32020])
  })

  test('an encoded Mcp-Name is read', async () => {
    const encoded = `=?base64?${Buffer.from('no such tool').toString('base64')}?=`
    const { body } = await modern('tools/call', { name: 'no such tool' }, { 'mcp-name': encoded })
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool') })
  })

  test.each(['ping', 'initialize', 'nothing', 'constructor'])('%s is no method here', async (method) => {
    const { status, body } = await modern(method)
    expect([status, body.error?.code]).toEqual([404, -32601])
  })

  test('a version of the future is refused with the one that is spoken', async () => {
    const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
    const headers = { 'mcp-protocol-version': '2027-01-01', 'mcp-method': 'tools/list' }
    const { status, body } = await legacy(ask('tools/list', { _meta }), headers)
    expect([status, body.error?.code]).toEqual([400, -32022])
    expect(body.error?.data).toEqual({ supported: [MODERN], requested: '2027-01-01' })
  })

  test('a version in the header alone is refused: the body must say it', async () => {
    const { status, body } = await legacy(ask('tools/list'), {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/list',
    })
    expect([status, body.error?.code]).toEqual([400, -32602])
  })
})

describe('what is no message', () => {
  test.each([
    ['not JSON', '{', 400, -32700],
    ['nothing at all', '', 400, -32700],
    ['a number', '3', 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['another jsonrpc', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32600],
  ])('%s', async (_, message, status, code) => {
    const answer = await legacy(message)
    expect([answer.status, answer.body.error?.code]).toEqual([status, code])
  })

  test('bytes that are no UTF-8 are not JSON', async () => {
    const response = await world.app.request(`${BASE_URL}/mcp/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${consumer.token}`, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    })
    expect([response.status, ((await response.json()) as Rpc).error?.code]).toEqual([400, -32700])
  })

  test('a body over 4 MB is refused', async () => {
    const { status } = await legacy(ask('ping', { filler: 'x'.repeat(4 * 1024 * 1024) }))
    expect(status).toBe(413)
  })

  test('a form is not a message', async () => {
    const { status } = await legacy('a=b', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(status).toBe(415)
  })

  test('a very deep body is read or refused, and nothing breaks', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const { status } = await legacy(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`)
    expect([200, 400]).toContain(status)
  })
})

describe('the form of an answer', () => {
  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const response = await world.rpc(consumer.token, ask('ping'), { accept })
    expect(response.headers.get('content-type')).toBe(type)
    const text = await response.text()
    expect(
      JSON.parse(type === 'application/json' ? text : text.replace(/^event: message\ndata: /, '')),
    ).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
  })

  test('consumers see 10 tools, producers 29, and the first ten are the same', async () => {
    const names = async (token: string) =>
      ((await legacy(ask('tools/list'), {}, token)).body.result?.tools ?? []) as Array<{ name: string }>
    const [ten, all] = [await names(consumer.token), await names(producer.token)]
    expect([ten.length, all.length]).toEqual([10, 29])
    expect(all.slice(0, 10)).toEqual(ten)
  })

  test('a cursor is refused: there is no second page', async () => {
    expect((await legacy(ask('tools/list', { cursor: 'x' }))).body.error?.code).toBe(-32602)
  })

  test.each([
    ['tools/list', { cursor: null }],
    ['tools/list', { cursor: '' }],
    ['tools/call', { name: 'list_categories', arguments: null }],
  ])('null or nothing for what may be left out of %s is taken as left out (%#)', async (method, params) => {
    expect((await legacy(ask(method, params))).body.error).toBeUndefined()
  })

  test('a tool that writes refuses a parameter it does not know, one that reads says that it passed it over', async () => {
    const read = await world.call(consumer, 'list_saved_products', { sort: 'x' })
    expect([read.isError, read.text]).toEqual([
      false,
      expect.stringContaining('Ignored unknown parameters: sort.'),
    ])
    const wrote = await world.call(consumer, 'remove_saved_product', {
      category: 'a',
      slug: 'b',
      list_name: 'c',
    })
    expect(wrote.error).toMatchObject({
      kind: 'invalid',
      field: 'list_name',
      valid: ['category', 'slug', 'list'],
    })
  })

  test('a refusal that repeats what was sent stays short', async () => {
    const specs = { [`${'x'.repeat(9_000)}`]: 3 }
    const { isError } = await world.call(producer, 'submit_product', {
      category: 'kettles',
      title: 'A',
      specs,
    })
    expect(isError).toBe(true)
  })

  test('a tool that takes long is not called in a batch', async () => {
    const { body } = await legacy([
      ask('tools/call', { name: 'find_retailers', arguments: { query: 'a kettle' } }),
    ])
    expect(JSON.stringify(body)).toContain('send it alone')
  })

  test('who belongs to several organizations is told for which one an answer is', async () => {
    const one = await world.person({ producer: { name: 'First *Shop*' } })
    expect((await world.call(one, 'list_team_members')).text).not.toContain('Acting for')
    const other = await world.person({ producer: { name: 'Second' } })
    await world.database.db
      .insertInto('org_members')
      .values({ org_id: one.org?.id ?? '', user_id: other.userId, role: 'viewer' })
      .execute()
    expect((await world.call(other, 'list_team_members')).text).toMatch(
      /\nActing for (Second|First \\\*Shop\\\*)\.$/,
    )
  })

  test('a producer tool called by a consumer is a result that says what to do', async () => {
    const { isError, error, text } = await world.call(consumer, 'list_team_members')
    expect([isError, error.code]).toEqual([true, 'not_a_producer'])
    expect(text).toContain(`${BASE_URL}/account`)
  })

  test.each([
    ['an unknown tool', { name: 'find_retailer' }, 'find_retailers'],
    ['no name', {}, 'params.name'],
    ['arguments that are a list', { name: 'list_categories', arguments: [] }, 'params.arguments'],
  ])('%s is an error of the protocol', async (_, params, says) => {
    const { body } = await legacy(ask('tools/call', params))
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining(says) })
  })
})
