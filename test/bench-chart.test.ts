/** The picture of how Souk grows: it must be readable by any XML parser, complete, and within its own frame. */
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { ticksAround } from '../bench/chart.ts'
import { drawGrowth } from '../bench/scale/chart.ts'
import type { GrowthRow } from '../bench/scale/rows.ts'

type Element = { name: string; attributes: Record<string, string>; words: string }

const MACHINE = 'A machine with <odd> & "quoted" names'
const PANELS = 6
const SERIES = 11
/** Wider than any letter of a text in the picture, on the average. */
const LETTER_WIDTH = 8

function measuredAt(products: number): GrowthRow {
  const share = products / 1_000
  return {
    products,
    growth: {
      fillSeconds: 1.5 + 0.6 * share,
      readySeconds: 1 + 0.2 * share,
      searchingSeconds: 1.3 + 0.2 * share,
      rssMb: 330 + 9 * share,
      peakMb: 330 + 11 * share,
      bytesEach: 9_000,
      p50Ms: 8 + Math.log(share + 1),
      p99Ms: 20 + 3 * Math.log(share + 1),
      cpuMs: 9,
      importPerSecond: 1_900 - share,
      page: { medianMs: 14, worstMs: 14 },
      search: { medianMs: 20, worstMs: 4_000 },
    },
  }
}

/** Throws where it is not well-formed. */
function read(svg: string): Element[] {
  const elements: Element[] = []
  const open: Element[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, words: '' }
    elements.push(element)
    open.push(element)
  })
  parser.on('text', (words) => {
    const element = open.at(-1)
    if (element) element.words += words
  })
  parser.on('closetag', () => open.pop())
  parser.write(svg).close()
  return elements
}

const named = (elements: Element[], name: string) => elements.filter((element) => element.name === name)

test.each([
  ['one size', [1_000]],
  ['four sizes', [1_000, 10_000, 100_000, 1_000_000]],
  ['odd sizes', [1_500, 40_000, 70_000]],
])('a chart of %s has one point with its value for every series and size', (_, sizes) => {
  const elements = read(drawGrowth(sizes.map(measuredAt), MACHINE))
  expect(named(elements, 'circle')).toHaveLength(SERIES * sizes.length)
  const values = named(elements, 'text').filter(({ attributes }) => attributes.class?.startsWith('value'))
  expect(values).toHaveLength(SERIES * sizes.length)
  expect(values.every(({ words }) => /^[\d.,]+$/.test(words))).toBe(true)
})

test('nothing of a chart is outside its picture, nor outside its panel', () => {
  const svg = drawGrowth([1_000, 10_000, 100_000, 1_000_000].map(measuredAt), MACHINE)
  const [root] = read(svg)
  const [, , width = 0, height = 0] = (root?.attributes.viewBox ?? '').split(' ').map(Number)
  const corners = [...svg.matchAll(/<g transform="translate\((\d+) (\d+)\)">([\s\S]*?)<\/g>/g)]
  expect(corners).toHaveLength(PANELS)
  const lefts = [...new Set(corners.map(([, left]) => Number(left)))].sort((a, b) => a - b)
  for (const [, left = '', top = '', content = ''] of corners) {
    const panelWidth = (lefts.find((other) => other > Number(left)) ?? width) - Number(left)
    for (const { attributes, words } of read(`<g>${content}</g>`)) {
      const [x, y] = [attributes.x ?? attributes.cx, attributes.y ?? attributes.cy].map(Number)
      if (x === undefined || y === undefined || Number.isNaN(x)) continue
      const length = words.length * LETTER_WIDTH
      const anchor = attributes.class ?? ''
      const from = anchor.includes('end') ? x - length : anchor.includes('middle') ? x - length / 2 : x
      expect(from, words).toBeGreaterThanOrEqual(0)
      expect(from + length, words).toBeLessThanOrEqual(panelWidth)
      expect(Number(top) + y, words).toBeGreaterThan(0)
      expect(Number(top) + y, words).toBeLessThan(height)
    }
  }
})

test('a chart says in words what it shows, and has no script', () => {
  const svg = drawGrowth([1_000, 10_000].map(measuredAt), MACHINE)
  const elements = read(svg)
  const [root] = elements
  expect(root?.attributes).toMatchObject({ role: 'img', 'aria-labelledby': 'title description' })
  const [title, description] = ['title', 'desc'].map((name) => named(elements, name)[0])
  expect(title).toMatchObject({ attributes: { id: 'title' }, words: 'One node of Souk as its catalog grows' })
  expect(description?.words).toContain('first 2.1, again 1.5 at 1,000 products')
  expect(svg).not.toMatch(/<script|\son\w+=|href|url\(/)
  expect(svg).toContain('prefers-color-scheme: dark')
  expect(named(elements, 'text').some(({ words }) => words.includes(MACHINE))).toBe(true)
})

test('a size that could not be held is told in the picture instead of drawn', () => {
  const failed = { products: 1_000_000, failed: 'the node ended by itself: out of memory' }
  const elements = read(drawGrowth([measuredAt(1_000), failed], MACHINE))
  expect(named(elements, 'circle')).toHaveLength(SERIES)
  const note = '1,000,000 products: the node ended by itself: out of memory'
  expect(named(elements, 'text').map(({ words }) => words)).toContain(note)
  expect(() => drawGrowth([failed], MACHINE)).toThrow('nothing to draw')
})

test('ticks are round numbers that enclose all values, and a small difference does not fill a panel', () => {
  expect(ticksAround([0.4, 380])).toEqual([0.1, 1, 10, 100, 1_000])
  expect(ticksAround([1_044, 1_900])).toEqual([500, 1_000, 2_000, 5_000])
  expect(ticksAround([3, 40])).toEqual([2, 5, 10, 20, 50])
  expect(ticksAround([10])).toEqual([2, 5, 10, 20])
})
