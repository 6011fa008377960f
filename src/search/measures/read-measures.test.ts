import { expect, it } from 'vitest'
import { measureOf } from '../understand/units.ts'
import { type Measure, readMeasures } from './read-measures.ts'

function words({ unit, low, high, side, most, later }: Measure): string {
  const plain = (value: number) => String(Number(value.toPrecision(4)))
  const value = low === high ? plain(low) : `${plain(low)} to ${plain(high)}`
  const flags = [side && 'side', most && 'most', later && 'later'].filter(Boolean)
  return [value, unit === null ? 'bare' : measureOf(unit).dimension, ...flags].join(' ')
}

it.each([
  ['Weight', '2.1 kg', ['2100 mass']],
  ['Capacity', '3 people', ['3 people']],
  ['Capacity', '2 children', ['2 people']],
  ['Capacity', '8 seated, no sleeping floor', ['8 people']],
  ['Dimensions', '12 x 8 x 4 in', ['0.3048 length side', '0.2032 length side', '0.1016 length side']],
  ['Top', '48"W x 24"D', ['1.219 length side', '0.6096 length side']],
  ['Battery life', 'up to 30 h', ['108000 time most']],
  ['Display diagonal', '17.3', ['17.3 bare']],
  ['Weight (g)', '940', ['940 mass']],
  ['Capacity in litres', '1,5', ['1.5 volume']],
  ['Burners', '2 plus oven', ['2 burner']],
  ['Max load', '350 lb', ['158800 mass']],
  ['Voltage', '36 V (two 18 V packs)', ['36 voltage']],
  ['Thread', '3/4 in', ['0.01905 length']],
  ['Thread', '1 1/2"', ['0.0381 length']],
  ['Thread', '1½ in', ['0.0381 length']],
  ['Fits', `5'10"`, ['1.778 length']],
  ['Volume', '1,5 l', ['1.5 volume']],
  ['Weight', '2\u2009kg', ['2000 mass']],
  ['Memory', '2 x 8 GB', ['16 data', '8 data later']],
  ['Batteries', 'Two 2.0 Ah', ['4 charge', '2 charge later']],
  ['Temperature', '170-400 °F', ['170 to 400 degree']],
  ['Comfort', '-3 °C (27 °F)', ['-3 degree', '27 degree later']],
  ['Response', '60 Hz to 20 kHz', ['60 to 20000 frequency']],
  ['Weight', '1.18 kg (2 lb 10 oz)', ['1180 mass']],
  ['Coverage', 'Up to 260 m²', ['260 area most']],
  ['Storage', '128 GB, microSD to 1 TB', ['128 data', '1000 data most later']],
  ['Battery', '12 h screen off, 6 h on', ['43200 time', '21600 time later']],
  ['Air flow', '300 m³/h', ['300 cu m/h']],
  ['Filter life', '12 months, $55', ['31560000 time']],
  ['Resolution', '3840 x 2160', []],
  ['Protection', 'IP67', []],
])('%s: %s → %j', (name, value, expected) => {
  expect(readMeasures({ title: '', specs: [{ name, value }] }).map(words)).toEqual(expected)
})

it.each([
  ['Corvane 27-inch Monitor 4K', ['0.6858 length']],
  ['M6 x 40 mm bolts, pack of 20', ['0.04 length', '20 pieces']],
  ['Wine Glasses Set of 2 - 22 Ounce', ['2 pieces', '623.7 ounces']],
  ['2-in-1 Tablet 10.1in 64GB 5G (2021)', ['0.2565 length', '64 data']],
])('the title %s → %j', (title, expected) => {
  expect(readMeasures({ title, specs: [] }).map(words)).toEqual(expected)
})

it('a title adds only what the specs do not state', () => {
  const specs = [{ name: 'Size', value: '68.6 cm' }]
  expect(readMeasures({ title: '27-inch Monitor, 60 Hz', specs }).map(({ name }) => name)).toEqual([
    'Size',
    '',
  ])
})
