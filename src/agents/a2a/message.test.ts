import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import { readMessage } from './message.ts'
import { dataPart, textPart } from './tasks.ts'

function request(parts: Part[], metadata?: Record<string, unknown>, ofRequest?: Record<string, unknown>) {
  return {
    tenant: '',
    message: {
      messageId: 'm',
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts,
      metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: ofRequest,
  } satisfies SendMessageRequest
}

test('words of several parts are read as lines', () => {
  expect(readMessage(request([textPart('one'), textPart('two ')]))).toMatchObject({
    text: 'one\ntwo',
    named: null,
  })
})

test.each<[string, SendMessageRequest, Record<string, unknown>]>([
  ['the message', request([textPart('x')], { skill: 'product-lookup', a: 1 }), { a: 1 }],
  ['the request', request([textPart('x')], undefined, { skill: 'product-lookup', a: 1 }), { a: 1 }],
  ['a data part', request([dataPart({ skill: 'product-lookup', a: 1 })]), { a: 1 }],
  [
    'one, parameters in a part',
    request([dataPart({ a: 1, b: 1 })], { skill: 'product-lookup', b: 2 }),
    { a: 1, b: 2 },
  ],
  [
    'all, the message first',
    request([dataPart({ skill: 'what-changed' })], { skill: 'product-lookup' }, { skill: 'category-browse' }),
    {},
  ],
])('a skill is named by %s', (_where, sent, params) => {
  expect(readMessage(sent).named).toEqual({ skill: 'product-lookup', params })
})

test('metadata without a skill says nothing about one', () => {
  expect(readMessage(request([textPart('x')], { trace: 'abc', skill: null })).named).toBeNull()
})

test.each([[5], [''], ['Product-Lookup'], [{}]])(
  'the skill %j is refused with the names of the six',
  (skill) => {
    expect(() => readMessage(request([textPart('x')], { skill }))).toThrow(
      /product-recommendation.*what-changed/,
    )
  },
)

test('data without words and without a skill cannot be acted upon', () => {
  expect(() => readMessage(request([dataPart({ a: 1 })]))).toThrow(/choose a skill/)
})

test.each([
  ['', true],
  ['text/plain', true],
  ['TEXT/Markdown; charset=utf-8', true],
  ['application/json', true],
  ['application/ld+json', true],
  ['image/png', false],
  ['application/octet-stream', false],
  ['application/x-json', false],
])('a part of media type %j is read: %s', (mediaType, read) => {
  const sent = request([{ ...textPart('x'), mediaType }])
  if (read) expect(readMessage(sent).text).toBe('x')
  else expect(() => readMessage(sent)).toThrow(/other types are not supported/)
})

const CONTROLS = ['a\u0000b', 'a\nb', 'a\u0085b', '\ud800', 'a\udc00b']

test.each(['messageId', 'contextId', 'taskId'] as const)(
  'an id with control or broken characters is refused by its name: %s',
  (field) => {
    for (const value of CONTROLS) {
      const sent = request([textPart('x')])
      expect(() => readMessage({ ...sent, message: { ...sent.message, [field]: value } })).toThrow(
        new RegExp(`message\\.${field} must have no control characters`),
      )
    }
    const sent = request([textPart('x')])
    readMessage({ ...sent, message: { ...sent.message, [field]: 'größe 👍 №1' } })
  },
)

test('what cannot be stored is replaced in words and in parameters, however deep, and the rest is left alone', () => {
  expect(readMessage(request([textPart('a\0b\ud800c 👍\n\td')])).text).toBe('a�b�c 👍\n\td')
  const params = { 'k\0': ['\udc00', { deep: 'x\0' }], n: 1, no: null, yes: true }
  expect(readMessage(request([dataPart(params)], { skill: 'product-lookup' })).named?.params).toEqual({
    'k�': ['�', { deep: 'x�' }],
    n: 1,
    no: null,
    yes: true,
  })
})
