/**
 * Learns how likely a product answers a query (src/search/rank/fit.ts): `npm run learn -- fit [--judged DIR …]`. Answers come
 * from the judged sets; of the demo catalog every product in the category of a relevant one counts as an answer of the
 * right kind. Things that a catalog does not hold come from eval/absence.jsonl, from eval/absence.lessons.jsonl, which
 * teaches and is never scored, and from asking each made shop for what the other two sell; what only a price or a size makes
 * impossible is left to obey.ts. A purpose that no product mentions ("blenders for the dorm") must not spoil a kind that is
 * there. Two logistic losses, full-batch Adam: one of each product, in which the first places count most, and one of each
 * query, whether its best product reaches `goodFrom`, because that decides whether an answer is given at all. Prints,
 * cross-validated, how many queries of each group would find nothing, for both models.
 */
import fs from 'node:fs'
import { projectFile } from '../src/lib/paths.ts'
import type { CatalogIndex, IndexedProduct } from '../src/search/catalog-index.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { allowedSlots, NO_SALES } from '../src/search/filters.ts'
import { DENIED, judgeAll, ruleOut } from '../src/search/obey.ts'
import { prepareQuery } from '../src/search/prepare.ts'
import { computeFeatures } from '../src/search/rank/features.ts'
import { BY_MEANING, FIT_FEATURES, fitRow, goodFrom } from '../src/search/rank/fit.ts'
import { findCandidates, loadLearned, rank } from '../src/search/rank/rank.ts'
import { isAbsent, readAbsence } from './absence.ts'
import { type JudgedSet, readJudgedSet } from './judged.ts'
import { readOwnSets } from './sets/sets.ts'
import { withMemory } from './vector-cache.ts'
import { makeWorld } from './world.ts'

/** 1 an answer, 0 none; null where nobody can tell. */
type Label = (product: IndexedProduct) => number | null
type Asked = { group: string; index: CatalogIndex; text: string; label: Label }
type Example = { group: string; rows: Float32Array[]; labels: Array<number | null>; goodFrom: number }
type Lesson = {
  query: string /** What answers it; absent for a thing that is not there. */
  category?: string
}

const SHOWN = 25
const FOLDS = 5
const STEPS = 500
const STEP_SIZE = 0.12
const DECAY = 0.0005
const OTHER_SHOPS_EVERY = 4
/** How much more the best of a query counts for its decision than the next best. */
const SHARPNESS = 3
/** How far from `goodFrom` the best should be, in logits, and how soon it no longer matters. */
const MARGIN = 0.3
const STEEPNESS = 2
const PURPOSES = ['college', 'my nephew', 'a beach house', 'grandma', 'the dorm', 'an Airbnb', 'retirees']
/** What a group counts against the others; 1 unless said. */
const SHARES: Record<string, number> = {
  demo: 2.5,
  'demo absent': 2.5,
  'demo present': 2,
  'demo purpose': 0.5,
  'lesson absent': 1.5,
  'lesson present': 1.25,
}

const embedder = withMemory(createLocalEmbedder())
const learned = loadLearned()

export async function learnFit(folders: string[]): Promise<void> {
  const asked = await everythingAsked([...readOwnSets(), ...folders.map(readJudgedSet)])
  const file = projectFile('src', 'search', 'rank', 'fit.json')
  const models: Record<string, Record<string, number>> = {}
  for (const mode of ['semantic', 'keyword'] as const) {
    const examples: Example[] = []
    for (const one of asked) examples.push(await exampleOf(one, mode))
    const used = FIT_FEATURES.map((name) => mode === 'semantic' || !BY_MEANING.has(name))
    report(mode, examples, used)
    const weights = learn(examples, used)
    models[mode] = Object.fromEntries(
      FIT_FEATURES.flatMap((name, at) => (used[at] ? [[name, Number((weights[at] ?? 0).toFixed(3))]] : [])),
    )
  }
  fs.writeFileSync(file, `${JSON.stringify(models, null, 2)}\n`)
  await embedder.close()
}

async function everythingAsked(sets: JudgedSet[]): Promise<Asked[]> {
  const [demo, ...others] = sets
  if (!demo) return []
  const indexes = new Map<string, CatalogIndex>()
  for (const set of sets) indexes.set(set.name, (await makeWorld(set, embedder)).index)
  const indexOf = (set: JudgedSet) => indexes.get(set.name) as CatalogIndex
  const categoryOf = new Map(demo.products.map(({ slug, category }) => [slug, category.slug]))
  const made = others.filter(({ name }) => name.startsWith('made-'))
  return [
    ...demo.queries.map(({ text, grades }): Asked => {
      const kinds = new Set([...grades.keys()].map((slug) => categoryOf.get(slug)))
      const label: Label = ({ slug, category }) => (grades.has(slug) ? 1 : kinds.has(category.slug) ? 0.8 : 0)
      return { group: 'demo', index: indexOf(demo), text, label }
    }),
    ...readAbsence().flatMap((one): Asked[] => {
      if (one.slice === 'judged' || one.slice === 'impossible') return []
      const pattern = new RegExp(one.answer ?? '', 'i')
      const label: Label = isAbsent(one) ? () => 0 : ({ title }) => (pattern.test(title) ? 1 : null)
      const group = isAbsent(one) ? 'demo absent' : 'demo present'
      return [{ group, index: indexOf(demo), text: one.query, label }]
    }),
    ...readLessons().map(({ query, category }): Asked => {
      const group = category === undefined ? 'lesson absent' : 'lesson present'
      const label: Label = (product) => (product.category.slug === category ? 1 : 0)
      return { group, index: indexOf(demo), text: query, label }
    }),
    ...indexOf(demo)
      .categories()
      .map(({ slug, label }, at): Asked => {
        const text = `${label.toLowerCase()} for ${PURPOSES[at % PURPOSES.length]}`
        const isKind: Label = ({ category }) => (category.slug === slug ? 1 : 0)
        return { group: 'demo purpose', index: indexOf(demo), text, label: isKind }
      }),
    ...others.flatMap((set) =>
      set.queries.map(({ text, grades }): Asked => {
        const unjudged = set.name.startsWith('made-') ? 0 : null
        const label: Label = ({ slug }) => {
          const grade = grades.get(slug)
          return grade === undefined ? unjudged : grade >= 2 ? 1 : grade === 1 ? null : 0
        }
        return { group: set.name, index: indexOf(set), text, label }
      }),
    ),
    ...made.flatMap((shop) =>
      made
        .filter((other) => other !== shop)
        .flatMap(({ queries }) =>
          queries
            .filter(({ slice }, at) => at % OTHER_SHOPS_EVERY === 0 && slice !== 'brand' && slice !== 'model')
            .map(({ text }): Asked => {
              return { group: `${shop.name} absent`, index: indexOf(shop), text, label: () => 0 }
            }),
        ),
    ),
  ]
}

function readLessons(): Lesson[] {
  const lines = fs.readFileSync(projectFile('eval', 'absence.lessons.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Lesson)
}

async function exampleOf(
  { group, index, text, label }: Asked,
  mode: 'semantic' | 'keyword',
): Promise<Example> {
  const query = await prepareQuery(index, text, mode === 'semantic' ? embedder.embedQuery : null)
  const { understood } = query
  const allowed = ruleOut(index, understood, allowedSlots(index, {}, understood, NO_SALES))
  const candidates = await findCandidates(index, query, allowed)
  const features = computeFeatures(index, query, candidates)
  const verdicts = judgeAll(index, understood, candidates.slots)
  const ranked = await rank(index, query, learned, allowed)
  const first = Array.from(ranked.slots.subarray(0, SHOWN), (slot) => candidates.slots.indexOf(slot))
  return {
    group,
    rows: first.map((at) => fitRow(features, at)),
    labels: first.map((at) => {
      const product = index.at(candidates.slots[at] ?? 0)
      return product && verdicts[at] !== DENIED ? label(product) : null
    }),
    goodFrom: goodFrom(features),
  }
}

function learn(examples: Example[], used: boolean[]): Float64Array {
  const sizes = new Map<string, number>()
  for (const { group } of examples) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const weights = new Float64Array(used.length)
  const momentum = new Float64Array(used.length)
  const variance = new Float64Array(used.length)
  for (let step = 1; step <= STEPS; step++) {
    const gradient = new Float64Array(used.length)
    for (const example of examples) {
      const share = (SHARES[example.group] ?? 1) / (sizes.get(example.group) ?? 1)
      addGradient(example, weights, share, gradient)
      addDecision(example, weights, share, gradient)
    }
    for (let at = 0; at < used.length; at++) {
      if (!used[at]) continue
      const slope = (gradient[at] ?? 0) + DECAY * (weights[at] ?? 0)
      momentum[at] = 0.9 * (momentum[at] ?? 0) + 0.1 * slope
      variance[at] = 0.99 * (variance[at] ?? 0) + 0.01 * slope * slope
      const direction =
        (momentum[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((variance[at] ?? 0) / (1 - 0.99 ** step)) + 1e-8)
      weights[at] = (weights[at] ?? 0) - STEP_SIZE * (1 - step / (STEPS + 20)) * direction
    }
  }
  return weights
}

function addGradient(
  { rows, labels }: Example,
  weights: Float64Array,
  share: number,
  gradient: Float64Array,
): void {
  const attention = labels.map((label, place) => (label === null ? 0 : 1 / (1 + place)))
  const total = attention.reduce((sum, value) => sum + value, 0)
  if (total === 0) return
  for (const [place, row] of rows.entries()) {
    const label = labels[place] ?? null
    if (label === null) continue
    const error = ((likelihood(row, weights) - label) * (attention[place] ?? 0) * share) / total
    for (let at = 0; at < row.length; at++) gradient[at] = (gradient[at] ?? 0) + error * (row[at] ?? 0)
  }
}

/** The best product of a query for which nothing is there stays below `goodFrom`, that of any other reaches it. */
function addDecision(
  { group, rows, goodFrom }: Example,
  weights: Float64Array,
  share: number,
  gradient: Float64Array,
): void {
  if (rows.length === 0) return
  const sums = rows.map((row) => sumOf(row, weights))
  const highest = Math.max(...sums)
  const parts = sums.map((sum) => Math.exp(SHARPNESS * (sum - highest)))
  const total = parts.reduce((sum, part) => sum + part, 0)
  const best = sums.reduce((sum, value, place) => sum + (value * (parts[place] ?? 0)) / total, 0)
  const side = group.endsWith('absent') ? 1 : -1
  const wrong = side * (best - Math.log(goodFrom / (1 - goodFrom))) + MARGIN
  const slope = side * STEEPNESS * logistic(STEEPNESS * wrong) * share
  for (const [place, row] of rows.entries()) {
    const error = (slope * (parts[place] ?? 0)) / total
    if (Math.abs(error) < 1e-9) continue
    for (let at = 0; at < row.length; at++) gradient[at] = (gradient[at] ?? 0) + error * (row[at] ?? 0)
  }
}

function likelihood(row: Float32Array, weights: Float64Array): number {
  return logistic(sumOf(row, weights))
}

function sumOf(row: Float32Array, weights: Float64Array): number {
  let sum = 0
  for (let at = 0; at < row.length; at++) sum += (row[at] ?? 0) * (weights[at] ?? 0)
  return sum
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum))
}

function report(mode: string, examples: Example[], used: boolean[]): void {
  const nothing = new Map<string, { none: number; all: number }>()
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = learn(
      examples.filter((_, at) => at % FOLDS !== fold),
      used,
    )
    for (const [at, { group, rows, goodFrom }] of examples.entries()) {
      if (at % FOLDS !== fold) continue
      const count = nothing.get(group) ?? { none: 0, all: 0 }
      const best = rows.reduce((most, row) => Math.max(most, likelihood(row, weights)), 0)
      nothing.set(group, { none: count.none + Number(best < goodFrom), all: count.all + 1 })
    }
  }
  process.stdout.write(`\n${mode}: queries that find nothing\n`)
  for (const [group, { none, all }] of nothing)
    process.stdout.write(`${group.padEnd(28)} ${String(none).padStart(5)} of ${all}\n`)
}
