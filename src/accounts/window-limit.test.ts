import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { manualClock } from '../lib/clock.ts'
import { createAccountSecrets } from './secrets.ts'
import {
  countWithinLimit,
  forgetOldWindows,
  networkOf,
  takeFromWindow,
  whoOf,
} from './window-limit.service.ts'

const database = await createTestDatabase()
const clock = manualClock('2026-11-01T12:40:00Z')
const secrets = createAccountSecrets('a secret for tests, of at least 32 characters')
const ctx = { db: database.db, clock, secrets }
const HOUR = { count: 5, windowMs: 3_600_000 }

test('of callers that come at once exactly as many get through as may, and the rest are told when', async () => {
  const takes = await Promise.all(
    Array.from({ length: 30 }, () => takeFromWindow(ctx, { whose: 'rfq user 1', rate: HOUR })),
  )
  const allowed = takes.filter((taken) => taken.allowed)
  expect(allowed.map(({ remaining }) => remaining).sort()).toEqual([0, 1, 2, 3, 4])
  for (const taken of takes.filter((one) => !one.allowed))
    expect(taken).toEqual({ allowed: false, remaining: 0, resetSeconds: 1_200, retryAfterSeconds: 1_200 })
  expect((await takeFromWindow(ctx, { whose: 'rfq user 2', rate: HOUR })).allowed).toBe(true)
  clock.set('2026-11-01T13:00:00Z')
  expect(await takeFromWindow(ctx, { whose: 'rfq user 1', rate: HOUR })).toMatchObject({ remaining: 4 })
})

test('a refusal names the number and the time; without a rate nothing is counted', async () => {
  const counted = { limit: 'rfq', who: 'user 3', said: () => '1 request an hour was sent' }
  const once = { count: 1, windowMs: 3_600_000 }
  clock.set('2026-11-01T13:40:00Z')
  await countWithinLimit(ctx, { ...counted, rate: once })
  await expect(countWithinLimit(ctx, { ...counted, rate: once })).rejects.toMatchObject({
    kind: 'rate_limited',
    code: 'rate_limited',
    message: '1 request an hour was sent; try again in 20 minutes',
    max: 1,
    retryAfterSeconds: 1_200,
  })
  await countWithinLimit(ctx, { ...counted, rate: null })
})

test('what is counted says nothing about whom, and is forgotten when its window is over', async () => {
  const rows = async () =>
    (await database.pool.query<{ network: string }>('select network from a2a_hours')).rows
  const before = await rows()
  expect(before.length).toBeGreaterThan(2)
  for (const { network } of before) expect(network).toMatch(/^[0-9a-f]{64}$/)
  clock.set('2026-11-02T14:00:00Z')
  await takeFromWindow(ctx, { whose: 'daily', rate: { count: 5, windowMs: 86_400_000 } })
  expect(await forgetOldWindows(ctx)).toBe(before.length)
  expect(await rows()).toHaveLength(1)
})

test('people whose address is confirmed are counted by account, everybody else by network', () => {
  const visit = { ip: '192.0.2.1' }
  expect(whoOf({ user: { id: 'u', emailVerified: true }, visit })).toBe('user u')
  expect(whoOf({ user: { id: 'u', emailVerified: false }, visit })).toBe('network 192.0.2.1')
  expect(whoOf({ user: null, visit: { ip: '2001:db8:1:2:3::4' } })).toBe('network 2001:db8:1:2')
  expect(networkOf(null)).toBe('unknown')
})
