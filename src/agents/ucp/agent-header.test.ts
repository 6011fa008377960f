import { describe, expect, test } from 'vitest'
import { readAgentHeader } from './platform-profiles.ts'

const profileOf = (field: string) => {
  const read = readAgentHeader(field)
  return 'profile' in read ? read.profile : null
}

describe('the profile is found', () => {
  test.each([
    ['alone', 'profile="https://a.example/p"'],
    ['with white space around it', '  profile="https://a.example/p" '],
    ['with parameters', 'profile="https://a.example/p";v=1; w="x";flag'],
    ['before other members', 'profile="https://a.example/p", version=?1, n=-3.25'],
    [
      'after other members',
      'name=Agent/1.0,list=(a "b" 3;q=1);x, bytes=:aGk=:,\tprofile="https://a.example/p"',
    ],
    ['the last of two', 'profile="https://b.example/", profile="https://a.example/p"'],
  ])('%s', (_, field) => {
    expect(profileOf(field)).toBe('https://a.example/p')
  })

  test('escapes in the string are undone', () => {
    expect(profileOf('profile="a\\"b\\\\c"')).toBe('a"b\\c')
  })
})

describe('what is not well formed as a whole holds nothing', () => {
  test.each([
    [''],
    ['https://a.example/p'],
    ['profile=https://a.example/p extra'],
    ['profile="https://a.example/p'],
    ['profile="https://a.example/p",'],
    [',profile="https://a.example/p"'],
    ['profile = "https://a.example/p"'],
    ['Profile="https://a.example/p"'],
    ['profile="https://ä.example/"'],
    ['profile="a\\nb"'],
    ['profile="https://a.example/p" other="x"'],
    ['profile="https://a.example/p", x=(1'],
  ])('%s', (field) => {
    expect(profileOf(field)).toBeNull()
  })
})

test.each([
  ['profile'],
  ['profile=?1'],
  ['profile=token'],
  ['profile=("https://a.example/p")'],
  ['other="x"'],
])('a profile that is not a string is ignored: %s', (field) => {
  expect(profileOf(field)).toBeNull()
})

test('a very long field is refused, and one that invites backtracking is answered at once', () => {
  expect(readAgentHeader(`profile="${'x'.repeat(5_000)}"`)).toHaveProperty('problem')
  const started = performance.now()
  for (const evil of [`a=(${'a '.repeat(1_900)}`, `a${';a'.repeat(1_900)}!`, `a="${'\\\\'.repeat(1_900)}`])
    expect(readAgentHeader(evil)).toHaveProperty('problem')
  expect(performance.now() - started).toBeLessThan(500)
})
