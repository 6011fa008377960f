/**
 * Small multiples as an SVG picture: the same x under every panel, both axes logarithmic, so that what grows in step
 * with x rises at one slope and what does not grow lies flat. No script and no font of its own; light or dark as the
 * reader's system says, with a ground of its own, so that it can be read on any page.
 */
export type Point = { x: number; y: number }
export type Series = { name: string; points: Point[] }
export type Panel = { title: string /** Of y. */; unit: string; series: Series[] }
export type Chart = {
  title: string
  /** All that is to be seen, for those who do not see it. */
  description: string
  xLabel: string
  panels: Panel[]
  /** Under the panels, a line each. */
  notes: string[]
}

const COLUMNS = 2
const PANEL = { width: 460, height: 240 }
const PLOT = { left: 56, right: 16, top: 56, bottom: 44 }
const HEAD = 44
const NOTE = 20
const NOTES_TOP = 18
const PAD = 12
/** Within the plot, so that a value beside the outermost points has room. */
const INSET = { x: 30, y: 20 }
const LEGEND_STEP = 150
const TEXT_DISTANCE = { above: -9, below: 18 }

type Scale = (value: number) => number
type Ticks = number[]

export function drawChart(chart: Chart): string {
  const { title, description, panels, notes } = chart
  const rows = Math.ceil(panels.length / COLUMNS)
  const width = COLUMNS * PANEL.width + 2 * PAD
  const height = HEAD + rows * PANEL.height + NOTES_TOP + notes.length * NOTE
  const xs = panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(({ x }) => x)))
  const drawn = panels.map((panel, index) => {
    const left = PAD + (index % COLUMNS) * PANEL.width
    const top = HEAD + Math.floor(index / COLUMNS) * PANEL.height
    return `<g transform="translate(${left} ${top})">${drawPanel(panel, xs, chart.xLabel)}</g>`
  })
  const noteLines = notes.map((note, index) =>
    text(PAD + 12, HEAD + rows * PANEL.height + NOTES_TOP + index * NOTE, note, 'note'),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="description">${escapeXml(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text(PAD + 12, 30, title, 'title'),
    ...drawn,
    ...noteLines,
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel({ title, unit, series }: Panel, xs: number[], xLabel: string): string {
  const [left, right] = [PLOT.left, PANEL.width - PLOT.right]
  const [top, bottom] = [PLOT.top, PANEL.height - PLOT.bottom]
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y))
  const yTicks = ticksAround(ys)
  const xTicks = [...new Set(xs)].sort((a, b) => a - b)
  const toX = logScale(xTicks, left + INSET.x, right - INSET.x)
  const toY = logScale([...yTicks, ...ys], bottom - INSET.y, top + INSET.y)
  return [
    text(PAD, 18, `${title}, ${unit}`, 'name'),
    drawLegend(series),
    ...yTicks.map((tick) => {
      const y = round(toY(tick))
      return `<line class="grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>${text(left - 6, y + 4, inShort(tick), 'tick end')}`
    }),
    `<path class="axis" d="M${left} ${top}V${bottom}H${right}"/>`,
    ...xTicks.map((tick) => {
      const x = round(toX(tick))
      return `<line class="axis" x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 4}"/>${text(x, bottom + 18, inShort(tick), 'tick middle')}`
    }),
    text((left + right) / 2, bottom + 36, xLabel, 'tick middle'),
    ...series.map((one, index) => drawLine(one, index, toX, toY)),
    ...series.map((one, index) => drawValues(one, otherThan(series, index), index, toX, toY)),
  ].join('\n')
}

function otherThan(series: Series[], index: number): Point[] {
  return series.flatMap((one, other) => (other === index ? [] : one.points))
}

function drawLegend(series: Series[]): string {
  if (series.length < 2) return ''
  const parts = series.map(({ name }, index) => {
    const x = PAD + index * LEGEND_STEP
    return `<line class="line s${index}" x1="${x}" x2="${x + 22}" y1="36" y2="36"/>${text(x + 28, 40, name, 'tick')}`
  })
  return parts.join('')
}

function drawLine({ points }: Series, index: number, toX: Scale, toY: Scale): string {
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${round(toX(x))} ${round(toY(y))}`)
  return `<path class="line s${index}" d="${path.join('')}"/>`
}

/** A value stands on the side of its point where the other series is not. */
function drawValues({ points }: Series, others: Point[], index: number, toX: Scale, toY: Scale): string {
  const parts = points.map(({ x, y }) => {
    const beside = others.filter((other) => other.x === x)
    const isLower = beside.some((other) => other.y > y || (other.y === y && index === 0))
    const textY = toY(y) + (isLower ? TEXT_DISTANCE.below : TEXT_DISTANCE.above)
    const dot = `<circle class="dot s${index}" cx="${round(toX(x))}" cy="${round(toY(y))}" r="4"/>`
    return dot + text(toX(x), textY, toWords(y), `value middle t${index}`)
  })
  return parts.join('')
}

function logScale(values: number[], from: number, to: number): Scale {
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))]
  // A single size stands in the middle.
  if (low === high) return () => (from + to) / 2
  return (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
}

/**
 * Powers of ten where there are enough of them, else 1, 2 and 5 of each, around the values. Never less than from 1 to 10
 * or its like: a small difference must not fill a panel.
 */
export function ticksAround(values: number[]): Ticks {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  if (last - first > 2) return powersOfTen(first, last)
  const fine = powersOfTen(first - 1, last + 1).flatMap((power) => [power, 2 * power, 5 * power])
  let from = fine.findLastIndex((tick) => tick <= low)
  let to = fine.findIndex((tick) => tick >= high)
  while (to - from < DECADE) {
    from--
    if (to - from < DECADE) to++
  }
  return fine.slice(from, to + 1)
}

/** Steps of 1, 2 and 5 from one power of ten to the next. */
const DECADE = 3

function powersOfTen(first: number, last: number): Ticks {
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`))
}

/** 0.05, 2, 1k, 20k, 1M. */
function inShort(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))}k`
  return String(Number(value.toPrecision(3)))
}

function toWords(value: number): string {
  if (value < 10) return String(Number(value.toPrecision(2)))
  return Math.round(value).toLocaleString('en')
}

function text(x: number, y: number, words: string, classes: string): string {
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escapeXml(words)}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const STYLE = `
svg { --ground: #fff; --ink: #1f2328; --soft: #59636e; --grid: #e3e7eb; --one: #0550ae; --two: #b35900; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #14171c; --ink: #e6edf3; --soft: #9da7b3; --grid: #2b323b; --one: #79b8ff; --two: #ffab5e; }
}
text { font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--ink); }
.ground { fill: var(--ground); }
.title { font-size: 17px; font-weight: 600; }
.name { font-size: 14px; font-weight: 600; }
.tick, .note { fill: var(--soft); }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.grid { stroke: var(--grid); }
.axis { fill: none; stroke: var(--soft); }
.line { fill: none; stroke-width: 2; }
.dot { stroke: var(--ground); stroke-width: 1.5; }
.value { font-weight: 600; paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
.line.s0 { stroke: var(--one); }
.line.s1 { stroke: var(--two); stroke-dasharray: 6 4; }
.dot.s0, .t0 { fill: var(--one); }
.dot.s1, .t1 { fill: var(--two); }
`
