/**
 * A plan as it is kept: its lines by the ids of their products, with what each was chosen by, what was taken out, and the
 * words. Read again, it has the prices of now; products that are gone leave their line empty. Pure.
 */

import type { ChosenCategory, Plan, PlanLine, PlanTexts, Wish } from '../bundles/bundles.schema.ts'
import { costOf } from '../bundles/grade.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import type { CandidatesInput } from '../search/candidates.ts'
import type { IndexedProduct } from '../search/catalog-index.ts'

/** What a line is filled by, without what an edit says of its product. */
export type LineWish = Omit<ChosenCategory, 'keep' | 'prefer'>

export type StoredLine = {
  wish: LineWish
  /** The owner wants this very product to stay. */
  kept: boolean
  /** Ids of products that the owner has asked to replace. */
  declined: string[]
  reasoning: string
  /** `<category>/<slug>`, for who reads it without the catalog. */
  productSlug: string | null
  /** As it was planned; products by id. */
  line: Omit<PlanLine, 'product' | 'because'> & {
    product: string | null
    because: Omit<PlanLine['because'], 'passedOver'> & { passedOver: string | null }
  }
}

/** A line that the plan had, or that the money was missing for; it can be put back as it was. */
export type AsideLine = {
  wish: LineWish
  product: string | null
  /** Its place among the lines. */
  at: number
  why: 'removed' | 'dropped'
}

export type StoredPlan = {
  budgetCents: number | null
  overview: string
  lines: StoredLine[]
  aside: AsideLine[]
}

/** What holds for every product of a plan. */
export type PlanAsked = { filters: NonNullable<CandidatesInput['filters']>; wanted: string[] }

export type KeptPlan = {
  id: string
  userId: string
  revision: number
  wish: Wish
  asked: PlanAsked
  plan: StoredPlan
  totalCents: number
  createdAt: Date
  updatedAt: Date
}

/** Null for one that is not in the catalog. */
export type ProductOf = (id: string) => IndexedProduct | null

/** More than a person takes out of one plan. */
const MOST_ASIDE = 24

/** What else a line is to remember of the edits so far. */
type LineMarks = Pick<StoredLine, 'kept' | 'declined'>

export function storedPlan(
  plan: Plan,
  texts: PlanTexts,
  {
    wishes,
    aside = [],
    marksOf = () => ({ kept: false, declined: [] }),
  }: { wishes: readonly LineWish[]; aside?: AsideLine[]; marksOf?: (slug: string) => LineMarks },
): StoredPlan {
  const wishOf = (slug: string) => wishes.find((one) => one.slug === slug)
  const lines = plan.lines.flatMap(
    ({ product, because: { passedOver, ...because }, ...line }): StoredLine[] => {
      const wish = wishOf(line.slug)
      if (!wish) return []
      return [
        {
          ...{ wish: bare(wish), ...marksOf(line.slug), reasoning: texts.reasonings[line.slug] ?? '' },
          // A line that nothing fills has nothing to keep.
          kept: product !== null && marksOf(line.slug).kept,
          productSlug: product && canonicalSlug({ category: product.category.slug, slug: product.slug }),
          line: {
            ...line,
            product: product?.id ?? null,
            // What more money would buy is looked up when the plan is read.
            because: { ...because, passedOver: passedOver?.id ?? null, upgrade: null },
          },
        },
      ]
    },
  )
  const dropped = plan.dropped.flatMap(({ slug }): AsideLine[] => {
    const wish = wishOf(slug)
    return wish ? [{ wish: bare(wish), product: null, at: wishes.indexOf(wish), why: 'dropped' }] : []
  })
  const isLine = (slug: string) => lines.some(({ wish }) => wish.slug === slug)
  return {
    budgetCents: plan.budgetCents,
    overview: texts.overview,
    lines,
    aside: [...aside.filter(({ wish }) => !isLine(wish.slug)), ...dropped].slice(-MOST_ASIDE),
  }
}

function bare({ keep: _, prefer: __, ...wish }: ChosenCategory): LineWish {
  return wish
}

/**
 * The plan with the prices of now. Where these have carried it over its budget, the lines that cost more than was planned
 * for them are the ones over budget.
 */
export function standingPlan({ budgetCents, lines, aside }: StoredPlan, productOf: ProductOf): Plan {
  const standing = lines.map(({ line, kept }): PlanLine => {
    const product = line.product === null ? null : productOf(line.product)
    const passedOver = line.because.passedOver === null ? null : productOf(line.because.passedOver)
    return {
      ...line,
      kept: kept && product !== null,
      product,
      costCents: product && costOf(product, line.quantity),
      because: { ...line.because, passedOver },
    }
  })
  const totalCents = standing.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0)
  const isOver = budgetCents !== null && totalCents > budgetCents
  return {
    budgetCents,
    totalCents,
    lines: standing.map((line) => ({
      ...line,
      overBudget: isOver && (line.overBudget || (line.costCents ?? 0) > (line.allocatedCents ?? 0)),
    })),
    dropped: aside.flatMap(({ wish, why }) =>
      why === 'dropped' ? [{ slug: wish.slug, label: wish.label }] : [],
    ),
  }
}

/** The stored words still say what holds: same products at the same prices. */
export function isAsPlanned({ lines }: StoredPlan, plan: Plan): boolean {
  return lines.every(({ line }, at) => {
    const now = plan.lines[at]
    return (
      now?.product?.id === (line.product ?? undefined) &&
      now?.costCents === line.costCents &&
      now.overBudget === line.overBudget
    )
  })
}
