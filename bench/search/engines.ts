/**
 * The index by itself, without embedding, beside other engines: how good its answers are and what they cost in one table,
 * how that grows with the catalog, memory and build time a product. Every engine is built in a process of its own, two at a
 * time; those of one size then answer in turn, round by round, so that what slows the machine slows them alike. One that
 * cannot be built within the limits is left out.
 */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { readDemoSet } from '../../eval/judged.ts'
import type { Figure, Figures } from '../figures.ts'
import { figureOf, median, printTable, ratioOf } from '../measure.ts'
import { NODE } from '../processes.ts'
import type { EngineName } from './contenders.ts'
import type { Built, EngineAnswer, EngineRequest, Quality } from './engine.ts'

const NAMES: Record<EngineName, string> = {
  souk: 'Souk, whole search',
  orama: 'Orama, hybrid',
  minisearch: 'MiniSearch, words',
  scan: 'plain scan, vectors',
}
const ENGINES = Object.keys(NAMES) as EngineName[]
/** Built first, so that the others are done beside it. */
const SLOWEST_TO_BUILD: EngineName = 'orama'
const AT_ONCE = 2
const ROUNDS = 5
const BUILD_WITHIN_MS = 120_000
const HEAP_MB = 4_096

type Measured =
  | { built: Built; msEach: number; ofSouk: Figure; quality: Quality | null }
  | { notBuilt: string }
type Results = Map<number, Map<EngineName, Measured>>

/** Of the sizes the demo catalog comes first: its queries are judged. */
export async function benchEngines(larger: number[]): Promise<Figures> {
  const sizes = [readDemoSet().products.length, ...larger]
  const results: Results = new Map()
  for (const size of sizes) {
    process.stderr.write(`${size.toLocaleString('en')} products: building ${ENGINES.length} engines\n`)
    results.set(size, await measureSize(size, size === sizes[0]))
  }
  printTimes(sizes, results)
  for (const size of sizes) printCosts(size, results.get(size) ?? new Map())
  return figuresOf(sizes, results)
}

async function measureSize(size: number, judged: boolean): Promise<Map<EngineName, Measured>> {
  const running = new Map<EngineName, { process: EngineProcess; built: Built }>()
  const measured = new Map<EngineName, Measured>()
  const rounds = queriesFor(size)
  try {
    const waiting = [SLOWEST_TO_BUILD, ...ENGINES.filter((name) => name !== SLOWEST_TO_BUILD)]
    const buildNext = async (): Promise<void> => {
      const name = waiting.shift()
      if (name === undefined) return
      const engine = startEngine()
      const answer = await engine.ask({ build: name, products: size, withinMs: BUILD_WITHIN_MS })
      if ('built' in answer) running.set(name, { process: engine, built: answer.built })
      else {
        measured.set(name, { notBuilt: 'notBuilt' in answer ? answer.notBuilt : 'no answer' })
        engine.stop()
      }
      await buildNext()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, buildNext))
    const times = new Map(ENGINES.map((name) => [name, [] as number[]]))
    for (const { process } of running.values()) await process.ask({ learn: rounds.flat() })
    for (const texts of rounds)
      for (const [name, { process }] of running) {
        const answer = await process.ask({ answer: texts })
        if (!('ms' in answer)) throw new Error(`${name} did not answer: ${JSON.stringify(answer)}`)
        times.get(name)?.push(answer.ms / texts.length)
      }
    const ours = times.get('souk') ?? []
    for (const [name, { built, process }] of running) {
      const each = times.get(name) ?? []
      const answer = judged ? await process.ask({ judge: true }) : null
      const quality = answer && 'quality' in answer ? answer.quality : null
      measured.set(name, { built, msEach: median(each), ofSouk: ratioOf(each, ours), quality })
    }
    return measured
  } finally {
    for (const { process } of running.values()) process.stop()
  }
}

/** Other queries in each round, drawn evenly from all kinds; fewer where each takes long. */
function queriesFor(size: number): string[][] {
  const texts = readDemoSet().queries.map(({ text }) => text)
  const count = size > 20_000 ? 6 : 30
  const step = Math.floor(texts.length / (ROUNDS * count))
  return Array.from({ length: ROUNDS }, (_, round) =>
    Array.from({ length: count }, (_, n) => texts[(n * ROUNDS + round) * step] ?? ''),
  )
}

type EngineProcess = { ask(request: EngineRequest): Promise<EngineAnswer>; stop(): void }

function startEngine(): EngineProcess {
  const child = fork(path.join(import.meta.dirname, 'engine.ts'), {
    execPath: NODE,
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
    // What V8 prints when it has no memory left is long and said better here.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  return { ask: (request) => askChild(child, request), stop: () => child.disconnect() }
}

function askChild(child: ChildProcess, request: EngineRequest): Promise<EngineAnswer> {
  return new Promise((resolve) => {
    const onMessage = (answer: EngineAnswer) => {
      child.off('exit', onExit)
      resolve(answer)
    }
    const onExit = (code: number | null, signal: string | null) => {
      child.off('message', onMessage)
      resolve({ notBuilt: `ended with ${signal ?? code}; it may use ${HEAP_MB / 1024} GB of heap` })
    }
    child.once('message', onMessage).once('exit', onExit)
    child.send(request)
  })
}

function printTimes(sizes: number[], results: Results): void {
  const cell = (name: EngineName, size: number) => {
    const found = results.get(size)?.get(name)
    if (!found || 'notBuilt' in found) return 'not built'
    const { value } = found.ofSouk
    return `${found.msEach.toFixed(2)}${Number.isNaN(value) ? '' : ` (${value.toFixed(1)} ×)`}`
  }
  const growth = (name: EngineName) => {
    const [small, large] = [sizes.at(-2) ?? 0, sizes.at(-1) ?? 0].map((size) => results.get(size)?.get(name))
    return small && large && 'msEach' in small && 'msEach' in large
      ? `${(large.msEach / small.msEach).toFixed(1)} ×`
      : ''
  }
  const quality = (name: EngineName, key: keyof Quality) =>
    qualityOf(sizes, results, name)?.[key].toFixed(3) ?? ''
  printTable(
    'Quality on the judged queries of the demo catalog, and ms a query once its vector is there (beside ours), by products',
    ['', 'nDCG@10', 'first is right', ...sizes.map((size) => size.toLocaleString('en')), 'last step'],
    ENGINES.map((name) => [
      NAMES[name],
      quality(name, 'ndcg10'),
      quality(name, 'hit1'),
      ...sizes.map((size) => cell(name, size)),
      growth(name),
    ]),
  )
}

function printCosts(size: number, measured: Map<EngineName, Measured>): void {
  printTable(
    `Memory and building, ${size.toLocaleString('en')} products`,
    ['', 'RSS bytes each', 'heap and buffers', 'µs to add one', ''],
    ENGINES.map((name) => {
      const found = measured.get(name)
      if (!found || 'notBuilt' in found)
        return [NAMES[name], '', '', '', `not built: ${found?.notBuilt ?? ''}`]
      const { rssPerProduct, heldPerProduct, microsPerProduct } = found.built
      const bytes = (value: number) => Math.round(value).toLocaleString('en')
      return [NAMES[name], bytes(rssPerProduct), bytes(heldPerProduct), microsPerProduct.toFixed(0), '']
    }),
  )
}

function qualityOf(sizes: number[], results: Results, name: EngineName): Quality | null {
  const found = results.get(sizes[0] ?? 0)?.get(name)
  return found && 'quality' in found ? found.quality : null
}

/** How many times as long as ours each of the others takes, at each size, and how good our answers are beside theirs. */
function figuresOf(sizes: number[], results: Results): Figures {
  const figures: Figures = {}
  const ours = qualityOf(sizes, results, 'souk')
  for (const name of ENGINES.filter((engine) => engine !== 'souk')) {
    const theirs = qualityOf(sizes, results, name)
    if (ours && theirs) figures[`search.quality_of_${name}`] = figureOf([ours.ndcg10 / theirs.ndcg10])
    for (const size of sizes) {
      const found = results.get(size)?.get(name)
      if (found && 'ofSouk' in found)
        figures[`search.${name}_of_souk_${sizeName(sizes, size)}`] = found.ofSouk
    }
  }
  const largest = sizeName(sizes, sizes.at(-1) ?? 0)
  const others = Object.entries(figures).filter(([name]) => name.endsWith(`_of_souk_${largest}`))
  const [fastest] = others.map(([, figure]) => figure).sort((a, b) => a.value - b.value)
  if (fastest && largest === '100k') figures['search.fastest_other_100k'] = fastest
  return figures
}

function sizeName(sizes: number[], size: number): string {
  return size === sizes[0] ? 'demo' : `${size / 1_000}k`
}
