import { describe, expect, test, vi } from 'vitest'
import { deadlineOf, RfqRequest, readInstant } from './rfq.schema.ts'
import { type AttemptVerdict, isFailure, VERDICTS } from './verdicts.ts'

describe('a request for quote', () => {
  test('needs only a product: one unit, any region, no deadline', () => {
    expect(RfqRequest.parse({ product_slug: 'kitchen/ovenbird' })).toEqual({
      product_slug: 'kitchen/ovenbird',
      quantity: 1,
      delivery_region: null,
      deadline_iso: null,
      variant: null,
    })
  })

  test.each([[null], [''], ['  '], [undefined]])(
    '%j for region and deadline counts as not given',
    (nothing) => {
      const request = { product_slug: 'a/b', delivery_region: nothing, deadline_iso: nothing }
      expect(RfqRequest.parse(request)).toMatchObject({ delivery_region: null, deadline_iso: null })
    },
  )

  test('a region is read in the forms people write', () => {
    for (const delivery_region of ['ca-us', 'CA, US', 'US-CA', 'California'])
      expect(RfqRequest.parse({ product_slug: 'a/b', delivery_region }).delivery_region).toBe('CA-US')
  })

  test.each([
    ['product_slug', ''],
    ['product_slug', 5],
    ['quantity', 0],
    ['quantity', 1.5],
    ['quantity', 100_001],
    ['quantity', '3'],
    ['delivery_region', 'CA'],
    ['delivery_region', 'Atlantis'],
    ['delivery_region', 7],
    ['deadline_iso', 'tomorrow'],
    ['deadline_iso', '2026-02-30'],
    ['deadline_iso', '12/01/2026'],
    ['deadline_iso', '2026-12-01T25:00:00Z'],
  ])('%s %j is refused by name', (field, value) => {
    const result = RfqRequest.safeParse({ product_slug: 'a/b', [field]: value })
    expect(result.error?.issues[0]?.path).toEqual([field])
  })

  test('a deadline is the end of the day that was written, whatever the zone beside it', () => {
    for (const deadline_iso of ['2026-12-01', '2026-12-01T23:00:00-08:00', '2026-12-01T00:00:00Z']) {
      expect(RfqRequest.parse({ product_slug: 'a/b', deadline_iso }).deadline_iso).toBe(deadline_iso)
      expect(deadlineOf(deadline_iso).toISOString()).toBe('2026-12-01T23:59:59.999Z')
    }
  })
})

describe('an instant', () => {
  test.each([
    ['2026-11-16T10:00:00Z', '2026-11-16T10:00:00.000Z'],
    ['2026-11-16T10:00Z', '2026-11-16T10:00:00.000Z'],
    ['2026-11-16T10:00:00.123456+00:00', '2026-11-16T10:00:00.123Z'],
    ['2026-11-16T10:00:00.5-08:00', '2026-11-16T18:00:00.500Z'],
    ['2026-11-16T10:00:00.123456', '2026-11-16T10:00:00.123Z'],
    ['2028-02-29T10:00:00Z', '2028-02-29T10:00:00.000Z'],
  ])('%s is %s', (text, iso) => expect(readInstant(text)?.toISOString()).toBe(iso))

  test('without a zone is UTC, wherever the machine stands', () => {
    vi.stubEnv('TZ', 'America/Los_Angeles')
    expect(new Date('2026-11-16T10:00:00').toISOString()).toBe('2026-11-16T18:00:00.000Z')
    expect(readInstant('2026-11-16T10:00:00')?.toISOString()).toBe('2026-11-16T10:00:00.000Z')
    vi.unstubAllEnvs()
  })

  test.each([
    '2026-11-16',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-11-16T24:00:00Z',
    '2026-11-16 10:00:00Z',
    '2026-11-16T10:00:00 Z',
    '2026-11-16T10:00:00+25:00',
    '20261116T100000Z',
    'Mon, 16 Nov 2026 10:00:00 GMT',
    '1794823200',
    '+012026-11-16T10:00:00Z',
    '',
  ])('%j is not one', (text) => expect(readInstant(text)).toBeNull())
})

test('answers in the agreed form are never held against a producer, everything it broke is', () => {
  const failures = (Object.keys(VERDICTS) as AttemptVerdict[]).filter(isFailure)
  expect(failures.sort()).toEqual([
    'bad_status',
    'invalid',
    'not_json',
    'redirect',
    'refused_address',
    'timeout',
    'too_large',
    'unreachable',
  ])
})
