/** The learned weights and the order they make. */
import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { prepareQuery } from '../../src/search/prepare.ts'
import { FEATURES } from '../../src/search/rank/features.ts'
import { contributions, findCandidates, loadLearned, rank } from '../../src/search/rank/rank.ts'
import { demoIndex } from './search.world.ts'

const file = projectFile('src', 'search', 'rank', 'weights.json')

describe('weights', () => {
  test('every key is a feature and every feature has a key', () => {
    const { weights } = JSON.parse(fs.readFileSync(file, 'utf8')) as { weights: Record<string, unknown> }
    expect(Object.keys(weights).sort()).toEqual([...FEATURES].sort())
    for (const [name, weight] of Object.entries(weights)) expect(Number.isFinite(weight), name).toBe(true)
  })

  test('no feature is there twice', () => {
    expect(new Set(FEATURES).size).toBe(FEATURES.length)
  })
})

describe('ranking', () => {
  const index = demoIndex()
  const learned = loadLearned()
  const { weights } = learned

  test('orders every candidate exactly once, by the sum of what speaks for it', async () => {
    const query = await prepareQuery(index, 'light tent for two without poles under $300', null)
    const ranked = await rank(index, query, learned)
    expect([...ranked.slots].sort()).toEqual([...(await findCandidates(index, query)).slots].sort())
    expect(ranked.slots.length).toBeGreaterThan(5)
    for (const [place, score] of ranked.scores.entries()) {
      const row = ranked.featuresAt(place)
      const sum = row.reduce((total, value, at) => total + value * (weights[at] ?? 0), 0)
      expect(score).toBeCloseTo(sum, 3)
      for (const { feature, value } of contributions(row, weights)) {
        const at = FEATURES.indexOf(feature)
        expect(value).toBeCloseTo((row[at] ?? 0) * (weights[at] ?? 0), 5)
      }
    }
  })

  test('looks only at what is allowed', async () => {
    const query = await prepareQuery(index, 'tent', null)
    const allowed = new Uint8Array(index.slots)
    expect((await rank(index, query, learned, allowed)).slots).toHaveLength(0)
    const [best = 0] = (await rank(index, query, learned)).slots
    allowed[best] = 1
    expect([...(await rank(index, query, learned, allowed)).slots]).toEqual([best])
  })
})
