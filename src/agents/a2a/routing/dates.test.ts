import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findDate, type Toward } from './dates.ts'
import { readMessage } from './message.ts'

/** A Sunday. */
const NOW = new Date('2026-11-15T12:00:00Z')

function read(text: string, toward: Toward, now = NOW): string | null {
  return findDate(readMessage(text), now, toward)?.iso ?? null
}

describe('a deadline', () => {
  test.each([
    ['by December 1', '2026-12-01'],
    ['by 1 December', '2026-12-01'],
    ['on the 1st of December', '2026-12-01'],
    ['by Dec. 3rd, 2027', '2027-12-03'],
    ['before 2026-12-24', '2026-12-24'],
    ['deadline: 2026-12-24T17:00:00Z', '2026-12-24'],
    ['by 12/1', '2026-12-01'],
    ['by 24/12/2026', '2026-12-24'],
    ['24.12.2026', '2026-12-24'],
    ['by the 20th', '2026-11-20'],
    ['by the 10th', '2026-12-10'],
    ['within two weeks', '2026-11-29'],
    ['in 10 days', '2026-11-25'],
    ['in less than a week', '2026-11-22'],
    ['within a couple of days', '2026-11-17'],
    ['within 5 business days', '2026-11-20'],
    ['in a month', '2026-12-15'],
    ['in the next 3 weeks', '2026-12-06'],
    ['tomorrow', '2026-11-16'],
    ['by Friday', '2026-11-20'],
    ['by next Friday', '2026-11-20'],
    ['by this Sunday', '2026-11-22'],
    ['by the end of the month', '2026-11-30'],
    ['by the end of next month', '2026-12-31'],
    ['by the end of the week', '2026-11-20'],
    ['by the end of January', '2027-01-31'],
    ['before Christmas', '2026-12-25'],
    ['by February 29', '2028-02-29'],
  ])('%s is %s', (text, iso) => expect(read(text, 'future')).toBe(iso))

  test('without a year, that is over this year, is next year’s', () => {
    expect(read('by March 3', 'future')).toBe('2027-03-03')
    expect(read('by November 15', 'future')).toBe('2026-11-15')
    expect(read('by November 14', 'future')).toBe('2027-11-14')
  })

  test('of next Friday, said in the middle of a week, is the Friday of the week after', () => {
    const wednesday = new Date('2026-11-18T09:00:00Z')
    expect(read('by Friday', 'future', wednesday)).toBe('2026-11-20')
    expect(read('by next Friday', 'future', wednesday)).toBe('2026-11-27')
  })

  test.each([
    'may I have a quote',
    'a 1/2 inch chuck',
    'a battery for 10 days',
    'the Skein 2',
    'by February 30',
    'for Thanksgiving',
    'version 2026',
    'we march on',
    'three weeks ago',
    'the sun lamp',
  ])('is not read from "%s"', (text) => expect(read(text, 'future')).toBeNull())
})

describe('a past moment', () => {
  test.each([
    ['since Monday', '2026-11-09'],
    ['since last Friday', '2026-11-13'],
    ['since Sunday', '2026-11-08'],
    ['since 1 November', '2026-11-01'],
    ['since December 1', '2025-12-01'],
    ['since October', '2026-10-01'],
    ['since December', '2025-12-01'],
    ['since yesterday', '2026-11-14'],
    ['today', '2026-11-15'],
    ['this week', '2026-11-09'],
    ['last week', '2026-11-02'],
    ['in the last week', '2026-11-08'],
    ['in the past month', '2026-10-15'],
    ['this month', '2026-11-01'],
    ['this year', '2026-01-01'],
    ['in the last 30 days', '2026-10-16'],
    ['over the past three days', '2026-11-12'],
    ['two weeks ago', '2026-11-01'],
    ['in the last 48 hours', '2026-11-13T12:00:00Z'],
    ['since Christmas', '2025-12-25'],
  ])('%s is %s', (text, iso) => expect(read(text, 'past')).toBe(iso))
})

test('whatever the text and the day, a date that is read exists in the calendar', () => {
  const words = fc.constantFrom(
    ...'by since in within the next last this 1 2 29 30 31 th st may march december february friday week month days hours ago end of 2026 2028 - / . , christmas a couple'.split(
      ' ',
    ),
  )
  const text = fc.array(words, { maxLength: 8 }).map((list) => list.join(' '))
  const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(text, day, fc.constantFrom<Toward>('future', 'past'), (said, now, toward) => {
      const iso = read(said, toward, now)
      if (iso !== null) expect(new Date(iso).toISOString().slice(0, 10)).toBe(iso.slice(0, 10))
    }),
  )
})
