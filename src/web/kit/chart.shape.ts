/**
 * The arithmetic of a chart by day: round ticks, and where on the plot each value stands. The plot is stretched to the
 * width it gets, so lengths are in its own units: PLOT.width across, PLOT.height up. Pure.
 */
export const PLOT = { width: 1000, height: 100 } as const

/** Of a day's room, what its bar fills. */
const BAR_SHARE = 0.72
/** A single day is a bar, not a wall. */
const WIDEST_BAR = PLOT.width / 5
const MOST_STEPS = 5

/** From 0 to the first round number that no value is above, in steps of 1, 2 or 5 and zeros. Counts have no fractions. */
export function ticksTo(most: number): number[] {
  const step = stepFor(Math.max(most, 1) / MOST_STEPS)
  const steps = Math.ceil(Math.max(most, 1) / step)
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

function stepFor(least: number): number {
  for (let zeros = 1; ; zeros *= 10) {
    const found = [1, 2, 5].find((digit) => digit * zeros >= least)
    if (found !== undefined) return found * zeros
  }
}

export type Bar = { x: number; y: number; width: number; height: number }

export function barsOf(values: readonly number[], top: number): Bar[] {
  const slot = PLOT.width / values.length
  const width = Math.min(slot * BAR_SHARE, WIDEST_BAR)
  return values.map((value, index) => {
    const height = heightOf(value, top)
    return {
      x: round(slot * (index + 0.5) - width / 2),
      y: round(PLOT.height - height),
      width: round(width),
      height: round(height),
    }
  })
}

/** Through the middle of each day's room, so that it fits over bars. */
export function lineOf(values: readonly number[], top: number): string {
  const slot = PLOT.width / values.length
  return values
    .map((value, index) => {
      const point = `${round(slot * (index + 0.5))} ${round(PLOT.height - heightOf(value, top))}`
      return `${index === 0 ? 'M' : 'L'}${point}`
    })
    .join('')
}

/** The same line, closed along the bottom. */
export function areaOf(values: readonly number[], top: number): string {
  const half = PLOT.width / values.length / 2
  return `${lineOf(values, top)}L${round(PLOT.width - half)} ${PLOT.height}L${round(half)} ${PLOT.height}Z`
}

/** Where the line of a tick runs. */
export function gridAt(tick: number, top: number): number {
  return round(PLOT.height - heightOf(tick, top))
}

function heightOf(value: number, top: number): number {
  return (value / top) * PLOT.height
}

function round(length: number): number {
  return Math.round(length * 100) / 100
}
