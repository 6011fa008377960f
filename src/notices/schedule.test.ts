import { describe, expect, test } from 'vitest'
import { isTimeZone, type Schedule, sendAt, timeZones } from './schedule.ts'

const BERLIN = 'Europe/Berlin'
const schedule = (more: Partial<Schedule> = {}): Schedule => ({
  digest: 'instant',
  quiet: null,
  timeZone: 'UTC',
  ...more,
})
/** When something of this moment is sent, looked at a little later. */
function when(at: string, how: Partial<Schedule>, { daily = false, now = at } = {}): string {
  return sendAt({ createdAt: new Date(at), daily }, schedule(how), new Date(now))
    .toISOString()
    .slice(0, 16)
}
const NIGHT = { from: 22 * 60, to: 7 * 60 }

describe('without quiet hours', () => {
  test('it is sent a minute later', () => {
    expect(when('2026-11-01T12:00:00Z', {})).toBe('2026-11-01T12:01')
  })

  test('one mail a day goes at eight of the person’s clock', () => {
    expect(when('2026-11-01T12:00:00Z', { digest: 'daily' })).toBe('2026-11-02T08:00')
    expect(when('2026-11-01T06:59:00Z', { digest: 'daily' })).toBe('2026-11-01T08:00')
    expect(when('2026-11-01T12:00:00Z', { digest: 'daily', timeZone: BERLIN })).toBe('2026-11-02T07:00')
    expect(when('2026-11-01T12:00:00Z', { timeZone: 'Asia/Kathmandu' }, { daily: true })).toBe(
      '2026-11-02T02:15',
    )
  })

  test('the day’s mail keeps to the clock when clocks change', () => {
    // Berlin: forward on March 29, back on October 25.
    const at8 = { digest: 'daily', timeZone: BERLIN } as const
    expect(when('2026-03-28T12:00:00Z', at8)).toBe('2026-03-29T06:00')
    expect(when('2026-10-24T12:00:00Z', at8)).toBe('2026-10-25T07:00')
  })
})

describe('quiet hours', () => {
  const at = (moment: string, zone = 'UTC', quiet = NIGHT) => when(moment, { quiet, timeZone: zone })

  test('over midnight hold what happens before and after it', () => {
    expect(at('2026-11-01T21:58:00Z')).toBe('2026-11-01T21:59')
    expect(at('2026-11-01T21:59:00Z')).toBe('2026-11-02T07:00')
    expect(at('2026-11-01T23:30:00Z')).toBe('2026-11-02T07:00')
    expect(at('2026-11-02T03:00:00Z')).toBe('2026-11-02T07:00')
    expect(at('2026-11-02T06:59:00Z')).toBe('2026-11-02T07:00')
  })

  test('within a day end on it', () => {
    const noon = { from: 12 * 60, to: 14 * 60 }
    expect(at('2026-11-01T12:30:00Z', 'UTC', noon)).toBe('2026-11-01T14:00')
    expect(at('2026-11-01T14:00:00Z', 'UTC', noon)).toBe('2026-11-01T14:01')
  })

  test('hold what was due before them when it is looked at only within them', () => {
    const late = when('2026-11-01T21:58:00Z', { quiet: NIGHT }, { now: '2026-11-01T22:00:30Z' })
    expect(late).toBe('2026-11-02T07:00')
  })

  test('end by the clock in the night that clocks go forward, and in the one that they go back', () => {
    // 23:00 in Berlin; seven o'clock is seven hours away, and nine.
    expect(at('2026-03-28T22:00:00Z', BERLIN)).toBe('2026-03-29T05:00')
    expect(at('2026-10-24T21:00:00Z', BERLIN)).toBe('2026-10-25T06:00')
    // New York, November 1: back at 06:00 UTC.
    expect(at('2026-11-01T03:00:00Z', 'America/New_York')).toBe('2026-11-01T12:00')
    // Half an hour: Lord Howe Island, forward on October 4.
    expect(at('2026-10-03T13:00:00Z', 'Australia/Lord_Howe')).toBe('2026-10-03T20:00')
  })

  test('that end at a time which a day does not have end an hour later, and at one it has twice the first time', () => {
    const until = { from: 22 * 60, to: 2 * 60 + 30 }
    expect(at('2026-03-28T22:00:00Z', BERLIN, until)).toBe('2026-03-29T01:30')
    expect(at('2026-10-24T21:00:00Z', BERLIN, until)).toBe('2026-10-25T00:30')
  })

  test('move the day’s mail to their end', () => {
    const quiet = { from: 0, to: 9 * 60 }
    expect(when('2026-11-01T12:00:00Z', { quiet, digest: 'daily' })).toBe('2026-11-02T09:00')
  })

  test('never send within them, in any zone, at any hour of the days around a change', () => {
    const zones = [BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Apia']
    for (const timeZone of zones) {
      const shown = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' })
      for (const day of ['2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31'])
        for (let hour = 0; hour < 48; hour++) {
          const createdAt = new Date(new Date(`${day}T00:17:00Z`).getTime() + hour * 3_600_000)
          const sent = sendAt({ createdAt, daily: false }, schedule({ quiet: NIGHT, timeZone }), createdAt)
          const local = Number(shown.format(sent))
          expect([timeZone, createdAt, local >= 7 && local < 22]).toEqual([timeZone, createdAt, true])
          expect(sent.getTime() - createdAt.getTime()).toBeLessThan(11 * 3_600_000)
        }
    }
  })
})

test('zones are known by name, and one that is no more is UTC', () => {
  expect(timeZones().slice(0, 2)).toEqual(['UTC', expect.any(String)])
  expect(timeZones()).toContain(BERLIN)
  expect([isTimeZone(BERLIN), isTimeZone('Mars/Olympus'), isTimeZone('')]).toEqual([true, false, false])
  expect(when('2026-11-01T12:00:00Z', { digest: 'daily', timeZone: 'Mars/Olympus' })).toBe('2026-11-02T08:00')
})
