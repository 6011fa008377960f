import { describe, expect, test } from 'vitest'
import { readMessage } from './message.ts'
import { findCountry, findRegion } from './regions.ts'

const region = (text: string) => findRegion(readMessage(text))?.region ?? null

describe('a delivery region', () => {
  test.each([
    ['delivered to Oregon', 'OR-US'],
    ['shipped to CA-US', 'CA-US'],
    ['region=us-ca', 'CA-US'],
    ['"delivery_region": "TX-US"', 'TX-US'],
    ['to Austin, TX', 'TX-US'],
    ['ship to Seattle WA 98101', 'WA-US'],
    ['to seattle, wa 98101', 'WA-US'],
    ['to Portland, OR.', 'OR-US'],
    ['to New York', 'NY-US'],
    ['to west virginia', 'WV-US'],
    ['in Washington, D.C.', 'DC-US'],
    ['to Washington DC', 'DC-US'],
    ['to Toronto, Ontario', 'ON-CA'],
    ['to Montréal, Québec', 'QC-CA'],
    ['to Vancouver BC, Canada', 'BC-CA'],
    ['to Munich, Bavaria, Germany', 'BY-DE'],
    ['to Perth, WA, Australia', 'WA-AU'],
    ['to Scotland', 'SCT-GB'],
    ['Ship to: NSW-AU', 'NSW-AU'],
  ])('%s is %s', (text, expected) => expect(region(text)).toBe(expected))

  test.each([
    'a Wi-Fi router',
    'hi-fi speakers to go',
    'red or blue',
    'get in touch with me',
    'ok, send it to me',
    'tents/tarn-ca-us',
    'Georgia asked for a mouse',
  ])('is not read from "%s"', (text) => expect(region(text)).toBeNull())

  test('that is only a country is told apart, because the contract needs a state', () => {
    expect(region('ship to France')).toBeNull()
    expect(findCountry(readMessage('ship to France'))?.country).toBe('FR')
    expect(findCountry(readMessage('ship to the UK'))?.country).toBe('GB')
    expect(findCountry(readMessage('a French press'))).toBeNull()
  })
})
