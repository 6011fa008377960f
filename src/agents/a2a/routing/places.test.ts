import { describe, expect, test } from 'vitest'
import { readMessage } from './message.ts'
import { findPlace } from './places.ts'

const regions = (text: string) => findPlace(readMessage(text))?.regions ?? []
const region = (text: string) => regions(text).join(' or ')

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
    ['to Atlanta, Georgia, USA', 'GA-US'],
    ['to Atlanta, Georgia 30301', 'GA-US'],
    ['to Los Angeles, CA 90001', 'CA-US'],
    ['ship to France', 'FR'],
    ['ship to the UK', 'GB'],
    ['ship to the US', 'US'],
    ['delivered to canada', 'Canada'],
    ['ship to Turkey', 'TR'],
    ['to Los Angeles, CA', 'CA-US or Canada'],
    ['to DE', 'DE-US or Germany'],
    ['to Seattle, WA', 'WA-US or WA-AU'],
    ['delivered to Georgia', 'GA-US or GE'],
  ])('%s is %s', (text, expected) => expect(region(text)).toBe(expected))

  test.each([
    'a Wi-Fi router',
    'hi-fi speakers to go',
    'red or blue',
    'get in touch with me',
    'ok, send it to me',
    'tents/tarn-ca-us',
    'Georgia asked for a mouse',
    'a French press',
    'a roasting pan for turkey',
    'a stand for TV',
  ])('is not read from "%s"', (text) => expect(region(text)).toBe(''))
})
