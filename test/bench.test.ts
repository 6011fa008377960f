/** The guard of the benches, and the page that is written from what they found. */
import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findWorse } from '../bench/check.ts'
import { type Figures, MEANINGS } from '../bench/figures.ts'
import { figureOf, ratioOf } from '../bench/measure.ts'
import { readKept, writeDocument } from '../bench/report.ts'
import { projectFile } from '../src/lib/paths.ts'

const of = (name: string, value: number, spread = 0): Figures => ({ [name]: { value, spread } })
const RATE = 'reads.json_of_bare'
const COST = 'tools.call_of_bare'

describe('what got worse than what is kept', () => {
  test.each([
    ['a rate that fell', of(RATE, 0.8), of(RATE, 0.6), [RATE]],
    ['a cost that rose', of(COST, 2), of(COST, 2.5), [COST]],
    ['a rate that rose', of(RATE, 0.6), of(RATE, 0.9), []],
    ['a cost that fell', of(COST, 2.5), of(COST, 1), []],
    ['less than two runs differ by', of(COST, 2), of(COST, 2.2), []],
    ['less than this run scattered by', of(COST, 2), of(COST, 2.6, 0.5), []],
    ['less than the kept run scattered by', of(COST, 2, 0.4), of(COST, 2.6), []],
    ['more than both scattered by', of(COST, 2, 0.1), of(COST, 3, 0.1), [COST]],
    [
      'seconds, which are of another machine',
      of('start.second_seconds', 1),
      of('start.second_seconds', 9),
      [],
    ],
    ['what was never kept', {}, of(COST, 9), []],
  ])('%s', (_, before, now, worse) => {
    expect(findWorse(before, now).map(({ name }) => name)).toEqual(worse)
  })
})

test('a ratio is the median of those within the rounds, and its spread that of the middle half', () => {
  expect(ratioOf([2, 4, 30, 8], [1, 2, 3, 4])).toEqual({ value: 2, spread: 0 })
  expect(figureOf([8, 1, 4, 2])).toEqual({ value: 3, spread: 1 })
  expect(figureOf([5])).toEqual({ value: 5, spread: 0 })
})

describe('the kept figures', () => {
  const kept = readKept()

  test('each has a meaning', () => {
    const names = Object.values(kept).flatMap(({ figures }) => Object.keys(figures))
    expect(names.filter((name) => !MEANINGS[name] && !name.startsWith('scale.'))).toEqual([])
  })

  test('the page is the one that is written from them', () => {
    expect(fs.readFileSync(projectFile('docs', 'benchmarks.md'), 'utf8')).toBe(writeDocument(kept))
  })
})
