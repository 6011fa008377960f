import { describe, expect, it } from 'vitest'
import { findAudience } from './audience.ts'
import { tokenize } from './tokens.ts'

function audienceOf(query: string, named: string[] = []) {
  const tokens = tokenize(query)
  return findAudience(tokens, new Uint8Array(tokens.length), (index) =>
    named.includes(tokens[index]?.fold ?? ''),
  ).map(({ audience }) => audience)
}

describe('who or what it is for', () => {
  it.each([
    ['scissors for kids', ['kids']],
    ['kids scissors', ['kids']],
    ['gloves for small hands', ['small hands']],
    ['paella pan for a family of four', ['family of four']],
    ['family of 5 picnic blanket', ['family of 5']],
    ['phone for seniors with big buttons', ['seniors']],
    ['ukulele for beginners under 60', ['beginners']],
    ['beginner ukulele', ['beginner']],
    ['pillow for travel', ['travel']],
    ['harness for my grumpy old beagle', ['grumpy old beagle']],
    ['puzzle for a 6 year old', ['6 year old']],
    ['six-year-old birthday telescope', ['six-year-old']],
    ['chemistry set ages 8 to 12', ['ages 8 to 12']],
    ['chemistry set age 10', ['age 10']],
    ["women's rain boots", ["women's"]],
    ['mens slippers for wide feet', ['mens', 'wide feet']],
    ['board game for 4 players', ['4 players']],
    ['saddle for a 90 kg rider', ['90 kg rider']],
    ['bottle for hot-yoga and hiking', ['hot-yoga']],
    ['lamp for reading, for students', ['reading', 'students']],
    ['gift for someone special', ['special']],
  ])('%s → %j', (query, audience) => {
    expect(audienceOf(query)).toEqual(audience)
  })
})

describe('"for" that names nobody', () => {
  it.each([
    'bikes for sale',
    'mug for free',
    'rug for less than 80',
    'vase for under $20',
    'stays warm for 8 hours',
    'rated for 90 kg',
    'kettle for me',
    'good value for the money',
    'for',
    'looking for',
  ])('%s', (query) => {
    expect(audienceOf(query)).toEqual([])
  })
})

it('people in the name of the thing itself are not its audience', () => {
  expect(audienceOf('baby carriage', ['baby'])).toEqual([])
  expect(audienceOf('baby carriage')).toEqual(['baby'])
})
