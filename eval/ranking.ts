/**
 * Scores the search on judged queries: one table over all sets, beside four plain ways to search the same index. Ours is
 * the whole search, as a shopper asks it. The weights were learned with these queries among others: for figures of
 * unseen queries see eval/learn.ts.
 */
import fs from 'node:fs'
import { projectFile } from '../src/lib/paths.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { findCandidates } from '../src/search/rank/rank.ts'
import { readJudgedSet } from './judged.ts'
import { bootstrapInterval, mean, type Scores, score } from './metrics.ts'
import { readOwnSets } from './sets/sets.ts'
import { withMemory } from './vector-cache.ts'
import { type JudgedWorld, makeWorld, slugsOf } from './world.ts'

type Query = JudgedWorld['queries'][number]
type System = { name: string; search(world: JudgedWorld, query: Query): string[] | Promise<string[]> }
/** One line: ours, then each baseline, for a set or one of its slices. */
type Line = { set: string; slice: string | null; scores: Scores[][] }

const DEPTH = 100
/** The usual constant of reciprocal rank fusion. */
const RRF = 60
/** What words count beside the cosine in the gated fusion. */
const GATED_WORDS = 0.4
const DEMO = 'demo'
const DOCS = projectFile('docs', 'search.md')
const START = '<!-- npm run eval -- --write: start -->'
const END = '<!-- npm run eval -- --write: end -->'

const byWords = ({ index }: JudgedWorld, { prepared }: Query) =>
  index.words.search(prepared.terms, DEPTH).slots
const byVectors = ({ index }: JudgedWorld, { prepared }: Query) =>
  prepared.vector ? index.meaning.full.search(prepared.vector, DEPTH).slots : new Uint32Array(0)

const OURS: System = {
  name: 'Souk',
  search: async ({ search }, { judged }) => {
    const { results } = await search.search({ query: judged.text, limit: 10, face: 'rest' })
    return results.map(({ slug }) => slug)
  },
}
const BASELINES: System[] = [
  { name: 'BM25F', search: (world, query) => slugsOf(world.index, byWords(world, query)) },
  { name: 'vectors', search: (world, query) => slugsOf(world.index, byVectors(world, query)) },
  {
    name: 'RRF',
    search: (world, query) => slugsOf(world.index, fuse([byWords(world, query), byVectors(world, query)])),
  },
  { name: 'gated', search: searchGated },
]
const SYSTEMS = [OURS, ...BASELINES]

export async function reportRanking(args: string[]): Promise<void> {
  const rest = args.filter((arg) => arg !== '--write')
  const at = rest.indexOf('--judged')
  const folders = at < 0 ? [] : rest.slice(at + 1)
  if ((at < 0 ? rest.length > 0 : at > 0) || (at === 0 && folders.length === 0)) {
    process.stderr.write(
      'usage: npm run eval [-- [--write] [--judged DIR …]], each DIR with products.jsonl, queries.jsonl and judgments.tsv\n',
    )
    process.exit(2)
  }
  const embedder = withMemory(createLocalEmbedder())
  const lines: Line[] = []
  for (const set of [...readOwnSets(), ...folders.map(readJudgedSet)])
    lines.push(...(await scoreWorld(await makeWorld(set, embedder))))
  await embedder.close()
  const table = [...makeTable(lines), '', summarize(lines)].join('\n')
  process.stdout.write(`${table}\n`)
  if (args.includes('--write')) writeTable(table)
}

async function scoreWorld(world: JudgedWorld): Promise<Line[]> {
  const scored: Scores[][] = []
  for (const { search } of SYSTEMS) {
    const scores: Scores[] = []
    for (const query of world.queries)
      scores.push(score((await search(world, query)).slice(0, DEPTH), query.judged.grades))
    scored.push(scores)
  }
  const slices = [...new Set(world.queries.map(({ judged }) => judged.slice))].sort()
  return [null, ...(slices.length > 1 ? slices : [])].map((slice) => ({
    set: world.name,
    slice,
    scores: scored.map((scores) =>
      scores.filter((_, at) => slice === null || world.queries[at]?.judged.slice === slice),
    ),
  }))
}

function makeTable(lines: Line[]): string[] {
  return [
    `| nDCG@10 | queries | ${SYSTEMS.map(({ name }) => name).join(' | ')} | ours − best, 95 % | hit@1 | hit@5 |`,
    `|---|${'---:|'.repeat(SYSTEMS.length + 4)}`,
    ...lines.map((line) => {
      const [ours = [], ...others] = line.scores
      const best = bestOf(others)
      const [low, high] = bootstrapInterval(figures(ours, 'ndcg10'), figures(best, 'ndcg10'))
      const isDemo = line.set === DEMO
      const cells = [
        line.slice === null ? `**${line.set}**` : line.slice,
        String(ours.length),
        ...line.scores.map((scores) => decimals(meanOf(scores, 'ndcg10'))),
        `${signed(meanOf(ours, 'ndcg10') - meanOf(best, 'ndcg10'))} (${signed(low)} to ${signed(high)})`,
        isDemo ? decimals(meanOf(ours, 'hit1')) : '',
        isDemo ? decimals(meanOf(ours, 'hit5')) : '',
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

function summarize(lines: Line[]): string {
  const sets = lines.filter(({ slice }) => slice === null)
  const ours = mean(sets.map(({ scores: [own = []] }) => meanOf(own, 'ndcg10')))
  const best = mean(sets.map(({ scores: [, ...others] }) => meanOf(bestOf(others), 'ndcg10')))
  return `Mean over ${sets.length} sets: Souk ${decimals(ours)}, the best baseline of each ${decimals(best)}.`
}

function bestOf(systems: Scores[][]): Scores[] {
  return systems.reduce((a, b) => (meanOf(b, 'ndcg10') > meanOf(a, 'ndcg10') ? b : a), systems[0] ?? [])
}

function figures(scores: Scores[], key: keyof Scores): number[] {
  return scores.map((one) => one[key])
}

function meanOf(scores: Scores[], key: keyof Scores): number {
  return mean(figures(scores, key))
}

function decimals(value: number): string {
  return value.toFixed(3).replace(/^(-?)0\./, '$1.')
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${decimals(Math.abs(value))}`
}

function writeTable(table: string): void {
  const text = fs.readFileSync(DOCS, 'utf8')
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start < 0 || end < start) throw new Error(`${DOCS} has no place for the table`)
  fs.writeFileSync(DOCS, `${text.slice(0, start + START.length)}\n${table}\n${text.slice(end)}`)
}

function fuse(lists: Uint32Array[]): number[] {
  const sums = new Map<number, number>()
  for (const list of lists)
    for (const [place, slot] of list.entries()) sums.set(slot, (sums.get(slot) ?? 0) + 1 / (RRF + place + 1))
  return inOrder(sums)
}

/** Words count by how many of the query's words a product has, so that one rare word does not decide alone. */
async function searchGated({ index }: JudgedWorld, { prepared }: Query): Promise<string[]> {
  const { slots, cosines } = await findCandidates(index, prepared)
  const { bm25, coverage } = index.words.explain(prepared.terms, slots)
  const best = bm25.reduce((most, value) => Math.max(most, value), 1e-6)
  const sums = new Map<number, number>()
  for (const [at, slot] of slots.entries()) {
    const words = ((bm25[at] ?? 0) / best) * (coverage[at] ?? 0)
    sums.set(slot, (cosines?.full[at] ?? 0) + GATED_WORDS * words)
  }
  return slugsOf(index, inOrder(sums))
}

function inOrder(sums: Map<number, number>): number[] {
  return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([slot]) => slot)
}
