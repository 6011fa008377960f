/**
 * Learns the weights of the ranking: `npm run learn`, or `npm run learn -- --judged DIR …` with more sets beside the
 * project's own. The loss is listwise (ListNet): the softmax of the scores should spread as the grades do. Full-batch
 * Adam, no chance in it, so the same sets give the same weights. Every set counts equally whatever its size. Two
 * figures are printed: from five-fold cross-validation, each query ranked by weights that never saw it; and with the
 * whole set left out, which is what an unknown catalog gets. The weights kept are learned from all. `DIR:2` lets a set
 * count twice. Two weights are not learned (FIXED). `npm run learn -- fit` learns which products answer a query at all (eval/learn-fit.ts).
 */
import fs from 'node:fs'
import path from 'node:path'
import { projectFile } from '../src/lib/paths.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { computeFeatures, FEATURES, type FeatureName, featuresOf } from '../src/search/rank/features.ts'
import { findCandidates } from '../src/search/rank/rank.ts'
import { type JudgedSet, readJudgedSet } from './judged.ts'
import { mean, type Scores, score } from './metrics.ts'
import { readOwnSets } from './sets/sets.ts'
import { withMemory } from './vector-cache.ts'
import { type JudgedWorld, makeWorld, slugsOf } from './world.ts'

type Example = {
  set: string
  slice: string
  slugs: string[]
  /** The features of all candidates, one row after the other: learning passes over them thousands of times. */
  rows: Float32Array
  /** Which share of the attention each candidate deserves; sums to 1. */
  target: Float32Array
  grades: Map<string, number>
}

/** What a grade is worth as a target: exact 3, substitute 1, complement next to nothing. */
const GAINS = [0, 0.1, 1, 3]
const FOLDS = 5
const STEPS = 300
const STEP_SIZE = 0.2
const DECAY = 0.004
/**
 * Added to what was learned: four times the gated fusion of eval/ranking.ts, which holds on every catalog of imported rows.
 * What is learned from some catalogs orders another one worse than that fusion alone; with it, a set left out of
 * learning is close to its best baseline. It takes no part in learning, which would only learn to undo it. Chosen by the
 * worst set that is left out.
 */
const FIXED: ReadonlyMap<FeatureName, number> = new Map([
  ['full × imported', 1],
  ['wordsCovered × imported', 1.6],
])

const judged = process.argv.indexOf('--judged')
const given = judged < 0 ? [] : process.argv.slice(judged + 1).map((word) => word.split(':'))
const folders = given.map(([folder = '']) => folder)
const shareOf = new Map(given.map(([folder = '', share = '1']) => [path.basename(folder), Number(share)]))
if (process.argv[2] === 'fit') {
  await (await import('./learn-fit.ts')).learnFit(folders)
  process.exit(0)
}
const sets: JudgedSet[] = [...readOwnSets(), ...folders.map(readJudgedSet)]
const embedder = withMemory(createLocalEmbedder())
const examples: Example[] = []
for (const set of sets) examples.push(...(await examplesOf(await makeWorld(set, embedder))))
await embedder.close()

const crossValidated: Scores[] = []
for (let fold = 0; fold < FOLDS; fold++) {
  const weights = learn(examples.filter((_, at) => at % FOLDS !== fold))
  for (const [at, example] of examples.entries())
    if (at % FOLDS === fold) crossValidated[at] = evaluate(example, weights)
}
report('five-fold', crossValidated)
const leftOut: Scores[] = []
for (const { name } of sets) {
  const weights = learn(examples.filter(({ set }) => set !== name))
  for (const [at, example] of examples.entries())
    if (example.set === name) leftOut[at] = evaluate(example, weights)
}
report('left out', leftOut)
const weights = learn(examples)
const rounded = Object.fromEntries(FEATURES.map((name, at) => [name, Number((weights[at] ?? 0).toFixed(3))]))
fs.writeFileSync(
  projectFile('src', 'search', 'rank', 'weights.json'),
  `${JSON.stringify({ learnedBy: 'eval/learn.ts', weights: rounded }, null, 2)}\n`,
)

function examplesOf({ name, index, queries }: JudgedWorld): Promise<Example[]> {
  const examples = queries.map(async ({ judged, prepared, allowed }) => {
    const candidates = await findCandidates(index, prepared, allowed)
    const features = computeFeatures(index, prepared, candidates)
    const rows = new Float32Array(candidates.slots.length * FEATURES.length)
    for (let at = 0; at < candidates.slots.length; at++)
      rows.set(featuresOf(features, at), at * FEATURES.length)
    const slugs = slugsOf(index, candidates.slots)
    const gains = slugs.map((slug) => GAINS[judged.grades.get(slug) ?? 0] ?? 0)
    const total = gains.reduce((sum, gain) => sum + gain, 0)
    const target = Float32Array.from(gains, (gain) => (total > 0 ? gain / total : 0))
    return { set: name, slice: judged.slice, slugs, rows, target, grades: judged.grades }
  })
  return Promise.all(examples)
}

function learn(from: Example[]): Float64Array {
  const sizes = new Map<string, number>()
  for (const { set } of from) sizes.set(set, (sizes.get(set) ?? 0) + 1)
  const length = FEATURES.length
  const weights = new Float64Array(length)
  const momentum = new Float64Array(length)
  const variance = new Float64Array(length)
  for (let step = 1; step <= STEPS; step++) {
    const gradient = new Float64Array(length)
    for (const example of from) {
      const share = (shareOf.get(example.set) ?? 1) / (sizes.get(example.set) ?? 1)
      addGradient(example, weights, share, gradient)
    }
    for (let at = 0; at < length; at++) {
      if (FIXED.has(FEATURES[at] as FeatureName)) continue
      const slope = (gradient[at] ?? 0) + DECAY * (weights[at] ?? 0)
      momentum[at] = 0.9 * (momentum[at] ?? 0) + 0.1 * slope
      variance[at] = 0.99 * (variance[at] ?? 0) + 0.01 * slope * slope
      const direction =
        (momentum[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((variance[at] ?? 0) / (1 - 0.99 ** step)) + 1e-7)
      weights[at] = (weights[at] ?? 0) - STEP_SIZE * (1 - step / (STEPS + 20)) * direction
    }
  }
  for (const [name, weight] of FIXED) weights[FEATURES.indexOf(name)] = weight
  return weights
}

function addGradient(
  { rows, target }: Example,
  weights: Float64Array,
  share: number,
  gradient: Float64Array,
): void {
  if (target.every((value) => value === 0)) return
  const shares = scoresOf(rows, weights)
  let highest = Number.NEGATIVE_INFINITY
  for (const score of shares) highest = Math.max(highest, score)
  let total = 0
  for (let at = 0; at < shares.length; at++) {
    const part = Math.exp((shares[at] as number) - highest)
    shares[at] = part
    total += part
  }
  for (let at = 0, row = 0; at < shares.length; at++, row += gradient.length) {
    const error = ((shares[at] as number) / total - (target[at] as number)) * share
    if (Math.abs(error) < 1e-8) continue
    for (let feature = 0; feature < gradient.length; feature++)
      gradient[feature] = (gradient[feature] as number) + error * (rows[row + feature] as number)
  }
}

function evaluate({ rows, slugs, grades }: Example, weights: Float64Array): Scores {
  const scores = scoresOf(rows, weights)
  const order = slugs.map((_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  return score(
    order.slice(0, 100).map((at) => slugs[at] ?? ''),
    grades,
  )
}

function report(title: string, scores: Scores[]): void {
  for (const { name } of sets) {
    const slices = new Set(examples.flatMap(({ set, slice }) => (set === name ? [slice] : [])))
    for (const slice of [null, ...(slices.size > 1 ? slices : [])]) {
      const chosen = scores.filter(
        (_, at) => examples[at]?.set === name && (slice === null || examples[at]?.slice === slice),
      )
      const figure = (key: keyof Scores) => `${key} ${mean(chosen.map((one) => one[key])).toFixed(3)}`
      const label = `${title}: ${name} ${slice ?? 'all'} (${chosen.length})`.padEnd(50)
      process.stdout.write(
        `${label} ${figure('ndcg10')}  ${figure('mrr10')}  ${figure('hit1')}  ${figure('hit5')}\n`,
      )
    }
  }
}

function scoresOf(rows: Float32Array, weights: Float64Array): Float64Array {
  const scores = new Float64Array(rows.length / weights.length)
  for (let at = 0, row = 0; at < scores.length; at++, row += weights.length) {
    let sum = 0
    for (let feature = 0; feature < weights.length; feature++)
      sum += (rows[row + feature] as number) * (weights[feature] as number)
    scores[at] = sum
  }
  return scores
}
