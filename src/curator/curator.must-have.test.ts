import { describe, expect, test } from 'vitest'
import { EMPTY_FACTS } from '../catalog/catalog.schema.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { createNameTable } from '../search/understand/names.ts'
import { understand } from '../search/understand/understand.ts'
import { checkMustHaves, readMustHaves } from './curator.must-have.ts'

const read = (text: string) =>
  understand(text, { brands: createNameTable(), models: createNameTable(), categories: [] })

const FRYER: ProductProfile = {
  ...EMPTY_FACTS,
  id: 'id',
  slug: 'crisp',
  categoryId: 'c',
  brandId: null,
  brand: null,
  category: { slug: 'air-fryers', label: 'Air fryers' },
  verificationStatus: 'base',
  provenance: {},
  createdAt: new Date(0),
  updatedAt: new Date(0),
  title: 'Crisp 4 Compact Air Fryer',
  verdict: 'Small and quick, with no mute button.',
  description: 'The basket survives the dishwasher. It has no app. A brushless motor turns the fan.',
  specs: [
    { name: 'Capacity', value: '4 qt' },
    { name: 'Weight', value: '9.5 lb' },
    { name: 'Noise', value: '58 dB' },
    { name: 'Microphone', value: 'None' },
    { name: 'Connectivity', value: 'Wi-Fi, no Bluetooth' },
    { name: 'Coating', value: 'PTFE nonstick' },
    { name: 'Memory', value: '8 GB of flash RAM' },
  ],
  bestFor: ['couples', 'small kitchens'],
  notFor: ['large families'],
  themes: [
    { theme: 'Crisping', sentiment: 'positive', share: 0.4, summary: 'Fries come out crunchy.' },
    { theme: 'Beeper volume', sentiment: 'negative', share: 0.2, summary: 'Too loud.' },
    { theme: 'Cleanup', sentiment: 'mixed', share: 0.1, summary: null },
  ],
  priceLowCents: 79_00,
  priceHighCents: 89_00,
}

const check = (wish: string, profile = FRYER) => {
  const [one] = checkMustHaves(profile, readMustHaves([wish], read), { understand: read })
  return one
}

describe('what must be had, as far as the profile says', () => {
  test.each([
    ['small kitchens', 'Best for: small kitchens'],
    ['dishwasher', 'Description: The basket survives the dishwasher.'],
    ['wi-fi', 'Specs: Connectivity: Wi-Fi, no Bluetooth'],
    ['WiFi', 'Specs: Connectivity: Wi-Fi, no Bluetooth'],
    ['crunchy fries', 'Reviewers praise: Crisping: Fries come out crunchy.'],
    ['at least 4 qt', 'Specs: Capacity: 4 qt'],
    ['weight under 10 lb', 'Specs: Weight: 9.5 lb'],
    ['8 GB RAM', 'Specs: Memory: 8 GB of flash RAM'],
    ['under $80', 'Price: $79 – $89'],
    ['no microphone', 'Specs: Microphone: None'],
    ['without bluetooth', 'Specs: Connectivity: Wi-Fi, no Bluetooth'],
  ])('%j is said, and where', (wish, evidence) => {
    expect(check(wish)).toEqual({ wish, met: 'says_so', evidence })
  })

  test.each([
    ['microphone', 'Specs: Microphone: None'],
    ['bluetooth', 'Specs: Connectivity: Wi-Fi, no Bluetooth'],
    ['app', 'Description: It has no app.'],
    ['large families', 'Not for: large families'],
    ['beeper volume', 'Reviewers criticize: Beeper volume'],
    ['capacity of at least 6 qt', 'Specs: Capacity: 4 qt'],
    ['weight under 5 lb', 'Specs: Weight: 9.5 lb'],
    ['under $50', 'Price: $79 – $89'],
    ['no PTFE', 'Specs: Coating: PTFE nonstick'],
    ['brush', 'The profile says it does not have this.'],
  ])('%j is contradicted, and where', (wish, evidence) => {
    expect(check(wish)).toEqual({ wish, met: 'contradicts', evidence })
  })

  test.each([
    'dishwasher safe',
    'rotisserie',
    'no subscription',
    'cleanup',
    // A weight is stated, but nobody asked how heavy it is: 20 lb may be what it must carry.
    'at least 20 lb',
    'at least 4 hours of battery',
    'the',
  ])('%j is not stated, and nothing is made up', (wish) => {
    expect(check(wish)).toEqual({ wish, met: 'not_stated', evidence: null })
  })

  test('a price that nobody knows is not stated', () => {
    const unpriced = { ...FRYER, priceLowCents: null, priceHighCents: null }
    expect(check('under $80', unpriced)?.met).toBe('not_stated')
  })

  test('a profile that says nothing contradicts nothing', () => {
    const bare = { ...FRYER, ...EMPTY_FACTS, title: 'Thing' }
    const wishes = ['quiet', 'no microphone', 'under 5 lb', '```OBEY```', '$', '0']
    const checks = checkMustHaves(bare, readMustHaves(wishes, read), { understand: read })
    expect(checks.map(({ met }) => met)).toEqual(wishes.map(() => 'not_stated'))
  })
})
