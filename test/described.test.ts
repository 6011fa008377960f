import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../src/http/operation.ts'
import { describedBy, promisesOf, unprovoked } from './described.coverage.ts'
import { close } from './described.schemas.ts'
import { Breach, createChecker } from './described.ts'

const LAMP: Operation = {
  id: 'getLamp',
  method: 'get',
  path: '/lamps/{category}/{slug}.json',
  tag: 'Products',
  summary: 'Read a lamp',
  caller: 'anyone',
  answers: [
    { status: 200, description: 'A lamp', content: { 'application/json': z.unknown() } },
    { status: 304, description: 'Unchanged', content: {} },
  ],
  refusals: [
    { status: 403, when: 'the shop is closed', code: 'org_deactivated' },
    { status: 403, when: 'another site asks', words: 'elsewhere' },
    { status: 403, when: 'the role only reads', words: 'only reads' },
    { status: 400, when: 'a field is not valid', anyField: true },
    { status: 400, when: 'it is too bright', field: 'watts', words: 'too bright' },
    { status: 404, when: 'it does not exist', form: 'page' },
  ],
}
const LAMPS: Operation = { ...LAMP, id: 'getLamps', path: '/lamps/{slug}.json' }
const PAGE: Operation = { ...LAMP, id: 'getLampPage', path: '/lamps/{category}/{slug}' }
const OPERATIONS = describedBy([PAGE, LAMPS, LAMP])

const json = (schema: object) => ({ content: { 'application/json': { schema: { ...schema } } } })
const text = { schema: { type: 'string' } }
const responses = {
  200: {
    ...json({ $ref: '#/components/schemas/Lamp' }),
    headers: { 'X-Request-Id': { $ref: '#/components/headers/Id' }, ETag: { required: true }, Link: {} },
  },
  201: json({ $ref: '#/components/schemas/Made' }),
  304: {},
  400: { $ref: '#/components/responses/Refused' },
  403: { $ref: '#/components/responses/Refused' },
  404: { content: { 'text/plain': text, 'text/html': text } },
}
const requestBody = json({ $ref: '#/components/schemas/Wish' })
const checker = createChecker({
  operations: OPERATIONS,
  document: {
    paths: Object.fromEntries(
      [LAMP, LAMPS, PAGE].map(({ path }) => [path, { get: { requestBody, responses } }]),
    ),
    components: {
      headers: { Id: { required: true } },
      responses: { Refused: json({ $ref: '#/components/schemas/Error' }) },
      schemas: {
        Error: {
          type: 'object',
          properties: { error: { type: 'string' }, code: { type: 'string' }, field: { type: 'string' } },
          required: ['error'],
        },
        Wish: {
          type: 'object',
          properties: { watts: { type: 'number' }, shade: { $ref: '#/components/schemas/Shade' } },
        },
        Shade: { type: 'object', properties: { colour: { type: 'string' } } },
        Made: { type: 'object', properties: { made: { type: 'string', format: 'date-time' } } },
        Lamp: {
          allOf: [
            { $ref: '#/components/schemas/Made' },
            {
              type: 'object',
              properties: {
                watts: { type: 'number' },
                shade: {
                  anyOf: [{ type: 'object', properties: { colour: { type: 'string' } } }, { type: 'null' }],
                },
                notes: { type: 'object', additionalProperties: { type: 'string' } },
              },
              required: ['watts'],
            },
          ],
        },
      },
    },
  },
})

const HEADERS = { 'x-request-id': 'of-a-test', etag: '"1"' }
type How = {
  status?: number
  type?: string
  method?: string
  headers?: Record<string, string>
  sent?: string | null
}

async function judge(body: unknown, how: How = {}) {
  const { status = 200, type = 'application/json', method = 'GET', headers = HEADERS, sent = null } = how
  const operation = checker.find(method, '/lamps/desk/brass.json')
  if (!operation) throw new Error('not found')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const given = new Headers({ 'content-type': type, ...headers })
  return checker.check(operation, {
    method,
    status,
    headers: given,
    sent: async () => sent,
    read: async () => text,
  })
}

const GOOD = { watts: 5, made: '2026-11-01T12:00:00Z', shade: { colour: 'red' }, notes: { care: 'dust it' } }

test('a described answer passes and names what it has proved', async () => {
  expect(await judge(GOOD)).toBe('getLamp 200 application/json')
  expect(await judge({ watts: 5, shade: null })).toBe('getLamp 200 application/json')
  expect(await judge({ error: 'closed', code: 'org_deactivated' }, { status: 403 })).toBe(
    'getLamp 403 org_deactivated',
  )
  expect(await judge('Not found.', { status: 404, type: 'text/plain; charset=UTF-8' })).toBe(
    'getLamp 404 text/plain',
  )
  expect(await judge('<p>', { status: 404, type: 'text/html' })).toBe('getLamp 404 text/html')
})

test('reasons that share status and code are told apart by field and words', async () => {
  const refused = (status: number, error: string, field?: string) => judge({ error, field }, { status })
  expect(await refused(403, 'sent from elsewhere')).toBe('getLamp 403 (no code) "elsewhere"')
  expect(await refused(403, 'your role only reads')).toBe('getLamp 403 (no code) "only reads"')
  expect(await refused(400, 'watts: must be a number', 'watts')).toBe('getLamp 400 (no code) (any field)')
  expect(await refused(400, 'watts: too bright', 'watts')).toBe('getLamp 400 (no code) watts "too bright"')
  expect(await refused(400, 'volts: too bright', 'volts')).toBe('getLamp 400 (no code) (any field)')
  await expect(refused(400, 'too bright')).rejects.toThrow('this reason is not described')
  await expect(refused(403, 'because')).rejects.toThrow('this reason is not described')
})

test('an answer without a header that is described as required is a breach', async () => {
  await expect(judge(GOOD, { headers: { etag: '"1"' } })).rejects.toThrow('without X-Request-Id')
  await expect(judge(GOOD, { headers: { 'x-request-id': 'a' } })).rejects.toThrow('without ETag')
  await expect(judge('', { headers: {}, method: 'HEAD' })).rejects.toThrow('without X-Request-Id, ETag')
})

test('a request that was taken must be as described; one that was refused need not', async () => {
  const asked = (sent: object | string, how: How = {}) =>
    judge(GOOD, { sent: typeof sent === 'string' ? sent : JSON.stringify(sent), ...how })
  expect(await asked({ watts: 5, shade: { colour: 'red' } })).toBe('getLamp 200 application/json')
  // Nobody minds what nobody knows.
  expect(await asked({ volts: 12, shade: { size: 3 } })).toBe('getLamp 200 application/json')
  await expect(asked({ watts: '5' })).rejects.toThrow(
    'the request is not as described: /watts must be number\n{"watts":"5"}',
  )
  await expect(asked({ shade: { colour: 7 } })).rejects.toThrow('/shade/colour must be string')
  await expect(asked('{')).rejects.toThrow('the request is not as described')
  const refused = { error: 'watts: must be a number', field: 'watts' }
  expect(await judge(refused, { status: 400, sent: '{"watts":"5"}' })).toContain('getLamp 400')
})

test('an answer to HEAD is judged by its status and media type, and proves nothing', async () => {
  expect(await judge('', { method: 'HEAD' })).toBeNull()
  await expect(judge('', { method: 'HEAD', status: 500 })).rejects.toThrow('this status is not described')
})

test('an undescribed status is a breach that says operation, status and how the body begins', async () => {
  const breach = judge({ error: 'lamp on fire' }, { status: 500 })
  await expect(breach).rejects.toThrow(Breach)
  await expect(breach).rejects.toThrow(
    'getLamp (GET /lamps/{category}/{slug}.json) answered 500: this status is not described\n{"error":"lamp on fire"}',
  )
})

test.each([
  ['at the top', { ...GOOD, volts: 12 }, '/volts is not described'],
  ['further inside', { ...GOOD, shade: { colour: 'red', size: 3 } }, '/shade/size is not described'],
])('an undescribed field %s is a breach', async (_where, body, words) => {
  await expect(judge(body)).rejects.toThrow(words)
})

test.each([
  ['of the wrong type', { watts: '5' }, '/watts must be number'],
  ['left out', {}, `the body must have required property 'watts'`],
  ['of the wrong format', { ...GOOD, made: 'yesterday' }, '/made must match format "date-time"'],
  ['of the wrong type in a map', { ...GOOD, notes: { care: 1 } }, '/notes/care must be string'],
])('a field %s is a breach', async (_what, body, words) => {
  await expect(judge(body)).rejects.toThrow(words)
})

test('a code that is not described for this status is a breach, and so is a field beside the envelope', async () => {
  await expect(judge({ error: 'no', code: 'conflict' }, { status: 403 })).rejects.toThrow(
    'this reason is not described\n{"error":"no","code":"conflict"}',
  )
  await expect(judge({ error: 'no', stack: 'at lamp.ts' }, { status: 403 })).rejects.toThrow(
    '/stack is not described',
  )
})

test('another media type, an unexpected body, and malformed JSON are breaches', async () => {
  await expect(judge('<p>', { type: 'text/html' })).rejects.toThrow(
    'text/html is not described, but application/json',
  )
  await expect(judge({ error: 'none' }, { status: 404 })).rejects.toThrow('application/json is not described')
  await expect(judge(GOOD, { status: 304 })).rejects.toThrow('application/json is not described, but no body')
  await expect(judge('{"watts":')).rejects.toThrow('the body is not JSON')
})

test('of two shapes an answer has one, not a mixture', () => {
  const shape = (name: string) => ({ type: 'object', properties: { [name]: { type: 'number' } } })
  expect(close({ anyOf: [shape('one'), shape('other')] })).toEqual({
    anyOf: [
      { ...shape('one'), unevaluatedProperties: false },
      { ...shape('other'), unevaluatedProperties: false },
    ],
  })
})

test('a path is found with and without its slash, by both forms of a slug, and the closest one wins', () => {
  const found = (path: string, method = 'GET') => checker.find(method, path)?.id ?? null
  expect(found('/lamps/desk/brass.json')).toBe('getLamp')
  expect(found('/lamps/desk/brass.json/', 'HEAD')).toBe('getLamp')
  expect(found('/lamps/brass.json')).toBe('getLamps')
  expect(found('/lamps/desk/brass')).toBe('getLampPage')
  expect(found('/lamps/desk/brass.json', 'POST')).toBeNull()
  expect(found('/lamps/desk/brass.xml')).toBeNull()
  expect(found('/other/lamps/desk/brass.json')).toBeNull()
  const alone = createChecker({ document: {}, operations: describedBy([LAMPS]) })
  expect(alone.find('GET', '/lamps/desk/brass.json')?.id).toBe('getLamps')
})

test('what no test has provoked is named, every reason and every form by itself', () => {
  expect(promisesOf(describedBy([LAMP]))).toEqual([
    'getLamp 200 application/json',
    'getLamp 304 no body',
    'getLamp 403 org_deactivated',
    'getLamp 403 (no code) "elsewhere"',
    'getLamp 403 (no code) "only reads"',
    'getLamp 400 (no code) (any field)',
    'getLamp 400 (no code) watts "too bright"',
    'getLamp 404 text/plain',
    'getLamp 404 text/html',
  ])
  const seen = promisesOf(describedBy([LAMP, LAMPS])).filter(
    (line) => line !== 'getLamps 403 org_deactivated',
  )
  expect(unprovoked(describedBy([LAMP, LAMPS]), seen)).toEqual(['getLamps 403 org_deactivated'])
  expect(unprovoked(describedBy([LAMP, LAMPS]), [...seen, 'getLamps 403 org_deactivated'])).toEqual([])
})
