import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'

test('an error that repeats a broken name, in our words or the library’s, is still JSON for strict readers', async () => {
  const { app } = await createTestApp()
  const ask = async (version: string, request: object) => {
    const headers = { 'Content-Type': 'application/json', 'A2A-Version': version }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })
    const answer = await app.request('/a2a', { method: 'POST', headers, body })
    return ((await answer.json()) as { error: { message: string } }).error.message
  }
  expect(await ask('1.0', { method: 'a\ud800b' })).toBe('A2A 1.0 has no method a\ufffdb')
  const message = {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [{ kind: 'a\ud800b', text: 'hello' }],
  }
  expect(await ask('0.3', { method: 'message/send', params: { message } })).toContain('a\ufffdb')
})
