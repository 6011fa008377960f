/**
 * What a search that was never asked before costs beside the embedding of its query alone. Both have the machine's cores:
 * the service in its process, the embedder in another, each with its own embedding thread. The service does its own
 * work while that thread computes, so what counts is time a query with several in flight; how long one takes by
 * itself is shown beside it. The queries are those of the demo catalog with words exchanged: no memory helps.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { readDemoSet } from '../../eval/judged.ts'
import type { Figures } from '../figures.ts'
import { figureOf, median, printTable, ratioOf } from '../measure.ts'
import { type Contender, cpuMs, NODE } from '../processes.ts'
import { askAll, type Timed } from './ask.ts'

const ROUNDS = 7
const IN_FLIGHT = 8
const QUERIES_IN_FLIGHT = 240
const QUERIES_ALONE = 60

type Work = { name: string; pid: number; run(texts: string[], inFlight: number): Promise<Timed> }

export async function benchNewQueries(souk: Contender): Promise<Figures> {
  const embedding = startEmbedding()
  const works: Work[] = [
    { name: 'embedding alone', pid: embedding.pid, run: embedding.run },
    {
      name: 'POST /api/search/',
      pid: souk.pid,
      run: (texts, inFlight) => askAll(souk.port, texts, inFlight),
    },
  ]
  const next = freshQueries(readDemoSet().queries.map(({ text }) => text))
  const rows: string[][] = []
  const figures: Figures = {}
  for (const inFlight of [IN_FLIGHT, 1]) {
    const results = await compare(works, inFlight, () =>
      next(inFlight === 1 ? QUERIES_ALONE : QUERIES_IN_FLIGHT),
    )
    for (const { name, msEach, cpuMsEach, p50Ms, p99Ms, ofFirst } of results)
      rows.push([
        `${name}, ${inFlight} in flight`,
        Math.round(1000 / msEach).toLocaleString('en'),
        msEach.toFixed(2),
        `${ofFirst.value.toFixed(2)} ×`,
        `± ${ofFirst.spread.toFixed(2)}`,
        cpuMsEach.toFixed(2),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
      ])
    figures[inFlight === 1 ? 'search.new_alone_of_embedding' : 'search.new_of_embedding'] =
      results[1]?.ofFirst ?? figureOf([])
  }
  embedding.stop()
  printTable(
    'New queries, 861 products',
    ['', 'queries/s', 'ms each', 'of embedding', 'spread', 'CPU ms', 'p50 ms', 'p99 ms'],
    rows,
  )
  return figures
}

/** Both in turn within each round, on the same texts, so that what slows the machine slows them alike. */
async function compare(works: Work[], inFlight: number, texts: () => string[]) {
  const results = works.map((): Array<Timed & { cpuMsEach: number }> => [])
  const warmUp = texts()
  for (const { run } of works) await run(warmUp, inFlight)
  for (let round = 0; round < ROUNDS; round++) {
    const asked = texts()
    for (const [index, { pid, run }] of works.entries()) {
      const before = cpuMs(pid)
      const timed = await run(asked, inFlight)
      results[index]?.push({ ...timed, cpuMsEach: (cpuMs(pid) - before) / asked.length })
    }
  }
  return works.map(({ name }, index) => {
    const column = results[index] ?? []
    const middle = (key: 'msEach' | 'cpuMsEach' | 'p50Ms' | 'p99Ms') => median(column.map((row) => row[key]))
    return {
      name,
      msEach: middle('msEach'),
      cpuMsEach: middle('cpuMsEach'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms'),
      ofFirst: ratioOf(
        column.map(({ msEach }) => msEach),
        (results[0] ?? []).map(({ msEach }) => msEach),
      ),
    }
  })
}

function startEmbedding() {
  const child = fork(path.join(import.meta.dirname, 'embedding.ts'), { execPath: NODE })
  return {
    pid: child.pid ?? 0,
    async run(texts: string[], inFlight: number): Promise<Timed> {
      child.send({ texts, inFlight })
      const [timed] = await once(child, 'message')
      return timed as Timed
    },
    stop: () => child.disconnect(),
  }
}

/** The queries again and again, each time with one of their words exchanged for one of another query; none comes twice. */
function freshQueries(texts: string[]): (count: number) => string[] {
  const isPlain = (word: string) => /^[a-z]{4,}$/.test(word)
  const pool = [...new Set(texts.flatMap((text) => text.split(' ').filter(isPlain)))].sort()
  const given = new Set(texts)
  let turn = 0
  const vary = (text: string) => {
    const words = text.split(' ')
    const other = pool[(turn * 7_919) % pool.length] ?? ''
    const plain = words.flatMap((word, at) => (isPlain(word) ? [at] : []))
    const at = plain[turn % Math.max(1, plain.length)]
    return at === undefined ? `${text} ${other}` : words.with(at, other).join(' ')
  }
  return (count) => {
    const fresh: string[] = []
    for (; fresh.length < count; turn++) {
      const varied = vary(texts[turn % texts.length] ?? '')
      if (given.has(varied)) continue
      given.add(varied)
      fresh.push(varied)
    }
    return fresh
  }
}
