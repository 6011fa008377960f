/**
 * The words of bundles: a wish as it was read, the plan made for it, and the answer of interface 2.4. Inside: camelCase and
 * cents; at the edge the contract's names and dollars.
 */
import type { Candidate } from '../search/candidates.ts'

/** What a shopper's sentence asks for. Categories are slugs. */
export type Wish = {
  query: string
  /** Approximate: "around $1,200". A plan still keeps to it. */
  budget: { cents: number; approximate: boolean } | null
  /** A currency other than the dollar that the budget was named in, as the shopper wrote it. */
  foreignCurrency: string | null
  /** Things named outright, in the order of the sentence. */
  things: WishedThing[]
  /** What it is all for, in the shopper's words ("home office", "first baby"); null when only things are named. */
  goal: string | null
  /** Categories the shopper has already, or does not want. */
  excluded: string[]
  /** For how many people or how many sets; 1 when it is not said. */
  people: number
  /** Whom it is for, in the shopper's words. */
  audience: string[]
  /** Several categories or a goal of several items, with a budget or a set word. */
  isBundle: boolean
}

export type WishedThing = {
  category: string
  quantity: number
  /** What to search for in that category: "quiet keyboard". */
  wish: string
  /** "Most of it on the chair", "a cheap webcam will do". */
  emphasis: 'more' | 'less' | null
}

/** A category the plan will fill. */
export type ChosenCategory = {
  slug: string
  label: string
  quantity: number
  /** What to search for in it. */
  query: string
  /** How much it matters, over 0; 1 is usual. */
  weight: number
  /** The shopper named it, as opposed to our finding it for the goal. */
  named: boolean
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
}

export type PlanLine = {
  slug: string
  label: string
  quantity: number
  named: boolean
  /** Null without a budget. For all pieces of the line. */
  allocatedCents: number | null
  /** Nothing fitted the allocation, so the best was taken whatever it costs. */
  overBudget: boolean
  /** Null when the category holds nothing that can be recommended. */
  product: Candidate['product'] | null
  /** For all pieces: the highest price the product is sold at, times the quantity; null when no price is known. */
  costCents: number | null
  /** What the plan knows about its choice, for whoever explains it. */
  because: {
    /** Place in the category's own ranking, from 1. */
    place: number
    /** The one that ranked first but did not fit, if the choice is another. */
    passedOver: Candidate['product'] | null
    /** Money left from other lines bought a better one than the first allocation would have. */
    upgraded: boolean
  }
}

export type PlanTexts = { overview: string /** By category slug. */; reasonings: Record<string, string> }

/** Interface 2.4, with additions: quantity, price and the two totals. */
export type BundleResponse = {
  type: 'bundle'
  query_id: string
  overview: string
  budget: number | null
  total: number
  categories: BundleCategory[]
}

export type BundleCategory = {
  slug: string
  label: string
  reasoning: string
  budget_allocated: number | null
  over_budget: boolean
  quantity: number
  /** For all pieces, at the highest price the product is sold at. */
  cost: number | null
  product: BundleProduct | null
}

export type BundleProduct = {
  slug: string
  url: string
  title: string
  price_range: string | null
  verdict: string | null
}

export const BUNDLES_A_DAY = 20
/** Of one thing; whoever needs more asks for a quote. */
export const MAX_PIECES = 1_000
export const MIN_CATEGORIES = 2
export const MAX_CATEGORIES = 8
