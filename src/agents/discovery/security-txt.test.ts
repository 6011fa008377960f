import { describe, expect, test } from 'vitest'
import { renderSecurityTxt } from './discovery.routes.ts'

const SITE = { baseUrl: 'https://souk.example', securityContact: 'mailto:security@souk.example' }
const DAY_MS = 86_400_000

function fields(text: string): Array<[string, string]> {
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    })
}

describe('security.txt', () => {
  test('says whom to tell, until when, in which language, and where it stands', () => {
    expect(fields(renderSecurityTxt(SITE, new Date('2026-11-01T12:00:00Z')))).toEqual([
      ['Contact', 'mailto:security@souk.example'],
      ['Expires', '2027-04-30T00:00:00.000Z'],
      ['Preferred-Languages', 'en'],
      ['Canonical', 'https://souk.example/.well-known/security.txt'],
    ])
  })

  test('is never out of date and never good for more than a year, on any day', () => {
    for (let day = 0; day < 800; day++) {
      const now = new Date(Date.UTC(2027, 0, 1, 23, 59, 59) + day * DAY_MS)
      const expires = Date.parse(new Map(fields(renderSecurityTxt(SITE, now))).get('Expires') ?? '')
      expect(expires - now.getTime()).toBeGreaterThan(31 * DAY_MS)
      expect(expires - now.getTime()).toBeLessThan(365 * DAY_MS)
    }
  })

  test('stays the same for a whole day and changes with the next', () => {
    const at = (time: string) => renderSecurityTxt(SITE, new Date(time))
    expect(at('2026-11-01T00:00:00Z')).toBe(at('2026-11-01T23:59:59.999Z'))
    expect(at('2026-11-02T00:00:00Z')).not.toBe(at('2026-11-01T23:59:59.999Z'))
  })

  test('names no place of its own without https, as the standard demands', () => {
    const text = renderSecurityTxt({ ...SITE, baseUrl: 'http://localhost:3000' }, new Date())
    expect(text).not.toContain('Canonical')
  })
})
