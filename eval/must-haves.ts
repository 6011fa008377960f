/**
 * Scores what product_curator says of requirements, on judgements and exclusions over the demo catalog that were written by
 * reading its profiles: `npm run eval -- must-haves`. Those marked `practice` may be looked at while the rules are tuned,
 * those marked `unseen` only count.
 */
import fs from 'node:fs'
import type { Met } from '../src/curator/curator.must-have.ts'
import { projectFile } from '../src/lib/paths.ts'
import { startService } from './service.ts'

type Set = 'practice' | 'unseen'
/** What a profile says of one requirement. */
export type Judgement = { kind: 'judgement'; set: Set; product: string; wish: string; met: Met }
/** Which products a requirement rules out, and some that it must not lose. */
export type Exclusion = {
  kind: 'exclusion'
  set: Set
  query: string
  category: string
  must_have: string
  out: string[]
  in: string[]
}

/** product_curator's data, by whatever way it is called. */
export type Curate = (args: Record<string, unknown>) => Promise<{
  products: Array<{
    product_slug: string
    must_have: ReadonlyArray<{ met: Met; evidence: string | null }>
  }> | null
}>
type Scored = { set: Set; name: string; wrong: string | null }

const MOST = 10
const OTHER = 'tents/ridgelark-sawtrail-2'

export function readMustHaves(): Array<Judgement | Exclusion> {
  const lines = fs.readFileSync(projectFile('eval', 'must-haves.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Judgement | Exclusion)
}

/** Beside another product, because a comparison needs two. */
export async function scoreJudgement(curate: Curate, one: Judgement): Promise<Scored> {
  const { set, product, wish, met } = one
  const { products } = await curate({ query: 'which one', compare: [product, OTHER], must_have: [wish] })
  const check = products?.find(({ product_slug }) => product_slug === product)?.must_have[0]
  const found = check?.met ?? 'nothing'
  const unproved = found !== 'not_stated' && check?.evidence == null
  const wrong = found !== met ? `${found}, not ${met} (${check?.evidence})` : unproved ? 'no evidence' : null
  return { set, name: `${product}: ${wish}`, wrong }
}

export async function scoreExclusion(curate: Curate, one: Exclusion): Promise<Scored> {
  const { set, query, category, must_have } = one
  const { products } = await curate({
    ...{ query, categories: [category], must_have: [must_have], max_items: MOST, bundle: false },
  })
  const listed = (products ?? []).map(({ product_slug }) => product_slug.replace(/^.*\//, ''))
  const kept = one.out.filter((slug) => listed.includes(slug))
  // Where all that are listed state it, more may do so than were asked for.
  const isFull =
    products?.length === MOST && products.every((product) => product.must_have[0]?.met === 'says_so')
  const lost = isFull ? [] : one.in.filter((slug) => !listed.includes(slug))
  const wrong = [
    ...(kept.length > 0 ? [`lists ${kept.join(', ')}`] : []),
    ...(lost.length > 0 ? [`misses ${lost.join(', ')}`] : []),
  ]
  return { set, name: `${category}: ${must_have}`, wrong: wrong.join('; ') || null }
}

export async function scoreMustHaves(
  curate: Curate,
): Promise<{ judgements: Scored[]; exclusions: Scored[] }> {
  const judgements: Scored[] = []
  const exclusions: Scored[] = []
  for (const one of readMustHaves())
    if (one.kind === 'judgement') judgements.push(await scoreJudgement(curate, one))
    else exclusions.push(await scoreExclusion(curate, one))
  return { judgements, exclusions }
}

export async function reportMustHaves(): Promise<void> {
  const service = await startService()
  try {
    const { token } = await service.person()
    const scored = await scoreMustHaves(async (args) => {
      const { data } = await service.call(token, 'product_curator', args)
      return data as Awaited<ReturnType<Curate>>
    })
    for (const [name, all] of Object.entries(scored))
      for (const set of ['practice', 'unseen'] as const) {
        const some = all.filter((one) => one.set === set)
        for (const one of some) if (one.wrong) process.stdout.write(`! ${one.name}: ${one.wrong}\n`)
        const right = some.filter(({ wrong }) => wrong === null).length
        process.stdout.write(`${name}, ${set}: ${right} of ${some.length} right\n`)
      }
  } finally {
    await service.stop()
  }
}
