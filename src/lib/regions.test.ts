import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isCountry,
  RegionInput,
  readRegion,
  regionName,
  servedPart,
  storedRegion,
  suggestedRegions,
  typedRegion,
} from './regions.ts'
import { parseInput } from './validate.ts'

const textOf = (text: string) => {
  const read = readRegion(text)
  return read.kind === 'region' ? read.region.text : null
}
const choicesOf = (text: string) => {
  const read = readRegion(text)
  return read.kind === 'ambiguous' ? read.choices.map((choice) => choice.text) : null
}

describe('a region', () => {
  test.each([
    ['California', 'CA-US'],
    ['  CALIFORNIA ', 'CA-US'],
    ['CA-US', 'CA-US'],
    ['US-CA', 'CA-US'],
    ['ca-us', 'CA-US'],
    ['CA, US', 'CA-US'],
    ['CA/US', 'CA-US'],
    ['us_ca', 'CA-US'],
    ['CA USA', 'CA-US'],
    ['california, usa', 'CA-US'],
    ['USA, California', 'CA-US'],
    ['California (United States)', 'CA-US'],
    ['Georgia, USA', 'GA-US'],
    ['GA-US', 'GA-US'],
    ['us-in', 'IN-US'],
    ['DE-US', 'DE-US'],
    ['new   york', 'NY-US'],
    ['NY', 'NY-US'],
    ['or', 'OR-US'],
    ['Washington', 'WA-US'],
    ['Washington, D.C.', 'DC-US'],
    ['Washington DC', 'DC-US'],
    ['Puerto Rico', 'PR-US'],
    ['PR', 'PR-US'],
    ['GU', 'GU-US'],
    ['AE-US', 'AE-US'],
    ['US', 'US'],
    ['USA', 'US'],
    ['U.S.', 'US'],
    ['U.S.A.', 'US'],
    ['the United States', 'US'],
    ['United States of America', 'US'],
    ['Germany', 'Germany'],
    ['Deutschland', 'Germany'],
    ['Allemagne', 'Germany'],
    ['Bavaria', 'BY-DE'],
    ['Bayern, Deutschland', 'BY-DE'],
    ['DE-BY', 'BY-DE'],
    ['DE-BE', 'BE-DE'],
    ['Baden-Württemberg', 'BW-DE'],
    ['baden wuerttemberg', 'BW-DE'],
    ['UK', 'GB'],
    ['GB', 'GB'],
    ['Great Britain', 'GB'],
    ['ENG-UK', 'ENG-GB'],
    ['Scotland', 'SCT-GB'],
    ['Ontario', 'ON-CA'],
    ['ON-CA', 'ON-CA'],
    ['CA-ON', 'ON-CA'],
    ['Ontario, Canada', 'ON-CA'],
    ['Québec', 'QC-CA'],
    ['Newfoundland & Labrador', 'NL-CA'],
    ['NL-CA', 'NL-CA'],
    ['Canada', 'Canada'],
    ['New South Wales', 'NSW-AU'],
    ['AU-NSW', 'NSW-AU'],
    ['NSW', 'NSW-AU'],
    ['WA-AU', 'WA-AU'],
    ['Australia', 'AU'],
    ['France', 'FR'],
    ['FR', 'FR'],
    ['IDF-FR', 'IDF-FR'],
    ['FR-IDF', 'IDF-FR'],
    ['The Netherlands', 'Netherlands'],
    ['España', 'ES'],
    ['日本', 'JP'],
    ['Polska', 'PL'],
    ['Turkey', 'TR'],
    ['Türkiye', 'TR'],
    ['Czech Republic', 'CZ'],
    ['Ivory Coast', 'CI'],
    ["Côte d'Ivoire", 'CI'],
    ['Hong Kong', 'HK'],
    ['UAE', 'AE'],
    ['Saint Lucia', 'LC'],
    ['Trinidad and Tobago', 'TT'],
    ['Guinea-Bissau', 'GW'],
    ['GE', 'GE'],
    ['Jersey', 'JE'],
  ])('%j is %s', (text, region) => expect(textOf(text)).toBe(region))

  test.each([
    '',
    ' ',
    '-',
    ',',
    'Atlantis',
    'ZZ',
    'EU',
    'CA-US-1',
    'QQ-QQ',
    'ZZ-US',
    'CALI-US',
    'California, Germany',
    'California-Nevada',
    'wi fi',
    'U$',
    '90210',
    '<b>',
    'x'.repeat(10_000),
  ])('%j is none', (text) => expect(readRegion(text)).toEqual({ kind: 'unknown' }))

  test.each([
    ['AL', 'AL-US', 'Albania'],
    ['AR', 'AR-US', 'Argentina'],
    ['AZ', 'AZ-US', 'Azerbaijan'],
    ['CA', 'CA-US', 'Canada'],
    ['CO', 'CO-US', 'Colombia'],
    ['DE', 'DE-US', 'Germany'],
    ['GA', 'GA-US', 'Gabon'],
    ['ID', 'ID-US', 'Indonesia'],
    ['IL', 'IL-US', 'Israel'],
    ['IN', 'IN-US', 'India'],
    ['KY', 'KY-US', 'Cayman Islands'],
    ['LA', 'LA-US', 'Laos'],
    ['MA', 'MA-US', 'Morocco'],
    ['MD', 'MD-US', 'Moldova'],
    ['ME', 'ME-US', 'Montenegro'],
    ['MN', 'MN-US', 'Mongolia'],
    ['MO', 'MO-US', 'Macao SAR China'],
    ['MS', 'MS-US', 'Montserrat'],
    ['MT', 'MT-US', 'Malta'],
    ['NC', 'NC-US', 'New Caledonia'],
    ['NE', 'NE-US', 'Niger'],
    ['PA', 'PA-US', 'Panama'],
    ['SC', 'SC-US', 'Seychelles'],
    ['SD', 'SD-US', 'Sudan'],
    ['TN', 'TN-US', 'Tunisia'],
    ['VA', 'VA-US', 'Vatican City'],
    ['NL', 'NL-CA', 'Netherlands'],
    ['NU', 'NU-CA', 'Niue'],
    ['PE', 'PE-CA', 'Peru'],
    ['SK', 'SK-CA', 'Slovakia'],
    ['YT', 'YT-CA', 'Mayotte'],
    ['SA', 'SA-AU', 'Saudi Arabia'],
    ['WA', 'WA-US', 'WA-AU'],
    ['NT', 'NT-CA', 'NT-AU'],
    ['Georgia', 'GA-US', 'GE'],
    ['géorgie', 'GA-US', 'GE'],
    ['Korea', 'KR', 'KP'],
    ['Congo', 'CG', 'CD'],
  ])('%s may be %s or %s, and each of them is read as itself', (text, ...choices) => {
    expect(choicesOf(text)).toEqual(choices)
    expect(choicesOf(text.toLowerCase())).toEqual(choices)
    for (const choice of choices) expect(textOf(choice)).toBe(choice)
  })

  test('of one or two letters is one of those, or means one place', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const open = letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => choicesOf(code))
    expect(open).toHaveLength(34)
    for (const code of open)
      for (const choice of choicesOf(code) ?? []) expect(typedRegion(choice)).not.toBe(code)
  })

  test('that was read is read again as itself, by its text, its name in a field and from the store', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 8 }),
          fc.tuple(
            fc.string({ minLength: 2, maxLength: 2 }),
            fc.constantFrom('-US', '-CA', '-FR', '-', ', UK'),
          ),
        ),
        (text) => {
          const region = textOf([text].flat().join(''))
          if (region === null) return true
          return (
            textOf(region) === region &&
            textOf(typedRegion(region)) === region &&
            storedRegion(region)?.text === region
          )
        },
      ),
    )
  })

  test('of every country and every state offered is read by its name, and by its text', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)
    expect(codes.length).toBeGreaterThan(245)
    for (const code of codes) {
      const stored = storedRegion(code)
      expect(textOf(stored?.text ?? '')).toBe(stored?.text)
      expect(textOf(typedRegion(code))).toBe(stored?.text)
    }
    expect(suggestedRegions()).toHaveLength(56)
    for (const name of suggestedRegions()) expect(textOf(name)).toMatch(/^[A-Z]{2}-US$/)
  })

  test.each([
    ['CA-US', 'California, United States'],
    ['ON-CA', 'Ontario, Canada'],
    ['IDF-FR', 'IDF, France'],
    ['US', 'United States'],
    ['CA', 'Canada'],
    ['Canada', 'Canada'],
    ['US-CA', 'California, United States'],
    ['odd', 'odd'],
  ])('stored as %s is shown as %s', (text, name) => expect(regionName(text)).toBe(name))
})

test.each([
  [null, 'CA-US', 'all'],
  [[], 'DE', 'all'],
  [['US'], null, 'all'],
  [['US'], 'CA-US', 'all'],
  [['US'], 'US', 'all'],
  [['CA'], 'ON-CA', 'all'],
  [['Canada'], 'CA', 'all'],
  [['CA'], 'CA-US', 'none'],
  [['CA-US', 'NY-US', 'DE'], 'US', ['California', 'New York']],
  [['CA-US'], 'NY-US', 'none'],
  [['CA-US'], 'Germany', 'none'],
  [['IDF-FR'], 'FR', ['IDF-FR']],
  [['nonsense'], 'US', 'none'],
] as const)('who serves %j serves %s: %j', (regions, wanted, served) =>
  expect(servedPart(regions, wanted)).toEqual(served),
)

describe('a field of a request', () => {
  const refused = (text: string) => {
    try {
      parseInput(RegionInput, text)
    } catch (error) {
      return error
    }
    return null
  }

  test('is asked about where it has two meanings: both are named, and both may be sent', () => {
    expect(refused('CA')).toMatchObject({
      kind: 'invalid',
      message: '"CA" can mean two places: send CA-US (California, United States) or Canada',
      valid: ['CA-US', 'Canada'],
    })
  })

  test('says what is accepted where it has no meaning', () => {
    expect(refused('Atlantis')).toMatchObject({ kind: 'invalid', valid: undefined })
    expect(refused('Atlantis')).toHaveProperty(
      'message',
      expect.stringContaining('such as California, CA-US'),
    )
    expect(refused('x'.repeat(61))).toMatchObject({ max: 60 })
  })
})
