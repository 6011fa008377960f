import { expect, test } from 'vitest'
import { readDemoSet } from '../eval/judged.ts'
import {
  findBreaches,
  isWanted,
  OBEDIENCE_SLICES,
  type ObedienceQuery,
  readObedience,
} from '../eval/obedience.ts'
import { firstIn } from '../eval/obedience-amounts.ts'
import { allHold } from '../eval/obedience-facts.ts'

const catalog = readDemoSet().products
const named = (...slugs: string[]) => slugs.flatMap((slug) => catalog.find((one) => one.slug === slug) ?? [])

test.each([
  ['27 inches', 'cm', 68.58],
  ['1.72 kg (3 lb 13 oz)', 'lb', 3.79],
  ['61 oz (1.8 L)', 'l', 1.8],
  ['-28 °C (-18 °F)', '°F', -18.4],
  ['55 x 28 in', 'in', 55],
  ['45 min standard, 10 min boost', 'h', 0.75],
  ['13.4-inch 1920 x 1200 IPS, 500 nits', 'nits', 500],
  ['36 V (two 18 V packs)', 'V', 36],
  ['1,150 m³/h', 'm', null],
  ['1/4 in hex collet', 'in', null],
  ['Up to 560 m² (3 nodes)', 'sq ft', 6028],
])('%s is read in %s as %s', (text, unit, value) => {
  const amount = firstIn(text, unit)
  if (value === null) expect(amount).toBeNull()
  else expect((amount?.low ?? Number.NaN) / value).toBeCloseTo(1, 2)
})

test('a range is one amount with two ends', () => {
  expect(firstIn('17.1–21.3 in', 'in')).toEqual({ low: 17.1, high: 21.3 })
  expect(firstIn('5 to 52.5 lb each', 'lb')).toEqual({ low: 5, high: 52.5 })
})

test('the demo catalog can answer every obedience query, and could also break it', () => {
  const queries = readObedience()
  const counts = OBEDIENCE_SLICES.map((slice) => queries.filter((one) => one.slice === slice).length)
  expect(counts).toEqual([40, 20, 15, 30, 15, 15, 8, 7])
  for (const asked of queries) {
    expect(catalog.filter((product) => isWanted(asked, product)).length, asked.query).toBeGreaterThan(0)
    const ofKind = catalog.filter((product) => allHold(asked.kind, product))
    if (asked.must || asked.denied)
      expect(ofKind.filter((product) => !isWanted(asked, product)).length, asked.query).toBeGreaterThan(0)
  }
})

test('each way to disobey is a breach', () => {
  const laptops: ObedienceQuery = {
    slice: 'order',
    query: '',
    kind: [{ category: ['laptops'] }],
    must: [{ brand: ['Kestwick'], not: true }],
    order: 'cheapest',
  }
  const breaches = (...slugs: string[]) => findBreaches(laptops, named(...slugs), catalog)
  const kept = breaches('brightquill-scholar-11', 'meridesk-basis-15', 'quenlow-dayline-14')
  expect(kept).toEqual({ kind: [], condition: [], empty: false })
  expect(breaches('brightquill-scholar-11', 'kestwick-airfold-13').condition).toHaveLength(1)
  expect(breaches('brightquill-scholar-11', 'oriso-folio-11').kind).toHaveLength(1)
  expect(breaches('brightquill-scholar-11', 'quenlow-dayline-14', 'meridesk-basis-15').condition).toEqual([
    'meridesk-basis-15 is out of order',
  ])
  expect(breaches('meridesk-basis-15').condition).toEqual([
    'begins with meridesk-basis-15, not brightquill-scholar-11',
  ])
  expect(breaches().empty).toBe(true)
})
