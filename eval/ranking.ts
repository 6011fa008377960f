/**
 * Scores the ranking on judged queries: printed beside keywords alone, vectors alone and their equal fusion by
 * reciprocal rank, with the chance that the difference in nDCG is none (paired permutation). The weights were learned with these queries among others: for figures of unseen queries see eval/learn.ts.
 */
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { loadWeights, rank } from '../src/search/rank/rank.ts'
import { readDemoSet, readJudgedSet } from './judged.ts'
import { mean, pairedTest, type Scores, score } from './metrics.ts'
import { withMemory } from './vector-cache.ts'
import { type JudgedWorld, makeWorld, slugsOf } from './world.ts'

type Query = JudgedWorld['queries'][number]
type System = { name: string; search(world: JudgedWorld, query: Query): string[] | Promise<string[]> }

const DEPTH = 100
/** The usual constant of reciprocal rank fusion. */
const RRF = 60
const weights = loadWeights()

const byWords = ({ index }: JudgedWorld, { prepared }: Query) =>
  index.words.search(prepared.terms, DEPTH).slots
const byVectors = ({ index }: JudgedWorld, { prepared }: Query) =>
  prepared.vector ? index.meaning.full.search(prepared.vector, DEPTH).slots : new Uint32Array(0)

const SYSTEMS: System[] = [
  {
    name: 'souk',
    search: async ({ index }, { prepared, allowed }) =>
      slugsOf(index, (await rank(index, prepared, weights, allowed)).slots),
  },
  { name: 'words', search: (world, query) => slugsOf(world.index, byWords(world, query)) },
  { name: 'vectors', search: (world, query) => slugsOf(world.index, byVectors(world, query)) },
  {
    name: 'fusion',
    search: (world, query) => slugsOf(world.index, fuse([byWords(world, query), byVectors(world, query)])),
  },
]
const FIGURES: Array<[label: string, key: keyof Scores]> = [
  ['nDCG@10', 'ndcg10'],
  ['MRR@10', 'mrr10'],
  ['recall@100', 'recall100'],
  ['hit@1', 'hit1'],
  ['hit@5', 'hit5'],
]

export async function reportRanking(args: string[]): Promise<void> {
  const at = args.indexOf('--judged')
  const folders = at < 0 ? [] : args.slice(at + 1)
  if (at >= 0 && folders.length === 0) {
    process.stderr.write('--judged needs a folder with products.jsonl, queries.jsonl and judgments.tsv\n')
    process.exit(2)
  }
  const embedder = withMemory(createLocalEmbedder())
  for (const set of at < 0 ? [readDemoSet()] : folders.map(readJudgedSet))
    await report(await makeWorld(set, embedder))
  await embedder.close()
}

async function report(world: JudgedWorld): Promise<void> {
  const scored: Array<{ name: string; scores: Scores[] }> = []
  for (const { name, search } of SYSTEMS) {
    const scores: Scores[] = []
    for (const query of world.queries)
      scores.push(score((await search(world, query)).slice(0, DEPTH), query.judged.grades))
    scored.push({ name, scores })
  }
  process.stdout.write(`\n${world.name}: ${world.index.size} products, ${world.queries.length} queries\n`)
  const slices = [...new Set(world.queries.map(({ judged }) => judged.slice))].sort()
  for (const slice of [null, ...slices]) {
    const chosen = world.queries.flatMap(({ judged }, index) =>
      slice === null || judged.slice === slice ? [index] : [],
    )
    const pick = (scores: Scores[], key: keyof Scores) => chosen.map((index) => scores[index]?.[key] ?? 0)
    const ours = scored[0]?.scores ?? []
    process.stdout.write(`\n${slice ?? 'all'} (${chosen.length})\n`)
    process.stdout.write(`${''.padEnd(10)}${FIGURES.map(([label]) => label.padStart(12)).join('')}\n`)
    for (const { name, scores } of scored) {
      const figures = FIGURES.map(([, key]) => mean(pick(scores, key)).toFixed(3).padStart(12)).join('')
      const chance =
        scores === ours ? '' : `   p ${pairedTest(pick(ours, 'ndcg10'), pick(scores, 'ndcg10')).toFixed(3)}`
      process.stdout.write(`${name.padEnd(10)}${figures}${chance}\n`)
    }
  }
}

function fuse(lists: Uint32Array[]): number[] {
  const sums = new Map<number, number>()
  for (const list of lists)
    for (const [place, slot] of list.entries()) sums.set(slot, (sums.get(slot) ?? 0) + 1 / (RRF + place + 1))
  return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([slot]) => slot)
}
