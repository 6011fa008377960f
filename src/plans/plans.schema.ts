/**
 * The words of kept plans at the edge: the edits that an owner asks for, and a plan with what can be changed about it. A
 * line is named by its category, since a plan has one line for each.
 */
import { z } from 'zod'
import { BundleCategory, BundleResponse, MAX_PIECES } from '../bundles/bundles.schema.ts'
import { dollarsToCents } from '../lib/money.ts'

export const MOST_EDITS = 20
const MAX_BUDGET_USD = 10_000_000

const Line = z.string().trim().min(1).max(300)

const KINDS = ['keep', 'replace', 'remove', 'add', 'budget_usd', 'quantity'] as const

export type Edit =
  | { kind: 'keep'; line: string; off: boolean }
  | { kind: 'replace'; line: string; with: string | null }
  | { kind: 'remove'; line: string }
  | { kind: 'add'; what: string }
  | { kind: 'budget'; cents: number | null }
  | { kind: 'quantity'; line: string; quantity: number }

/** One object with one field that says what to do; several are refused rather than resolved. */
export const EditInput = z
  .object({
    keep: Line.optional().describe('Line whose product stays whatever else changes'),
    off: z.boolean().optional().describe('With keep: the product may change again'),
    replace: Line.optional().describe('Line that gets another product'),
    with: Line.optional().describe(
      'With replace: this product, <category>/<slug>; default: the best other one that fits',
    ),
    remove: Line.optional().describe('Line to take out'),
    add: Line.optional().describe('Category to add a line for, or a product, <category>/<slug>'),
    budget_usd: z
      .number()
      .positive()
      .max(MAX_BUDGET_USD)
      .refine((dollars) => dollarsToCents(dollars) !== null, {
        message: 'must be US dollars with at most two decimals',
      })
      .nullable()
      .optional()
      .describe('New budget in US dollars; null: none'),
    quantity: z.int().min(1).max(MAX_PIECES).optional().describe('Pieces of the line'),
    line: Line.optional().describe('With quantity: the line'),
  })
  .superRefine((edit, ctx) => {
    const said = KINDS.filter((kind) => edit[kind] !== undefined)
    const refuse = (message: string) => ctx.addIssue({ code: 'custom', message, input: edit })
    if (said.length !== 1) refuse(`must have exactly one of ${KINDS.join(', ')}`)
    else if (edit.quantity !== undefined && edit.line === undefined)
      refuse('quantity needs the line it is for, as line')
  })
  .describe('One change to a plan. A line is named by its category slug')

export function toEdit(input: z.output<typeof EditInput>): Edit {
  const { keep, off = false, replace, remove, add, budget_usd, quantity, line = '' } = input
  if (keep !== undefined) return { kind: 'keep', line: keep, off }
  if (replace !== undefined) return { kind: 'replace', line: replace, with: input.with ?? null }
  if (remove !== undefined) return { kind: 'remove', line: remove }
  if (add !== undefined) return { kind: 'add', what: add }
  if (quantity !== undefined) return { kind: 'quantity', line, quantity }
  return { kind: 'budget', cents: budget_usd == null ? null : dollarsToCents(budget_usd) }
}

/** Under a name in the published description; tools have it in place, because not every client follows references. */
const Edits = z
  .array(EditInput.meta({ id: 'PlanEdit' }))
  .min(1)
  .max(MOST_EDITS)

export const EditRequest = z.object({
  edits: Edits.describe('What to change, in this order; all of it or nothing'),
  revision: z
    .int()
    .min(1)
    .optional()
    .describe('The revision you saw; the edit is refused when there is a newer one'),
})

const Money = z.number().nullable()

const PlanAlternative = z
  .object({
    product: BundleCategory.shape.product.unwrap(),
    cost: Money.describe('US dollars for all pieces; null when no price is known'),
    total: Money.describe('Of the whole plan with it'),
    change: Money.describe('What it adds to the total; below 0 when it saves'),
    fits: z.boolean().describe('The plan stays within its budget with it'),
  })
  .meta({ id: 'PlanAlternative', description: 'Another product for a line, while every other line stays' })

export type PlanAlternative = z.output<typeof PlanAlternative>

const PlanCategory = BundleCategory.extend({
  alternatives: z.array(PlanAlternative).describe('Best first'),
}).meta({ id: 'PlanLine', description: 'A line of a kept plan' })

export const PlanResponse = BundleResponse.omit({ query_id: true })
  .extend({
    plan_id: z.string().describe('Id of the plan'),
    revision: z.number().int().describe('Grows with every edit'),
    query: z.string().describe('The wish, in your words'),
    categories: z.array(PlanCategory).describe('The lines of the plan'),
    left_out: z
      .array(
        z.object({
          slug: z.string().describe('Of the category'),
          label: z.string().describe('For people'),
          why: z.enum(['removed', 'dropped']).describe('Removed by you, or dropped for the budget'),
        }),
      )
      .describe(
        'Categories that you removed, or that the budget has no good product for; `add` puts one back',
      ),
    upgrades: z
      .array(PlanAlternative.extend({ line: z.string().describe('Slug of the category') }))
      .describe('What more money would buy: for each line, a better product that costs more'),
    changed: z
      .array(
        z.object({
          line: z.string().describe('Slug of the category'),
          from: z.string().nullable().describe('Title of the product before'),
          to: z.string().nullable().describe('Title of the product now; null when the line is gone'),
        }),
      )
      .describe('Lines that you did not mention and that had to change'),
    created_at: z.string().describe('When it was made'),
    updated_at: z.string().describe('When it was last changed'),
  })
  .meta({ id: 'KeptPlan', description: 'A plan that is kept for you, with what can be changed about it' })
export type PlanResponse = z.output<typeof PlanResponse>

export const PlanSummary = z
  .object({
    plan_id: z.string().describe('Id of the plan'),
    revision: z.number().int().describe('Grows with every edit'),
    query: z.string().describe('The wish, in your words'),
    budget: Money.describe('US dollars; null without a budget'),
    total: z.number().describe('US dollars, when it was last changed'),
    categories: z.array(z.string()).describe('Labels of its lines'),
    created_at: z.string().describe('When it was made'),
    updated_at: z.string().describe('When it was last changed'),
  })
  .meta({ id: 'PlanSummary', description: 'A kept plan in a list' })
export type PlanSummary = z.output<typeof PlanSummary>
