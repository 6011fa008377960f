/**
 * Counts and durations of what this process does, served at `/metrics`. A metric is declared once, beside the
 * code that it counts, and belongs to the process: two nodes are two processes. Its children, one for each set of label
 * values, are plain numbers in memory: counting takes nanoseconds, because the prepared reads are served in
 * microseconds. Nothing is loaded for it; how the numbers are told is `metrics.registry.ts`'s.
 */

/** One value for each label, in the order in which the metric names them. */
type ValuesOf<Labels extends readonly string[]> = { [Index in keyof Labels]: string }

type Sample = { labels: Record<string, string>; value: number }
export type CounterChild = { add(by: number): void }
export type HistogramChild = { observe(value: number): void }

type Counter<Labels extends readonly string[]> = {
  /** One more. */
  inc(...values: ValuesOf<Labels>): void
  /** The count of one set of labels, for code that counts it often. */
  of(...values: ValuesOf<Labels>): CounterChild
}

type Histogram<Labels extends readonly string[]> = {
  /** In the unit that the name ends in: seconds. */
  observe(value: number, ...values: ValuesOf<Labels>): void
  of(...values: ValuesOf<Labels>): HistogramChild
}

/** What a gauge reads when it is asked: a number, or one for each set of labels. */
type Reading<Labels extends readonly string[]> = number | Array<[ValuesOf<Labels>, number]>

type Told = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Labels and numbers as the exposition has them; histograms name their parts. */
  samples(): TextSample[] | Promise<TextSample[]>
}
type TextSample = Sample & { metricName?: string; sharedLabels?: Record<string, string> }

/** From a remembered answer to a request that asks producers for their prices. */
const SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** A label with more values than this was a mistake: the rest count as one, so that memory and storage stay bounded. */
const MOST_CHILDREN = 3_000
const OTHER = 'other'

const declared = new Map<string, Told>()

/** Every metric that was declared so far. */
export function declaredMetrics(): ReadonlyMap<string, Told> {
  return declared
}

export function counter<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
): Counter<Labels> {
  const children = createChildren(labels, () => {
    const child = {
      value: 0,
      add(by: number) {
        child.value += by
      },
    }
    return child
  })
  declare({
    name,
    help,
    type: 'counter',
    samples: () => children.all().map(([sharedLabels, { value }]) => ({ labels: {}, sharedLabels, value })),
  })
  return {
    inc: (...values) => children.of(values).add(1),
    of: (...values) => children.of(values),
  }
}

export function histogram<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
  bounds: readonly number[] = SECONDS,
): Histogram<Labels> {
  const children = createChildren(labels, () => createBuckets(bounds))
  const texts = [...bounds.map(String), '+Inf']
  const samplesOf = (shared: Record<string, string>, { counts }: Buckets): TextSample[] => {
    const samples: TextSample[] = []
    let total = 0
    for (const [at, le] of texts.entries()) {
      total += counts[at] ?? 0
      samples.push({ metricName: `${name}_bucket`, labels: { le }, sharedLabels: shared, value: total })
    }
    samples.push({
      metricName: `${name}_sum`,
      labels: {},
      sharedLabels: shared,
      value: counts[texts.length] ?? 0,
    })
    samples.push({ metricName: `${name}_count`, labels: {}, sharedLabels: shared, value: total })
    return samples
  }
  declare({
    name,
    help,
    type: 'histogram',
    samples: () => children.all().flatMap(([shared, buckets]) => samplesOf(shared, buckets)),
  })
  return {
    observe: (value, ...values) => children.of(values).observe(value),
    of: (...values) => children.of(values),
  }
}

/**
 * Read when somebody asks. A part that is made anew (a second server in one process, as in tests) declares its gauge
 * again, and the newest is read. One that cannot be read has no sample, and the others have theirs.
 */
export function gauge<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
  read: () => Reading<Labels> | Promise<Reading<Labels>>,
): void {
  const samples = async (): Promise<TextSample[]> => {
    const reading = await read()
    if (typeof reading === 'number') return [{ labels: {}, value: reading }]
    return reading.map(([values, value]) => ({ labels: named(labels, values), value }))
  }
  declared.delete(name)
  declare({ name, help, type: 'gauge', samples: () => samples().catch(() => []) })
}

/** How many fell into each, then their sum. */
type Buckets = { counts: Float64Array; observe(value: number): void }

/** Counted apart and added up when told: two additions a value, whatever the bounds, and nothing is allocated. */
function createBuckets(bounds: readonly number[]): Buckets {
  const limits = Float64Array.from(bounds)
  const sum = bounds.length + 1
  const counts = new Float64Array(sum + 1)
  return {
    counts,
    observe(value) {
      let at = 0
      while (at < limits.length && value > (limits[at] as number)) at++
      counts[at] = (counts[at] as number) + 1
      counts[sum] = (counts[sum] as number) + value
    },
  }
}

function createChildren<Child>(labels: readonly string[], make: () => Child) {
  const byKey = new Map<string, [Record<string, string>, Child]>()
  const put = (key: string, values: readonly string[]): Child => {
    const child = make()
    byKey.set(key, [named(labels, values), child])
    return child
  }
  // What has no labels is told from the beginning: a rate needs to see the zero.
  if (labels.length === 0) put('', [])
  const others = labels.map(() => OTHER)
  return {
    of(values: readonly string[]): Child {
      const key = keyOf(values)
      const known = byKey.get(key)
      if (known) return known[1]
      if (byKey.size < MOST_CHILDREN) return put(key, values)
      const rest = keyOf(others)
      return byKey.get(rest)?.[1] ?? put(rest, others)
    },
    all: () => [...byKey.values()],
  }
}

/** With their lengths, so that no two lists make one text. */
function keyOf(values: readonly string[]): string {
  if (values.length === 1) return values[0] as string
  let key = ''
  for (const value of values) key += `${value.length} ${value} `
  return key
}

function named(labels: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label, at) => [label, values[at] ?? '']))
}

function declare(metric: Told): void {
  if (declared.has(metric.name)) throw new Error(`the metric ${metric.name} is declared twice`)
  declared.set(metric.name, metric)
}
