import { describe, expect, test } from 'vitest'
import { SKILL_PARAMS } from './params.ts'
import { SKILL_IDS, SKILLS } from './skill.ts'

describe('the skills on the card', () => {
  test('are the six, each once', () => {
    expect(SKILLS.map(({ id }) => id)).toEqual(SKILL_IDS)
  })

  test.each(SKILLS)('$id names every parameter it takes and no other, and gives examples', (skill) => {
    const [when, metadata] = skill.description.split('Metadata: ')
    expect(when).toMatch(/Use it/)
    const taken = Object.keys(SKILL_PARAMS[skill.id].shape)
    for (const name of taken) expect(metadata).toMatch(new RegExp(`\\b${name}\\b`))
    const known = new Set<string>(Object.values(SKILL_PARAMS).flatMap(({ shape }) => Object.keys(shape)))
    const named = (metadata ?? '').match(/\b[a-z]+(?:_[a-z]+)+\b/g)?.filter((word) => known.has(word)) ?? []
    expect(taken).toEqual(expect.arrayContaining(named))
    expect(skill.tags.length).toBeGreaterThan(1)
    expect(skill.examples.length).toBeGreaterThanOrEqual(2)
    expect(skill.examples.length).toBeLessThanOrEqual(4)
    expect(skill.description.length).toBeLessThan(1_000)
  })
})
