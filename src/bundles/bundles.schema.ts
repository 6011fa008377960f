/**
 * The words of bundles: a wish as it was read, the plan made for it, and the answer of interface 2.4. Inside: camelCase and
 * cents; at the edge the contract's names and dollars.
 */
import { z } from 'zod'
import type { Candidate } from '../search/candidates.ts'
import type { Flaw } from './grade.ts'

/** What a shopper's sentence asks for. Categories are slugs. */
export type Wish = {
  query: string
  /** Approximate: "around $1,200". A plan still keeps to it. */
  budget: { cents: number; approximate: boolean } | null
  /** A currency other than the dollar that the budget was named in, as the shopper wrote it. It was read in dollars. */
  foreignCurrency: string | null
  /** Things named outright, in the order of the sentence. */
  things: WishedThing[]
  /** What it is all for, in the shopper's words ("home office", "first baby"); null when only things are named. */
  goal: string | null
  /** Asked for beside the things, in words that name no category: "something for music". */
  items: string[]
  /** Categories the shopper has already, or does not want. */
  excluded: string[]
  /** Makers that nothing may be from. */
  avoid: string[]
  /** What everything must be or lack, in the shopper's words: "no wireless". */
  demands: string[]
  /** "The rest can be cheap": of what is not stressed. */
  restIsBasic: boolean
  /** Stems of what else was said of the whole: "lightweight", "small room". */
  manner: string[]
  /** "Must arrive by Friday", in days from now; null when there is no hurry. */
  arriveInDays: number | null
  /** For how many people or how many sets; 1 when it is not said. */
  people: number
  /** Whom it is for, in the shopper's words. */
  audience: string[]
  /** "Nothing over $150": what any of them may cost. */
  eachCents: number | null
  /** Several categories or a goal of several items, with a budget or a set word. */
  isBundle: boolean
  /** Words such as "setup" or "everything for" ask for more than is named. */
  asksForMore: boolean
  /** It lists what it wants; a goal beside that is the occasion. */
  isList: boolean
}

export type WishedThing = {
  category: string
  quantity: number
  /** What to search for in that category: "quiet keyboard". */
  wish: string
  /** Makers named beside it, one of which it is to be from. */
  makers: string[]
  /** "Most of it on the chair", "a cheap webcam will do". */
  emphasis: 'more' | 'less' | null
  /** "The chair at most $300", for one; null without a limit. */
  maxCents: number | null
}

/** A category the plan will fill. */
export type ChosenCategory = {
  slug: string
  label: string
  /** What the shopper gets it for: "main screen". */
  role: string
  quantity: number
  /** What to search for in it. */
  query: string
  /** How much it matters, over 0; 1 is usual. */
  weight: number
  /** The shopper named it, as opposed to our finding it for the goal. */
  named: boolean
  /** A cheap one will do. */
  modest?: boolean
  /** The shopper said more of it than its name. */
  pointed: boolean
  /** Words that speak for a product whose facts say them. */
  wanted: string[]
  /** Makers that it must not be from. */
  avoid: string[]
  /** Makers that it is to be from, if there are any. */
  makers?: string[]
  /** "The chair at most $300": for all pieces; null without a limit. */
  maxCents: number | null
  /** Candidates know in how many days they come; one that is not there by then is late. */
  arriveInDays?: number | null
  /** Id of the product that fills it whatever else changes. */
  keep?: string | null
  /** Id of the product that fills it unless it must change. */
  prefer?: string | null
}

export type PlanInput = {
  budgetCents: number | null
  categories: Array<ChosenCategory & { candidates: Candidate[] }>
}

export type Plan = {
  budgetCents: number | null
  /** What all lines cost together, those over budget included. */
  totalCents: number
  lines: PlanLine[]
  /** Categories that only we thought of, and that the budget has no good product for. */
  dropped: Array<{ slug: string; label: string }>
}

export type PlanLine = {
  slug: string
  label: string
  role: string
  quantity: number
  named: boolean
  /** The shopper asked for this very product to stay. */
  kept: boolean
  /** Null without a budget. For all pieces of the line. */
  allocatedCents: number | null
  /** Nothing fits the allocation, so the best match was chosen at any price. */
  overBudget: boolean
  /** Null when the category holds nothing that can be recommended. */
  product: Candidate['product'] | null
  /** For all pieces: the highest price the product is sold at, times the quantity; null when no price is known. */
  costCents: number | null
  /** Why the plan chose it, for the writer. */
  because: {
    /** Place in the line's own ranking, from 1. */
    place: number
    /** The one that ranked first but did not fit, if the choice is another. */
    passedOver: Candidate['product'] | null
    /** What speaks against it; nothing better fits. */
    flaw: Flaw | null
    /** No seller states that it arrives by the day the shopper named. */
    late: boolean
    /** Another line that it is to hold, and whether it does; null where one of the two does not say. */
    holds?: { label: string; fits: boolean | null }
    /** What is known of it does not answer everything that was asked of all. */
    open?: boolean
    /** What more money would buy here first. */
    upgrade: { product: Candidate['product']; extraCents: number } | null
  }
}

/** Another product for a line, and what it would change. */
export type Alternative = {
  product: Candidate['product']
  costCents: number | null
  /** Of the whole plan with it; null when its price is unknown. */
  totalCents: number | null
  /** The plan stays within budget with it and every other line as it is. */
  fits: boolean
}

export type PlanTexts = { overview: string /** By category slug. */; reasonings: Record<string, string> }

const BundleProduct = z
  .object({
    slug: z.string().describe('Unique in the catalog'),
    url: z.string().describe('Path of its page'),
    title: z.string().describe('Title of the product'),
    price_range: z
      .string()
      .nullable()
      .describe('In US dollars, as shown to people; null when no price is known'),
    verdict: z.string().nullable().describe('What reviewers conclude, in a sentence'),
  })
  .meta({ id: 'BundleProduct', description: 'The product chosen in a category' })

export const BundleCategory = z
  .object({
    slug: z.string().describe('Of the category'),
    label: z.string().describe('For people'),
    role: z.string().describe('What it is for, such as "main screen"'),
    kept: z.boolean().describe('You asked for this very product to stay'),
    reasoning: z.string().describe('Why this share of the budget, and why this product'),
    budget_allocated: z.number().nullable().describe('US dollars for all pieces; null without a budget'),
    over_budget: z
      .boolean()
      .describe('Nothing fits the allocation, so the best match was chosen at any price'),
    quantity: z.number().int().min(1).describe('Pieces'),
    cost: z
      .number()
      .nullable()
      .describe("US dollars for all pieces, at the product's highest price; null when no price is known"),
    product: BundleProduct.nullable().describe('Null when the category has nothing to recommend'),
  })
  .meta({ id: 'BundleCategory', description: 'A category of the set, with its share of the budget' })
export type BundleCategory = z.output<typeof BundleCategory>

/** Interface 2.4, with additions: the id of the kept plan, roles, quantity, price and the two totals. */
export const BundleResponse = z
  .object({
    type: z.literal('bundle').describe('Marks a bundle response'),
    query_id: z.string().describe('Id of this search'),
    plan_id: z
      .string()
      .nullable()
      .describe('Of the plan that is kept for you, to read and edit it; null when it is nobody’s'),
    overview: z.string().describe('Summary of the set'),
    budget: z.number().nullable().describe('US dollars, from the query; null when it has no budget'),
    total: z.number().describe('US dollars for everything chosen'),
    categories: z.array(BundleCategory).describe('The categories of the set'),
  })
  .meta({ id: 'BundleResponse', description: 'A set from several categories within one budget' })
export type BundleResponse = z.output<typeof BundleResponse>

export const BUNDLES_A_DAY = 20
export const PLAN_EDITS_A_DAY = 200
/** Maximum quantity of a product; larger orders need a quote. */
export const MAX_PIECES = 1_000
export const MIN_CATEGORIES = 2
export const MAX_CATEGORIES = 8
