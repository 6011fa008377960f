import { expect, test } from 'vitest'
import { CODES, errorText } from './protocol.ts'

test('an error that repeats a broken name is still JSON for strict readers', () => {
  const { id, error } = JSON.parse(
    errorText(1, {
      code: CODES.methodNotFound,
      message: 'Method not found: a\ud800b',
      data: { mismatch: { body: '\udfff' } },
    }),
  )
  expect([id, error.code]).toEqual([1, CODES.methodNotFound])
  expect(error.message).toBe('Method not found: a\ufffdb')
  expect(error.data).toEqual({ mismatch: { body: '\ufffd' } })
})
