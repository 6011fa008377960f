/**
 * JSON made to hurt its reader, at every guard that takes JSON from outside: nested beyond what calls can follow, of
 * nothing but keys, of keys that mean something to the language, of numbers without end. Each field of each operation
 * and each argument of each tool gets it, so that a new one is tried without a line here.
 */
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createOrg } from '../orgs.ts'
import { createToolsWorld } from '../tools.world.ts'
import { writeMessage } from './a2a.world.ts'

/** Deeper than calls can follow, and short enough to be tried in every field. */
const DEPTH = 12_000
/** Written as text: what writes JSON cannot go so deep. */
const VALUES: Record<string, string> = {
  'arrays in arrays': '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  'objects in objects': `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
  'many keys': `{${Array.from({ length: 500 }, (_, at) => `"k${at}":1`).join()}}`,
  'a number beyond all numbers': '9'.repeat(400),
  'keys of the language':
    '{"__proto__":{"polluted":1},"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":3}}}',
}
/** For a whole body, or one place of it. */
const LARGE: Record<string, string> = {
  'a hundred thousand arrays': '['.repeat(100_000) + ']'.repeat(100_000),
  'an array that never closes': '['.repeat(1_000_000),
  'an object that never closes': '{"a":'.repeat(50_000),
  'a million digits': '9'.repeat(1_000_000),
}

const world = await createToolsWorld()
const { app } = world
await world.searchRuntime.fill()
const org = await createOrg(world)
const json = { 'content-type': 'application/json' }

const isPolluted = () => 'polluted' in {} || 'polluted' in []

/** What nobody may get out of such a request: a fault, or an answer as large as the question. */
async function expectRefusal(answer: Response, what: string, room = 20_000): Promise<void> {
  const text = await answer.text()
  expect({ what, status: answer.status, text: text.slice(0, 300) }).toMatchObject({
    status: expect.toSatisfy((status: number) => status < 500),
  })
  // A fault in the words of JSON-RPC may come with any status.
  expect(text, what).not.toMatch(/-32603|"code":\s*"internal"/)
  expect(text.length, what).toBeLessThan(room)
  expect(isPolluted(), what).toBe(false)
}

type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> }
}
type Schema = { $ref?: string; properties?: Record<string, Schema> }

const document = (await (await app.request('/openapi.json')).json()) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const guards = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema
    if (!schema) return []
    const resolved = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
    return [{ path, method: method.toUpperCase(), fields: Object.keys(resolved?.properties ?? {}) }]
  }),
)

test('the description has guards that take JSON', () => {
  expect(guards.length).toBeGreaterThan(5)
  for (const { path, fields } of guards) expect(fields, path).not.toEqual([])
})

test.each(guards)('$method $path refuses it whole and in every field', async ({ path, method, fields }) => {
  const send = (body: string) =>
    app.request(path, { method, headers: { ...json, cookie: org.session.cookie }, body })
  for (const [what, text] of Object.entries({ ...VALUES, ...LARGE }))
    await expectRefusal(await send(text), what)
  for (const field of [...fields, 'unknown'])
    for (const [what, value] of Object.entries(VALUES))
      await expectRefusal(await send(`{"${field}":${value}}`), `${what} as ${field}`)
})

test.each(TOOLS.map(({ name }) => name))('the tool %s refuses it in every argument', async (name) => {
  const { token } = await world.person({ producer: true })
  const tool = TOOLS.find((one) => one.name === name)
  const args = Object.keys((tool?.input as z.ZodObject | undefined)?.shape ?? {})
  const send = (written: string) =>
    world.rpc(token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${written}}`)
  for (const [what, value] of Object.entries(VALUES))
    for (const arg of [...args, 'unknown'])
      await expectRefusal(
        await send(`{"name":"${name}","arguments":{"${arg}":${value}}}`),
        `${what} as ${arg}`,
      )
})

test('the tool server refuses it at every place of a message', async () => {
  const { token } = await world.person({ producer: true })
  const send = (place: string, method: string, text: string) =>
    world.rpc(token, `{"jsonrpc":"2.0","id":1,"method":"${method}","${place}":${text}}`)
  for (const [what, text] of Object.entries(LARGE)) {
    await expectRefusal(await world.rpc(token, text), what)
    await expectRefusal(await send('params', 'tools/call', text), what)
  }
  // The list of tools is as long as it is, whatever stands in a field that it does not have.
  for (const [what, text] of Object.entries(VALUES))
    for (const method of ['initialize', 'tools/list', 'unknown/method', 'notifications/initialized'])
      for (const place of ['params', 'id', 'method', '_meta'])
        await expectRefusal(await send(place, method, text), `${what} as ${place} of ${method}`, 100_000)
})

test.each(['0.3', '1.0'] as const)('A2A %s refuses it at every place of a message', async (version) => {
  const send = (body: string) =>
    app.request('/a2a/', { method: 'POST', headers: { ...json, 'a2a-version': version }, body })
  const method = version === '0.3' ? 'message/send' : 'SendMessage'
  const written = JSON.stringify(writeMessage(version, { text: 'a tent', metadata: '@' }))
  const asData = JSON.stringify(writeMessage(version, { data: '@' }))
  for (const [what, text] of Object.entries({ ...VALUES, ...LARGE })) {
    await expectRefusal(await send(text), what)
    for (const message of [written, asData]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"message":${message}}}`
      await expectRefusal(await send(body.replace('"@"', () => text)), `${what} in ${message}`)
    }
  }
})

test('the registration of clients refuses it in every field', async () => {
  const send = (body: string) => app.request('/api/oauth/register/', { method: 'POST', headers: json, body })
  const fields = [
    'redirect_uris',
    'client_name',
    'client_uri',
    'grant_types',
    'contacts',
    'software_id',
    'jwks',
    'unknown',
  ]
  for (const [what, text] of Object.entries({ ...VALUES, ...LARGE })) {
    await expectRefusal(await send(text), what)
    for (const field of fields)
      await expectRefusal(
        await send(`{"redirect_uris":["https://app.example/cb"],"${field}":${text}}`),
        `${what} as ${field}`,
      )
  }
})

test('others are answered before the last of many such bodies is done with', async () => {
  const answered: string[] = []
  const note = async (who: string, answer: Response | Promise<Response>) => {
    await (await answer).text()
    answered.push(who)
  }
  const body = `{"query":"lamp","unknown":${LARGE['a hundred thousand arrays']}}`
  const hostile = Array.from({ length: 20 }, () =>
    note('hostile', app.request('/api/search/', { method: 'POST', headers: json, body })),
  )
  await Promise.all([...hostile, note('other', app.request('/healthz'))])
  expect(answered).toHaveLength(21)
  expect(answered.at(-1)).toBe('hostile')
})
