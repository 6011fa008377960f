import { expect, test } from 'vitest'
import { knowsMethod, protocolOfMethod, readVersion } from './rpc.ts'

test.each([
  ['1.0', '1.0'],
  ['1.0.12', '1.0'],
  ['0.3', '0.3'],
  ['0.3.0', '0.3'],
  [' 0.3 ', '0.3'],
  [undefined, undefined],
  ['', undefined],
  ['  ', undefined],
  ['1', null],
  ['1.00', null],
  ['1.0.', null],
  ['1.0, 0.3', null],
  ['10.3', null],
  ['0.30', null],
])('the version %j is read as %j', (given, read) => {
  expect(readVersion(given)).toBe(read)
})

test('a method belongs to one version, and what belongs to none is asked of the newest', () => {
  expect(protocolOfMethod('message/send')).toBe('0.3')
  expect(protocolOfMethod('SendMessage')).toBe('1.0')
  expect(protocolOfMethod('whatever')).toBe('1.0')
  expect(knowsMethod('1.0', 'ListTasks')).toBe(true)
  expect(knowsMethod('0.3', 'ListTasks')).toBe(false)
  expect(knowsMethod('1.0', 'message/send')).toBe(false)
  expect(knowsMethod('0.3', 'message/send')).toBe(true)
})
