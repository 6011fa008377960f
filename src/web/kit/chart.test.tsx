/** The arithmetic of charts, and what the drawing owes whoever does not see it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daysOf } from '../../producers/performance.service.ts'
import { areaOf, barsOf, gridAt, lineOf, PLOT, ticksTo } from './chart.shape.ts'
import { Chart, shownDays } from './chart.tsx'

describe('ticks', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [7, [0, 2, 4, 6, 8]],
    [23, [0, 5, 10, 15, 20, 25]],
    [100, [0, 20, 40, 60, 80, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
  ])('up to %d are %j', (most, ticks) => {
    expect(ticksTo(most)).toEqual(ticks)
  })

  test('are few, whole, evenly apart, and no value is above the last or more than a step below it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (most) => {
        const ticks = ticksTo(most)
        const [zero = -1, step = 0] = ticks
        const top = ticks.at(-1) ?? 0
        expect(zero).toBe(0)
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(String(step)).toMatch(/^[125]0*$/)
        expect(ticks).toEqual(ticks.map((_, index) => index * step))
        expect(top).toBeGreaterThanOrEqual(most)
        expect(top - step).toBeLessThan(most)
      }),
    )
  })
})

describe('the drawing', () => {
  test('a bar is as high as its value and stands in the middle of its day', () => {
    expect(barsOf([0, 5, 10, 2.5], 10)).toEqual([
      { x: 35, y: 100, width: 180, height: 0 },
      { x: 285, y: 50, width: 180, height: 50 },
      { x: 535, y: 0, width: 180, height: 100 },
      { x: 785, y: 75, width: 180, height: 25 },
    ])
  })

  test('a line goes through the middle of each day, and an area closes it along the bottom', () => {
    expect(lineOf([0, 10], 10)).toBe('M250 100L750 0')
    expect(areaOf([0, 10], 10)).toBe('M250 100L750 0L750 100L250 100Z')
  })

  test('nothing is drawn outside of the plot', () => {
    const values = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 366 })
    fc.assert(
      fc.property(values, (days) => {
        const top = ticksTo(Math.max(...days)).at(-1) ?? 1
        for (const { x, y, width, height } of barsOf(days, top)) {
          expect(Math.min(x, y, height)).toBeGreaterThanOrEqual(0)
          expect(x + width).toBeLessThanOrEqual(PLOT.width)
          expect(y + height).toBeCloseTo(PLOT.height, 1)
        }
        expect(gridAt(top, top)).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    [['2026-11-01'], ['Nov 1']],
    [
      ['2026-11-01', '2026-11-02'],
      ['Nov 1', 'Nov 2'],
    ],
    [daysOf('2026-10-30', '2026-11-03'), ['Oct 30', 'Nov 1', 'Nov 3']],
    [daysOf('2025-12-30', '2026-01-01'), ['Dec 30, 2025', 'Dec 31, 2025', 'Jan 1, 2026']],
  ])('the days %j are told by %j', (days, told) => {
    expect(shownDays(days)).toEqual(told)
  })
})

describe('the chart', () => {
  const days = daysOf('2026-10-30', '2026-11-01')
  const first = { label: 'Impressions', values: [1_200, 0, 7] }
  const second = { label: 'Agent reads', values: [3, 4, 0] }
  const html = (props: Partial<Parameters<typeof Chart>[0]> = {}) =>
    String(<Chart id="c" title="Seen" days={days} series={[first, second]} empty="Nothing yet." {...props} />)

  test('has a name with its sums, and a table with every figure it draws', () => {
    const page = html()
    expect(page).toContain('role="img" aria-labelledby="c-name"')
    expect(page).toContain(
      '<title id="c-name">Seen, by day from October 30, 2026 to November 1, 2026: in total Impressions 1,207, Agent reads 7. The table below has each day.</title>',
    )
    const rows = [...page.matchAll(/<tr><th scope="row">(.*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    expect(rows).toEqual(['October 30, 2026 1,200 3', 'October 31, 2026 0 4', 'November 1, 2026 7 0'])
  })

  test('needs no inline style and no script', () => {
    expect(html()).not.toMatch(/ style=| on\w+=|<script/)
  })

  test('without any figure says so instead of drawing', () => {
    const page = html({ series: [{ label: 'Impressions', values: [0, 0, 0] }] })
    expect(page).toContain('Nothing yet.')
    expect(page).not.toContain('<svg')
  })

  test('many days are an area and not hundreds of bars', () => {
    const year = daysOf('2025-11-02', '2026-11-01')
    const page = html({ days: year, series: [{ label: 'Reads', values: year.map((_, day) => day) }] })
    expect(page).toContain('class="chart-area"')
    expect(page.match(/class="chart-bar"/g)).toHaveLength(1)
  })
})
