/** The card below the endpoint, its age, the length of a history, and where 0.3 puts its errors. */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, METHODS, RFQ, VERSIONS, writeMessage } from '../e2e/a2a.world.ts'

const world = await createA2aWorld()
const { raw, rpc } = world
beforeEach(world.forgetHours)

const CARDS = ['', '/a2a'].flatMap((below) => [
  `${below}/.well-known/agent-card.json`,
  `${below}/.well-known/agent.json`,
])

describe.each(CARDS)('the card at %s', (path) => {
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    world.app.request(path, { method, headers })

  test('is the same card as everywhere, for any origin, in the form that is asked for', async () => {
    for (const version of [undefined, '0.3', '1.0']) {
      const headers: Record<string, string> = version ? { 'A2A-Version': version } : {}
      const answer = await get(headers)
      const first = await world.app.request(CARDS[0] ?? '', { headers })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(await answer.text()).toBe(await first.text())
    }
  })

  test('tells its age, and is not sent again to who has it', async () => {
    const lastModified = (await get()).headers.get('last-modified') ?? ''
    expect(new Date(lastModified).toUTCString()).toBe(lastModified)
    expect((await get({ 'If-Modified-Since': lastModified })).status).toBe(304)
    const dayBefore = new Date(Date.parse(lastModified) - 86_400_000).toUTCString()
    expect((await get({ 'If-Modified-Since': dayBefore })).status).toBe(200)
    expect((await get({ 'If-Modified-Since': 'yesterday' })).status).toBe(200)
    expect((await get({ 'If-None-Match': '"other"', 'If-Modified-Since': lastModified })).status).toBe(200)
  })

  test('cannot be posted to', async () => {
    const refused = await get({}, 'POST')
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')])
  })
})

describe.each(VERSIONS)('in A2A %s', (version) => {
  test.each([-1, -2_147_483_648, '-5', 1.5, 'many', {}, true])(
    'a historyLength of %j is -32602, wherever it stands',
    async (historyLength) => {
      const { id } = await world.submitted(version)
      const message = writeMessage(version, { text: 'x', metadata: RFQ })
      const refused = {
        status: 200,
        error: { code: -32602, message: expect.stringContaining('historyLength') },
      }
      expect(await rpc(version, 'get', { id, historyLength })).toMatchObject(refused)
      expect(await rpc(version, 'get', { id, history_length: historyLength })).toMatchObject(refused)
      const configuration = { historyLength }
      for (const verb of ['send', 'stream'] as const)
        expect(await rpc(version, verb, { message, configuration })).toMatchObject(refused)
      if (version === '1.0')
        expect(
          await raw({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { historyLength } }, { version }),
        ).toMatchObject(refused)
    },
  )

  test.each([0, 1, 1_000, '3', null])('a historyLength of %j is taken', async (historyLength) => {
    const { id } = await world.submitted(version)
    const { error, result } = await rpc(version, 'get', { id, historyLength })
    expect(error).toBeUndefined()
    expect(result.id).toBe(id)
  })
})

describe('an error of 0.3 is HTTP 200 with the error in the body', () => {
  const request = (change: Record<string, unknown>) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'one',
      method: METHODS['0.3'].get,
      params: { id: newId() },
      ...change,
    })
  const cases: Array<[string, string, number]> = [
    ['broken JSON', '{"jsonrpc": "2.0", "method":', -32700],
    ['no body', '', -32700],
    ['a batch', `[${request({})}]`, -32600],
    ['a number', '5', -32600],
    ['no jsonrpc', request({ jsonrpc: undefined }), -32600],
    ['another jsonrpc', request({ jsonrpc: '1.0' }), -32600],
    ['no method', request({ method: undefined }), -32600],
    ['a method that is no text', request({ method: 7 }), -32600],
    ['an id of a wrong kind', request({ id: { a: 1 } }), -32600],
    ['an unknown method', request({ method: 'tasks/explode' }), -32601],
    ['params of a wrong form', request({ params: 'none' }), -32602],
    ['an unknown task', request({}), -32001],
  ]

  test.each(cases)('%s, with the header and without', async (_what, body, code) => {
    expect(await raw(body, { version: '0.3' })).toMatchObject({ status: 200, error: { code } })
    expect(await raw(body)).toMatchObject({ status: 200, error: { code } })
  })

  test.each(cases.filter(([, , code]) => code === -32700 || code === -32600))(
    '%s stays HTTP 400 in 1.0',
    async (_what, body, code) => {
      expect(await raw(body, { version: '1.0' })).toMatchObject({ status: 400, error: { code } })
    },
  )

  test('a token that is not valid stays HTTP 401, and an unknown version HTTP 400', async () => {
    expect(await raw(request({}), { version: '0.3', token: 'souk_at_none' })).toMatchObject({ status: 401 })
    expect(await raw(request({}), { headers: { 'A2A-Version': '7.0' } })).toMatchObject({
      status: 400,
      error: { code: -32009 },
    })
  })
})
