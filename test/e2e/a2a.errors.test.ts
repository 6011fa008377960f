/**
 * Every error code of the protocol, in both versions. -32006 (invalid agent response) and -32008 (extension required) are
 * never given: answers are ours, and no extension is required. -32003 is given for tasks of which no notifications
 * are sent: a question waits for its asker.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, METHODS, RFQ, VERSIONS, writeMessage } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const world = await createA2aWorld()
const { raw, rpc, send } = world
beforeEach(world.forgetHours)

/** Who hands out an error with which HTTP status. */
const refusal = (code: number, status = 200) => ({ status, error: { code } })

describe.each(VERSIONS)('A2A %s', (version) => {
  const methods = METHODS[version]
  /** 0.3 puts what is wrong with an envelope into the body alone. */
  const unread = version === '0.3' ? 200 : 400
  const envelope = (change: Record<string, unknown>) => ({
    jsonrpc: '2.0',
    id: 'one',
    method: methods.get,
    params: { id: newId() },
    ...change,
  })

  test.each(['{"jsonrpc":', '', 'hello', '{"a":"\xff'])('what is not JSON is -32700: %j', async (body) => {
    expect(await raw(body, { version })).toMatchObject({ ...refusal(-32700, unread), id: null })
  })

  test('bytes that are not UTF-8 are -32700', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    const response = await world.app.request('/a2a/', {
      ...{ method: 'POST', headers: { 'A2A-Version': version }, body: new Uint8Array(body) },
    })
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      unread,
      -32700,
    ])
  })

  test.each([
    [[envelope({})], null],
    ['a text', null],
    [null, null],
    [5, null],
    [envelope({ jsonrpc: '1.0' }), 'one'],
    [envelope({ jsonrpc: undefined }), 'one'],
    [envelope({ method: undefined }), 'one'],
    [envelope({ method: 5 }), 'one'],
    [envelope({ method: '' }), 'one'],
    [envelope({ id: 1.5 }), null],
    [envelope({ id: { a: 1 } }), null],
  ])('what is no JSON-RPC request, batches included, is -32600: %j', async (body, id) => {
    expect(await raw(JSON.stringify(body), { version })).toMatchObject({ ...refusal(-32600, unread), id })
  })

  test('a body over the limit is refused with 413 and a JSON-RPC error', async () => {
    const body = JSON.stringify(envelope({ pad: 'x'.repeat(300_000) }))
    expect(await raw(body, { version })).toMatchObject(refusal(-32600, 413))
  })

  test.each(['tasks/explode', 'ExplodeTask', 'toString', '__proto__'])(
    'a method that does not exist is -32601: %s',
    async (method) => {
      expect(await raw(envelope({ method }), { version })).toMatchObject({ ...refusal(-32601), id: 'one' })
    },
  )

  test.each<[string, Record<string, unknown>, string]>([
    ['no parts', { text: undefined }, 'part'],
    ['an empty text', { text: '  ' }, 'skill'],
    ['a role that is not the user', { text: 'hi', role: version === '0.3' ? 'agent' : 'ROLE_AGENT' }, 'role'],
    ['no message id', { text: 'hi', messageId: '' }, 'messageId'],
    ['a message id of a kilobyte', { text: 'hi', messageId: 'x'.repeat(1_000) }, 'messageId'],
    ['an unknown skill', { text: 'hi', metadata: { skill: 'juggle' } }, 'product-recommendation'],
    ['a parameter of the wrong kind', { text: 'hi', metadata: { ...RFQ, quantity: 'many' } }, 'quantity'],
    ['a parameter that is missing', { text: 'hi', metadata: { skill: 'product-lookup' } }, 'product_slug'],
    [
      'a deadline that is past',
      { text: 'hi', metadata: { ...RFQ, deadline_iso: '2020-01-01' } },
      'deadline_iso',
    ],
    ['a product that is not there', { text: 'hi', metadata: { ...RFQ, product_slug: 'no-lamp' } }, 'no-lamp'],
    ['data that is no object', { data: version === '0.3' ? null : [1] }, 'parts.0'],
    ['a text of 5,000 characters', { text: 'x'.repeat(5_000) }, '4000'],
  ])('%s is -32602 and says what is wrong', async (_what, message, word) => {
    const { error, status } = await send(version, message as never)
    expect({ status, error }).toMatchObject(refusal(-32602))
    expect(error?.message).toContain(word)
  })

  test.each([
    undefined,
    null,
    [],
    {},
    { message: null },
    { message: 'hi' },
    { message: { messageId: 'm', role: 'user', parts: [null] } },
    { message: { messageId: 'm', role: 'user', parts: 'none' } },
    {
      message: { messageId: 'm', role: version === '0.3' ? 'user' : 'ROLE_USER', parts: [{ kind: 'file' }] },
    },
    {
      message: {
        messageId: 'm',
        role: version === '0.3' ? 'user' : 'ROLE_USER',
        parts: [{ raw: {}, kind: 'file', file: { bytes: {} } }],
      },
    },
  ])('parameters of a wrong form are -32602 and tell nothing of the inside: %j', async (params) => {
    const { status, error } = await rpc(version, 'send', params, { version })
    expect({ status, error }).toMatchObject(refusal(-32602))
    expect(error.message).not.toMatch(/undefined|TypeError|Cannot read|Buffer/)
  })

  test.each(['get', 'cancel', 'setPush', 'getPush', 'listPushes', 'deletePush'] as const)(
    '%s without a task id is -32602',
    async (verb) => {
      expect(await rpc(version, verb, { url: 'https://a.example/' })).toMatchObject(refusal(-32602))
    },
  )

  test('a fault of ours is -32603 with HTTP 500; the log has it and the client does not', async () => {
    const app = world.mounted({
      offers: {
        ...world.a2a.offers,
        changedAt: () => {
          throw new Error('the secret inside')
        },
      },
    })
    const message = { text: 'hi', metadata: { skill: 'product-offers', product_slug: PRODUCT } }
    const { status, error } = await send(version, message, { app })
    expect({ status, error }).toMatchObject(refusal(-32603, 500))
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(world.logged.text()).toContain('the secret inside')
  })

  test('a fault before the call is known is -32603 too', async () => {
    const app = world.mounted({ findAccessToken: () => Promise.reject(new Error('the other secret')) })
    const answer = await rpc(version, 'get', { id: newId() }, { app, token: 'souk_at_x' })
    expect(answer).toMatchObject(refusal(-32603, 500))
    expect(JSON.stringify(answer.error)).not.toContain('secret')
    expect(world.logged.text()).toContain('the other secret')
  })

  test.each(['get', 'cancel'] as const)('%s of a task that is not there is -32001', async (verb) => {
    for (const id of [newId(), 'not-a-uuid'])
      expect(await rpc(version, verb, { id })).toMatchObject(refusal(-32001))
  })

  test('a message to a task that is not there is -32001', async () => {
    expect(await send(version, { text: 'hi', taskId: newId() })).toMatchObject(refusal(-32001))
  })

  test('cancelling what has ended is -32002', async () => {
    const { id } = await world.submitted(version)
    await rpc(version, 'cancel', { id })
    expect(await rpc(version, 'cancel', { id })).toMatchObject(refusal(-32002))
    const { task } = await send(version, { text: 'hi' })
    await rpc(version, 'cancel', { id: task?.id })
    expect(await rpc(version, 'cancel', { id: task?.id })).toMatchObject(refusal(-32002))
  })

  test('a push notification for a question is -32003', async () => {
    const { task } = await send(version, { text: 'hi' })
    const push = { id: 'p', url: 'https://acme.example/told' }
    const params =
      version === '0.3' ? { taskId: task?.id, pushNotificationConfig: push } : { taskId: task?.id, ...push }
    expect(await rpc(version, 'setPush', params)).toMatchObject(refusal(-32003))
  })

  test('a message to a request that is being carried out, or to a task that has ended, is -32004', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const running = await send(version, { text: 'faster', taskId: id })
    expect(running).toMatchObject(refusal(-32004))
    expect(running.error?.message).toContain('wait')
    release()
    await world.finish(id)
    const after = await send(version, { text: 'thanks', taskId: id })
    expect(after).toMatchObject(refusal(-32004))
    expect(after.error?.message).toContain('without taskId')
  })

  test('a file is -32005', async () => {
    expect(await send(version, { text: 'see', raw: 'AAAA' })).toMatchObject(refusal(-32005))
  })

  test('there is no extended card, which each version has its own code for', async () => {
    const code = version === '0.3' ? -32007 : -32004
    expect(await rpc(version, 'extendedCard', undefined, { version })).toMatchObject(refusal(code))
  })

  test.each(['2.0', '1.1', '0.2', '1', 'latest', '1.0-beta'])(
    'version %s is -32009 with HTTP 400',
    async (given) => {
      const answer = await raw(envelope({}), { headers: { 'A2A-Version': given } })
      expect(answer).toMatchObject({ ...refusal(-32009, 400), id: 'one' })
      expect(answer.error.message).toContain('1.0 or 0.3')
    },
  )
})

test('a text part that says it is something else than text is -32005 in 1.0, where parts say so', async () => {
  const message = { ...writeMessage('1.0', {}), parts: [{ text: 'x', mediaType: 'image/svg+xml' }] }
  expect(await rpc('1.0', 'send', { message })).toMatchObject(refusal(-32005))
  const markdown = {
    ...writeMessage('1.0', {}),
    parts: [{ text: 'hi', mediaType: 'text/markdown; charset=utf-8' }],
  }
  expect((await rpc('1.0', 'send', { message: markdown })).error).toBeUndefined()
})
