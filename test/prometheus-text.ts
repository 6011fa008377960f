/**
 * A strict reader of Prometheus' text format, version 0.0.4. It takes what the format's description allows and nothing
 * else: Prometheus itself is more patient, and what it lets pass today another reader does not.
 */
export type Sample = { name: string; labels: Record<string, string>; value: number }
export type Family = { name: string; type: string; help: string; samples: Sample[] }

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const VALUE = /^(?:[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf)|NaN)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)/y
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])

export function readPrometheusText(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let current: Family | null = null
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string) => new Error(`${why}: ${line}`)
    if (line === '') continue
    if (line.startsWith('#')) {
      const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
      if (keyword === undefined || !NAME.test(name)) throw fail('no HELP and no TYPE')
      if (keyword === 'HELP') {
        if (families.has(name)) throw fail('a second HELP')
        current = { name, type: '', help: rest, samples: [] }
        families.set(name, current)
      } else {
        if (current?.name !== name || current.type !== '') throw fail('TYPE without its HELP before it')
        if (!TYPES.has(rest)) throw fail('no such type')
        current.type = rest
      }
      continue
    }
    const [, name, labelText, valueText = ''] = SAMPLE.exec(line) ?? []
    if (name === undefined || !VALUE.test(valueText)) throw fail('no sample')
    if (!current || familyName(name, current.type) !== current.name) throw fail('a sample outside its family')
    const sample = { name, labels: readLabels(labelText, fail), value: toNumber(valueText) }
    const series = `${name} ${JSON.stringify(Object.entries(sample.labels).sort())}`
    if (seen.has(series)) throw fail('the same series twice')
    seen.add(series)
    current.samples.push(sample)
  }
  for (const family of families.values()) checkFamily(family)
  return families
}

/** The families whose names begin so, as text: a worker of many test files has told megabytes of others. */
export function familiesOf(text: string, beginning: string): string {
  const isAsked = (family: string) => family.startsWith(beginning)
  return text
    .split('# HELP ')
    .filter(isAsked)
    .map((family) => `# HELP ${family}`)
    .join('')
}

function familyName(name: string, type: string): string {
  if (type === 'histogram') return name.replace(/_(?:bucket|sum|count)$/, '')
  return type === 'summary' ? name.replace(/_(?:sum|count)$/, '') : name
}

function readLabels(text: string | undefined, fail: (why: string) => Error): Record<string, string> {
  const labels: Record<string, string> = {}
  if (text === undefined) return labels
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? []
    if (name === '') throw fail('labels that cannot be read')
    if (name in labels) throw fail('a label twice')
    labels[name] = value.replaceAll(/\\([\\"n])/g, (_, char: string) => (char === 'n' ? '\n' : char))
  }
  return labels
}

function toNumber(text: string): number {
  if (text.endsWith('Inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return Number(text)
}

function checkFamily({ name, type, samples }: Family): void {
  if (type === '') throw new Error(`${name} has no type`)
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0)))
    throw new Error(`${name} is below zero`)
  if (type === 'histogram') checkHistogram(name, samples)
}

/** Bounds grow, counts never fall, the last bucket is all of them, and each set of labels has its sum and count. */
function checkHistogram(name: string, samples: Sample[]): void {
  const sets = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) =>
    JSON.stringify(Object.entries(rest).sort()),
  )
  for (const [labels, parts] of sets) {
    const buckets = parts.filter((part) => part.name === `${name}_bucket`)
    const count = parts.filter((part) => part.name === `${name}_count`)
    const sum = parts.filter((part) => part.name === `${name}_sum`)
    if (count.length !== 1 || sum.length !== 1) throw new Error(`${name} ${labels} has no sum and count`)
    const bounds = buckets.map((part) => toNumber(part.labels.le ?? ''))
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${name} ${labels} has no +Inf`)
    for (let at = 1; at < buckets.length; at++) {
      if (!((bounds[at] ?? 0) > (bounds[at - 1] ?? 0)))
        throw new Error(`${name} ${labels}: bounds do not grow`)
      if ((buckets[at]?.value ?? 0) < (buckets[at - 1]?.value ?? 0))
        throw new Error(`${name} ${labels}: counts fall`)
    }
    if (buckets.at(-1)?.value !== count[0]?.value) throw new Error(`${name} ${labels}: +Inf is not the count`)
  }
}

/** The value of the one series that has all these labels; 0 without one. */
export function sampleValue(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const family = [...families.values()].find(({ samples }) => samples.some((sample) => sample.name === name))
  const fitting = (family?.samples ?? []).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return fitting.reduce((sum, { value }) => sum + value, 0)
}
