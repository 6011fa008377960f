import { expect, test } from 'vitest'
import { inTime } from './abort.ts'

const late = () => new Error('too late')

test('work that is done in time gives what it gives, or fails as it fails', async () => {
  await expect(inTime(Promise.resolve(7), 1_000, late)).resolves.toBe(7)
  await expect(inTime(Promise.reject(new Error('its own')), 1_000, late)).rejects.toThrow('its own')
})

test('work that takes longer is no longer waited for, and failing later is no news', async () => {
  const work = Promise.withResolvers<never>()
  await expect(inTime(work.promise, 1, late)).rejects.toThrow('too late')
  work.reject(new Error('much later'))
  await new Promise((resolve) => setImmediate(resolve))
})
