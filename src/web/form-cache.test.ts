import { expect, test } from 'vitest'
import { prepare } from '../http/prepared.ts'
import { manualClock } from '../lib/clock.ts'
import { createFormCache } from './form-cache.ts'

const form = (body: string) => prepare({ body, contentType: 'text/plain', lastModified: new Date(0) })

test('a form with an end is dropped when it has come, to the millisecond; others stay', async () => {
  const clock = manualClock('2026-11-01T00:00:00Z')
  const cache = createFormCache(clock)
  const ending = form('ending')
  const staying = form('staying')
  const validUntil = new Date('2026-11-01T01:00:00Z')
  await cache.getOrMake('ending', async () => ({ prepared: ending, dependsOn: ['a'], validUntil }))
  await cache.getOrMake('staying', async () => ({ prepared: staying, dependsOn: ['a'], validUntil: null }))
  clock.set('2026-11-01T00:59:59.999Z')
  expect(cache.get('ending')).toBe(ending)
  clock.set(validUntil)
  expect(cache.get('ending')).toBeUndefined()
  expect(cache.get('staying')).toBe(staying)
  const anew = form('anew')
  expect(await cache.getOrMake('ending', async () => ({ prepared: anew, dependsOn: ['a'] }))).toBe(anew)
  cache.invalidate(['a'])
  expect([cache.get('ending'), cache.get('staying')]).toEqual([undefined, undefined])
})

test('a form without an end never asks for the time', async () => {
  let asked = 0
  const cache = createFormCache({
    now() {
      asked++
      return new Date()
    },
  })
  await cache.getOrMake('x', async () => ({ prepared: form('x'), dependsOn: [] }))
  for (let n = 0; n < 5; n++) cache.get('x')
  expect(asked).toBe(0)
})
