/**
 * Scores the reading of bundle wishes and the choice of categories on written wishes: `npm run eval -- wishes`. Each says
 * what a sensible plan must contain, may contain and must not; those marked `scored` were written before the code was
 * tuned, those marked `tuning` may be looked at freely, and `ordinary` ones are searches that must stay searches.
 */
import fs from 'node:fs'
import type { Plan, Wish } from '../src/bundles/bundles.schema.ts'
import { chooseCategories } from '../src/bundles/choose-categories.ts'
import { planFitting, withCandidates } from '../src/bundles/plan.ts'
import { readWish } from '../src/bundles/read-wish.ts'
import { projectFile } from '../src/lib/paths.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'

export type WrittenWish = {
  query: string
  set: 'scored' | 'tuning' | 'ordinary'
  must: string[]
  /** At least one of each group. */
  any?: string[][]
  not: string[]
  /** Dollars. */
  budget: number | null
  quantity?: Record<string, number>
  bundle: boolean
}

export function readWishes(): WrittenWish[] {
  const lines = fs.readFileSync(projectFile('eval', 'wishes.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as WrittenWish)
}

export type WishScore = { ok: boolean; problems: string[] }

/** What is wrong with a reading and its plan, in words; nothing when both are right. */
export function scoreWish(written: WrittenWish, wish: Wish, plan: Plan): WishScore {
  const { lines } = plan
  const slugs = new Set(lines.map(({ slug }) => slug))
  const problems: string[] = []
  if (wish.isBundle !== written.bundle)
    problems.push(written.bundle ? 'not seen as a bundle' : 'taken for a bundle')
  if (written.bundle) {
    for (const slug of written.must) if (!slugs.has(slug)) problems.push(`lacks ${slug}`)
    for (const group of written.any ?? [])
      if (!group.some((slug) => slugs.has(slug))) problems.push(`lacks one of ${group.join(', ')}`)
    for (const slug of written.not) if (slugs.has(slug)) problems.push(`holds ${slug}`)
    const dollars = wish.budget === null ? null : wish.budget.cents / 100
    if (dollars !== written.budget) problems.push(`budget ${dollars}, not ${written.budget}`)
    for (const [slug, quantity] of Object.entries(written.quantity ?? {})) {
      const found = lines.find((line) => line.slug === slug)
      if (found && found.quantity !== quantity) problems.push(`${found.quantity} of ${slug}, not ${quantity}`)
    }
    if (lines.length < 2 || lines.length > 8) problems.push(`${lines.length} categories`)
    problems.push(...problemsOfPlan(plan))
  }
  return { ok: problems.length === 0, problems }
}

function problemsOfPlan({ budgetCents, lines }: Plan): string[] {
  const cents = (line: Plan['lines'][number]) => line.costCents ?? 0
  const kept = lines.filter(({ overBudget }) => !overBudget).reduce((sum, line) => sum + cents(line), 0)
  return [
    ...lines.flatMap(({ slug, product }) => (product ? [] : [`nothing for ${slug}`])),
    ...lines.flatMap(({ slug, overBudget }) => (overBudget ? [`${slug} is over budget`] : [])),
    ...lines.flatMap(({ slug, product }) => (product?.discontinued ? [`${slug} is discontinued`] : [])),
    ...(budgetCents !== null && kept > budgetCents ? [`costs ${kept / 100} of ${budgetCents / 100}`] : []),
  ]
}

export type WishResult = WrittenWish & WishScore & { plan: Plan }

/** Reads, chooses and plans as the service does. */
export async function tryWish(search: Search, written: WrittenWish): Promise<WishResult> {
  const wish = readWish(written.query, search.index().vocabulary())
  const chosen = written.bundle ? await chooseCategories(search, wish) : []
  const categories = await withCandidates(search, chosen)
  const plan = planFitting({ budgetCents: wish.budget?.cents ?? null, categories })
  return { ...written, plan, ...scoreWish(written, wish, plan) }
}

export async function reportWishes(): Promise<void> {
  const search = await createDemoSearch()
  const written = readWishes()
  const all = process.argv.includes('--all')
  for (const set of ['scored', 'tuning', 'ordinary'] as const) {
    const results: WishResult[] = []
    for (const one of written.filter((one) => one.set === set)) results.push(await tryWish(search, one))
    for (const result of results) if (all || !result.ok) print(result)
    process.stdout.write(`${set}: ${results.filter(({ ok }) => ok).length} of ${results.length}\n`)
  }
  await search.close()
}

function print({ ok, query, problems, plan }: WishResult): void {
  const lines = plan.lines.map(
    ({ quantity, slug, product, costCents }) =>
      `      ${quantity} × ${slug}: ${product?.title ?? 'nothing'}, $${(costCents ?? 0) / 100}`,
  )
  const found = problems.length > 0 ? [`    ${problems.join('; ')}`] : []
  process.stdout.write([`${ok ? '  ' : '! '}${query}`, ...found, ...lines, ''].join('\n'))
}
