import { expect, test } from 'vitest'
import { rpcError } from './errors.ts'

test('an error that repeats a broken name is still JSON for strict readers', () => {
  const { error } = rpcError(1, -32601, 'A2A 1.0 has no method a\ud800b')
  expect(error).toEqual({ code: -32601, message: 'A2A 1.0 has no method a\ufffdb' })
})
