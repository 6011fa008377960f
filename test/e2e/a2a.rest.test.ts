/**
 * What is particular about HTTP+JSON: addresses and methods, media types, the form of errors, statuses. What both bindings
 * share is counted and owned together, and is tested here where the one must hold for the other.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, type How, RFQ, type Task, writeMessage } from './a2a.world.ts'

const world = await createA2aWorld({ allow: ['hook.example=127.0.0.1:9'] })
const { http, rpc, send, submitted } = world
beforeEach(world.forgetHours)

type RestError = { code: number; status: string; message: string; details: Array<Record<string, unknown>> }

async function refused(
  method: string,
  path: string,
  body?: unknown,
  how?: How,
): Promise<RestError & { httpStatus: number; headers: Headers }> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await http(method, `/a2a${path}`, text, how)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const { error } = (await response.json()) as { error: RestError }
  expect(error.code).toBe(response.status)
  return { ...error, httpStatus: response.status, headers: response.headers }
}

const message = (more: Record<string, unknown> = {}) => ({
  message: writeMessage('1.0', { text: 'x', metadata: { skill: 'category-browse' }, ...more }),
})
const reasonOf = ({ details }: RestError) => details[0]?.reason

describe('answers', () => {
  test('a message is answered in the media type of the protocol, never kept by a cache, for any site', async () => {
    const response = await http('POST', '/a2a/message:send', JSON.stringify(message()), {
      headers: { Origin: 'https://elsewhere.example' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/a2a+json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toMatchObject({ message: { role: 'ROLE_AGENT' } })
  })

  test('a browser of any site may ask first, for every method', async () => {
    const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'DELETE' }
    const path = `/a2a/tasks/${newId()}/pushNotificationConfigs/p`
    const response = await http('OPTIONS', path, undefined, { headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toContain('DELETE')
  })

  test.each([['application/a2a+json'], ['application/json; charset=utf-8'], ['Application/JSON']])(
    'a body may be %s',
    async (type) => {
      const response = await http('POST', '/a2a/message:send', JSON.stringify(message()), {
        headers: { 'Content-Type': type },
      })
      expect(response.status).toBe(200)
    },
  )

  test.each(['1.0', '1.0.3', undefined])('the version may be %s', async (version) => {
    const headers: Record<string, string> = version === undefined ? {} : { 'A2A-Version': version }
    const response = await http('POST', '/a2a/message:send', JSON.stringify(message()), { headers })
    expect(response.status).toBe(200)
  })

  test('a task is read and canceled without a body, with a slash at the end too', async () => {
    const release = world.holdSlow()
    const { id } = await submitted('HTTP+JSON')
    const read = await http('GET', `/a2a/tasks/${id}/`, undefined)
    expect(await read.json()).toMatchObject({ id, status: { state: 'TASK_STATE_SUBMITTED' } })
    const canceled = await http('POST', `/a2a/tasks/${id}:cancel`, undefined)
    expect(await canceled.json()).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } })
    release()
  })

  test('the address wins over the body', async () => {
    const release = world.holdSlow()
    const { id } = await submitted('HTTP+JSON')
    const push = JSON.stringify({ taskId: newId(), id: 'a/b c', url: 'https://hook.example/told' })
    await http('POST', `/a2a/tasks/${id}/pushNotificationConfigs`, push)
    const path = `/a2a/tasks/${id}/pushNotificationConfigs/${encodeURIComponent('a/b c')}`
    expect(await (await http('GET', path, undefined)).json()).toMatchObject({ id: 'a/b c', taskId: id })
    for (let time = 0; time < 2; time++) {
      const deleted = await http('DELETE', path, undefined)
      expect([deleted.status, await deleted.text()]).toEqual([200, '{}'])
    }
    release()
  })

  test('a stream has the events themselves, to the end of the task', async () => {
    const events = []
    const params = { message: writeMessage('1.0', { text: 'x', metadata: RFQ }) }
    const response = await world.open('HTTP+JSON', 'stream', params)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    for await (const event of world.events(response)) events.push(Object.keys(event))
    expect(events[0]).toEqual(['task'])
    expect(events.at(-1)).toEqual(['statusUpdate'])
  })

  test('a running task is followed by GET and by POST', async () => {
    const release = world.holdSlow()
    const { id } = await submitted('HTTP+JSON')
    for (const method of ['GET', 'POST']) {
      const events = world.events(await http(method, `/a2a/tasks/${id}:subscribe`, undefined))
      expect((await events.next()).value).toMatchObject({ task: { id } })
      await events.return(undefined)
    }
    release()
  })
})

describe('errors', () => {
  test('one of the protocol says its reason, one of JSON-RPC’s kind what is wrong', async () => {
    const missing = await refused('GET', `/tasks/${newId()}`)
    expect(missing).toMatchObject({ httpStatus: 404, status: 'NOT_FOUND', message: expect.any(String) })
    expect(missing.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
      },
    ])
  })

  test.each<[string, string, unknown, number, string | undefined]>([
    ['POST', '/message:send', {}, 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', undefined, 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', '{"message":', 400, undefined],
    ['POST', '/message:send', [], 400, undefined],
    ['POST', '/message:send', 5, 400, undefined],
    ['POST', '/message:send', `${'['.repeat(200)}${']'.repeat(200)}`, 400, undefined],
    ['POST', '/message:stream', message({ text: undefined, metadata: undefined }), 400, 'INVALID_PARAMS'],
    ['POST', '/message:send', message({ raw: 'AAAA' }), 415, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['POST', '/message:send', message({ taskId: newId() }), 404, 'TASK_NOT_FOUND'],
    ['POST', `/tasks/${newId()}:cancel`, undefined, 404, 'TASK_NOT_FOUND'],
    ['POST', `/tasks/${newId()}:subscribe`, undefined, 404, 'TASK_NOT_FOUND'],
    ['GET', '/tasks/a:b', undefined, 404, 'TASK_NOT_FOUND'],
    ['GET', '/extendedAgentCard', undefined, 400, 'UNSUPPORTED_OPERATION'],
    ['GET', `/tasks/${newId()}?historyLength=-1`, undefined, 400, undefined],
    ['GET', `/tasks/${newId()}?historyLength=much`, undefined, 400, undefined],
    ['GET', '/tasks?pageSize=0', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?pageSize=ten', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?status=DONE', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?pageToken=x', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/tasks?includeArtifacts=maybe', undefined, 400, 'INVALID_PARAMS'],
    ['GET', '/nothing', undefined, 404, undefined],
    ['POST', '/message:explode', {}, 404, undefined],
    ['GET', '/tasks/%E0%A4%A', undefined, 404, undefined],
  ])('%s %s is refused: %#', async (method, path, body, status, reason) => {
    const error = await refused(method, path, body)
    expect([error.httpStatus, reasonOf(error)]).toEqual([status, reason])
  })

  test('an end that has been is 409, what cannot be done any more 400', async () => {
    const { id } = await submitted('HTTP+JSON')
    await world.finish(id)
    const canceled = await refused('POST', `/tasks/${id}:cancel`)
    expect([canceled.httpStatus, reasonOf(canceled)]).toEqual([409, 'TASK_NOT_CANCELABLE'])
    const followed = await refused('GET', `/tasks/${id}:subscribe`)
    expect([followed.httpStatus, reasonOf(followed)]).toEqual([400, 'UNSUPPORTED_OPERATION'])
  })

  test('a question has no push notifications', async () => {
    const { task } = await send('HTTP+JSON', { text: 'hi' })
    const error = await refused('POST', `/tasks/${task?.id}/pushNotificationConfigs`, {
      url: 'https://hook.example/',
    })
    expect([error.httpStatus, reasonOf(error)]).toEqual([400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'])
  })

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])(
    'a body that is %s is 415, whatever is in it',
    async (type) => {
      const error = await refused('POST', '/message:send', message(), { headers: { 'Content-Type': type } })
      expect([error.httpStatus, reasonOf(error)]).toEqual([415, 'CONTENT_TYPE_NOT_SUPPORTED'])
    },
  )

  test.each(['0.3', '99.0', 'x'])('version %s is refused by name', async (version) => {
    const error = await refused('POST', '/message:send', message(), { headers: { 'A2A-Version': version } })
    expect([error.httpStatus, reasonOf(error)]).toEqual([400, 'VERSION_NOT_SUPPORTED'])
    expect(error.message).toContain('1.0')
  })

  test.each([
    ['PUT', '/message:send', 'POST'],
    ['GET', '/message:send', 'POST'],
    ['POST', '/tasks', 'GET'],
    ['DELETE', `/tasks/${newId()}`, 'GET'],
    ['GET', `/tasks/${newId()}:cancel`, 'POST'],
    ['PUT', `/tasks/${newId()}/pushNotificationConfigs`, 'POST, GET'],
    ['POST', `/tasks/${newId()}/pushNotificationConfigs/p`, 'GET, DELETE'],
  ])('%s %s is 405 and says what is taken', async (method, path, allow) => {
    const { httpStatus, headers } = await refused(method, path, method === 'GET' ? undefined : {})
    expect([httpStatus, headers.get('allow')]).toEqual([405, `${allow}, OPTIONS`])
  })

  test('a body over the limit is 413', async () => {
    const body = JSON.stringify(message({ text: 'x'.repeat(300_000) }))
    expect(await refused('POST', '/message:send', body)).toMatchObject({ httpStatus: 413 })
  })

  test('a token that is not valid is 401 with a challenge, never a stranger', async () => {
    const { httpStatus, headers } = await refused('POST', '/message:send', message(), { token: 'souk_at_x' })
    expect([httpStatus, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')])
  })
})

describe('with the other binding', () => {
  test('messages of strangers are counted together, and the answer says when to come back', async () => {
    const how = { ip: '192.0.2.77' }
    for (let n = 0; n < 60; n++) {
      const wire = n % 2 === 0 ? '1.0' : 'HTTP+JSON'
      const { error } = await send(wire, { text: 'x', metadata: { skill: 'category-browse' } }, how)
      expect(error).toBeUndefined()
    }
    const error = await refused('POST', '/message:send', message(), how)
    expect(error).toMatchObject({ httpStatus: 429, status: 'RESOURCE_EXHAUSTED' })
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.RetryInfo',
        retryDelay: `${error.headers.get('retry-after')}s`,
      },
    ])
    expect((await send('1.0', { text: 'x' }, how)).status).toBe(429)
  })

  test('a person’s tasks are theirs by either, listed to them and to nobody else', async () => {
    const [one, other] = [await world.person(), await world.person()]
    const { id } = await submitted('HTTP+JSON', { token: one.token })
    for (const wire of ['1.0', 'HTTP+JSON'] as const) {
      const list = async (how: How) => (await rpc(wire, 'list', { includeArtifacts: false }, how)).result
      expect((await list({ token: one.token })).tasks).toMatchObject([{ id }])
      expect((await list({ token: other.token })).tasks).toEqual([])
      expect(await list({})).toMatchObject({ tasks: [], nextPageToken: '', totalSize: 0 })
      for (const verb of ['get', 'cancel'] as const)
        expect((await rpc(wire, verb, { id }, { token: other.token })).error.code).toBe(-32001)
      expect((await rpc(wire, 'get', { id }, {})).error.code).toBe(-32001)
    }
    const finished = async () => {
      const { result } = await rpc('HTTP+JSON', 'list', { includeArtifacts: true }, { token: one.token })
      return (result.tasks as Task[])[0]?.artifacts
    }
    await expect.poll(finished, { timeout: 10_000 }).toHaveLength(1)
  })

  test('the same message by both makes one task', async () => {
    const release = world.holdSlow()
    const same = { text: 'x', messageId: newId(), metadata: RFQ }
    const [first, second] = [await send('1.0', same), await send('HTTP+JSON', same)]
    expect(second.task?.id).toBe(first.task?.id)
    release()
  })

  test('the log has a hash in the place of a task’s id', async () => {
    const { id } = await submitted('HTTP+JSON')
    await http('GET', `/a2a/tasks/${id}`, undefined)
    const lines = JSON.stringify(world.logged.lines())
    expect(lines).toContain('/a2a/tasks/')
    expect(lines).not.toContain(id)
  })
})
