/** Products and candidates for tests of bundle plans; what a test does not say is ordinary. */
import type { ChosenCategory, Plan, PlanInput, Wish } from '../src/bundles/bundles.schema.ts'
import type { Candidate } from '../src/search/candidates.ts'

type Product = Candidate['product']

export function productOf(slug: string, over: Partial<Product> = {}): Product {
  return {
    id: `id-${slug}`,
    slug,
    title: `Thing ${slug}`,
    category: { slug: 'things', label: 'Things' },
    brand: null,
    model: null,
    mpn: null,
    verdict: null,
    bestFor: [],
    priceLowCents: null,
    priceHighCents: null,
    rating: null,
    reviewCount: null,
    released: null,
    discontinued: false,
    lacks: [],
    titleWords: [],
    measures: [],
    shortSpecs: '',
    notFor: [],
    variants: null,
    embedded: false,
    ...over,
  }
}

export function candidateOf(slug: string, score: number, over: Partial<Product> = {}): Candidate {
  return { product: productOf(slug, over), score, similarity: 0.5, silent: 0, isThing: 1, typical: 1 }
}

/** A candidate at one price. */
export function pricedAt(slug: string, score: number, cents: number): Candidate {
  return candidateOf(slug, score, { priceLowCents: cents, priceHighCents: cents })
}

export function categoryOf(
  slug: string,
  candidates: Candidate[],
  over: Partial<ChosenCategory> = {},
): PlanInput['categories'][number] {
  return {
    ...{ slug, label: slug, role: slug, quantity: 1, query: slug, weight: 1, named: true },
    ...{ pointed: true, maxCents: null, wanted: [], avoid: [] },
    ...over,
    candidates,
  }
}

export function wishOf(over: Partial<Wish> = {}): Wish {
  return {
    query: 'a few things',
    budget: null,
    foreignCurrency: null,
    things: [],
    goal: null,
    excluded: [],
    avoid: [],
    demands: [],
    items: [],
    restIsBasic: false,
    manner: [],
    arriveInDays: null,
    people: 1,
    audience: [],
    isBundle: true,
    isList: false,
    asksForMore: false,
    eachCents: null,
    ...over,
  }
}

/** The plan as if this product had ranked first in the line and had not fit. */
export function passingOver(plan: Plan, slug: string, product: Product): Plan {
  const lines = plan.lines.map((line) =>
    line.slug === slug ? { ...line, because: { ...line.because, place: 2, passedOver: product } } : line,
  )
  return { ...plan, lines }
}
