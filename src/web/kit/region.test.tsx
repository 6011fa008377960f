/** Places as people write them. */
import { expect, test } from 'vitest'
import { readRegion } from '../../pricing/pricing.schema.ts'
import { placeWords, readPlace, STATE_NAMES, typedPlace } from './region.ts'

test.each([
  ['California', 'CA-US'],
  ['  new   york ', 'NY-US'],
  ['Texas, USA', 'TX-US'],
  ['washington, united states', 'WA-US'],
  ['CA-US', 'CA-US'],
  ['US-CA', 'CA-US'],
  ['ca, us', 'CA-US'],
  ['TX', 'TX-US'],
  ['ON-CA', 'ON-CA'],
])('%s is understood as %s', (text, region) => {
  expect(readPlace(text)).toEqual({ region })
})

test.each(['CA', 'de', 'Atlantis', 'US', '90210', 'California-Nevada', '-', '<b>'])(
  '%s is asked about, not guessed',
  (text) => {
    expect(readPlace(text)).toEqual({ problem: expect.stringMatching(/\.$/) })
  },
)

test('every state that is offered is understood, is a region as requests have it, and reads the same afterwards', () => {
  expect(STATE_NAMES).toHaveLength(52)
  for (const name of STATE_NAMES) {
    const read = readPlace(name)
    if (!('region' in read)) throw new Error(name)
    expect(readRegion(read.region)).toBe(read.region)
    expect(placeWords(read.region)).toBe(name)
    expect(typedPlace(read.region)).toBe(name)
  }
})

test('other places are told by their country', () => {
  expect(readPlace(typedPlace('ON-CA'))).toEqual({ region: 'ON-CA' })
  expect([placeWords('ON-CA'), placeWords('NSW-AU'), placeWords('odd')]).toEqual([
    'ON, Canada',
    'NSW, Australia',
    'odd',
  ])
})
