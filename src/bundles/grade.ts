/**
 * The satisfaction that a product is expected to give in its line, in whole points, so that sums are exact in any order.
 * It is relevance times quality times how plainly it is the thing, less what it takes from the other lines by its price.
 * A line's best product is worth 200 points times the line's weight.  `sound` marks what a shopper can be advised to buy: what is not sound fills a line only when
 * nothing sound fits, and then the plan says so.
 */
import { byText } from '../lib/text.ts'
import type { Candidate } from '../search/candidates.ts'
import { synonymsOf } from '../search/lexical/synonyms.ts'
import { stem } from '../search/lexical/tokenize.ts'
import type { ChosenCategory } from './bundles.schema.ts'
import { comesInPairs, isForAnother, wordsOf } from './wish-words.ts'

type Product = Candidate['product']

/** Why a product should not be bought for a line. */
export type Flaw =
  | 'late'
  | 'rating'
  | 'verdict'
  | 'not_the_thing'
  | 'for_others'
  | 'other_use'
  | 'denied'
  | 'too_dear'
  | 'share'

export type Option = {
  product: Product
  points: number
  /** For all pieces; null when no price is known. */
  costCents: number | null
  /** In its line's ranking, from 1. */
  place: number
  flaw: Flaw | null
  /** No seller states that it is there in time. */
  late: boolean
  /** Its facts leave open what was demanded. */
  open: boolean
}

/** What a line may cost, and what people spend on such a thing beside the others. */
export type Money = {
  shareCents: number
  /** No product of it may cost more, unless nothing else fits; null where the line stands alone. */
  mostCents: number | null
}

export const POINTS = 200
const RELEVANCE = { score: 0.85, place: 0.15 }
const QUALITY = { base: 0.2, rating: 0.45, known: 0.2, class: 0.15 }
/** What the shopper stresses is to be of a better class, not what most buy. */
const STRESSED: typeof QUALITY = { base: 0.15, rating: 0.35, known: 0.05, class: 0.45 }
/** What the shopper wants cheap. */
const MODEST: typeof QUALITY = { base: 0.3, rating: 0.5, known: 0.2, class: 0 }
const MODEST_UP_TO = 0.2
/**
 * So much less score makes it e times less likely to be meant. Where the shopper said no more than its name, many are
 * meant alike, and a word in common with the occasion tells little.
 */
const SCALE = { pointed: 1.5, plain: 4 }
/** Of a plain line, the score of the product at this share of the ranking counts as the best. */
const PLAIN_TOP = 0.2
/** The product with so many above it has half of what the first has for its place. */
const HALF_AT = 10
const PRIOR = { rating: 4, reviews: 25 }
const RATING_FLOOR = 3.6
/** Each demand of the shopper that the product's facts leave open. */
const SILENT = 0.45
/** Where so many titles go by the category's name, one that does not is something else. */
const MOST_GO_BY_NAME = 0.6
/** Made for a use that the shopper did not mention. */
const OTHER_USE = 0.3
/**
 * What is unlike most of its category serves few; less so where the shopper says what it is to be, more so where any will
 * do.
 */
const UNLIKE_OTHERS = { pointed: 0.1, plain: 0.3, modest: 0.6 }
/** Up to so many times its share a price is not felt; more where the line matters more. */
const AMPLE = 0.7
const STRETCH = { least: 1.1, weight: 0.8 }
/** A line that only we thought of is better left open than filled with less than this. */
export const LEAST_WORTH = 0.4

/** Titles of parts and extras, in categories that are not of these. */
const PARTS =
  /\b(?:only|accessor(?:y|ies)|replacements?|spares?|spare parts?|refills?|converters?|attachments?|adapters?|add-?ons?|barebones?|extension|liners?|handles)\b/gi
const POOR =
  /\b(?:avoid|skip|useless|unsafe|dangerous\w*|not worth|hard to recommend|regret\w*|fails?|failed|flimsy|disappoint\w*|frustrat\w*|madden\w*|false economy|cheap for (?:a|good) reason|do not buy|don't buy|leave on the shelf|spend (?:a little|\w+ dollars) more)\b/i
/** Who a product is for when its title says so, and nobody else. */
const GROUPS = new Set(
  'kid child toddler junior youth teen boy girl women woman infant baby senior student nursery'
    .split(' ')
    .map(stem),
)
/** Places, trades and uses in titles that ordinary buyers of a category do not mean. */
const USES = new Set(
  `camper rv van truck boat marine galley caravan vehicle backseat tailgate handlebar workshop workbench jobsite work garage
  industrial commercial contractor workgroup business control barback clinic clinical medical hospital rehab therapy hearing
  lux magnifier classroom school conference meeting boardroom document receipt thermal photo art panoramic expedition
  mountaineering mountain alpine winter snow ski racing race track spikes fell triathlon golf dive diving fishing hunting
  trail climbing running fastpacking bikepacking commuting stage dj karaoke podcast lapel lavalier instrument horn woodwind
  drum ribbon tube shotgun film camera cinema drafting kneeling saddle wall ceiling underseat garment immersion stick
  handheld pocket portable travel mini sport sports sweatproof workout bone canopy hydration tabletop crumb barefoot
  treadmill jogging double booster kettlebell guest keychain sleep nursery baby toddler kids bunk floor futon split spice
  soup vegetable grease shower round manga signature label tandem cargo tricycle wearable pager liner hammock
  rooftop festival backyard party camp camping ortholinear washable barebones esports drawing pen paper reference
  workstation rugged pod capsule outdoor hotspot cellular vpn heated left lefty cad`.split(/\s+/),
)
/** Who is told that it is not for them buys what is usual. */
const GENERAL = new Set('general everyday nightly casual regular ordinary'.split(' ').map(stem))
const USUAL_FROM = 0.35
const FOR_CLAUSE = /\bfor (?!(?:two|the|your|a|an|home|indoor|outdoor|travel)\b)([\p{L}' -]{3,40})/iu

const NOTHING_SAID: ReadonlySet<string> = new Set()

type GradedLine = Omit<ChosenCategory, 'slug' | 'role' | 'avoid' | 'keep' | 'prefer'>

/** What money does not change of a candidate. */
type Appraised = {
  product: Product
  late: boolean
  open: boolean
  costCents: number | null
  flaw: Flaw | null
  /** Of the points, what neither its quality nor its price decides. */
  plain: number
  rated: number
  known: number
  /** The share of the others that cost less. */
  cheaper: number
}

/** A plan is tried with one budget after the other, and with fewer lines; a line stays what it is. */
const appraisals = new WeakMap<GradedLine, { of: readonly Candidate[]; all: Appraised[]; prices: number[] }>()

/** Best first: by soundness, points, cost and slug. */
export function gradeLine(
  candidates: readonly Candidate[],
  line: GradedLine,
  { worth, money }: { worth: number; money: Money | null },
): Option[] {
  const before = appraisals.get(line)
  const { all, prices } = before?.of === candidates ? before : appraise(candidates, line)
  appraisals.set(line, { of: candidates, all, prices })
  const { weights, usual } = scaleOf(line, money, prices)
  // Below an exponent of 1, each further step up counts less.
  const exponent = line.weight > 1 ? 1 : 0.5
  const flaws = all.map(({ flaw, costCents }) => flaw ?? (takesTooMuch(costCents, money) ? 'share' : null))
  const fits = all.map(({ plain, rated, known, cheaper, costCents }) => {
    const quality = weights.base + weights.rating * rated + weights.known * known
    const inClass = money ? weights.class * cheaper ** exponent : 0
    return plain * (quality + inClass) * priceFit(costCents, usual) * ampleness(costCents, line, money)
  })
  const best = Math.max(...fits.filter((_, at) => flaws[at] === null), ...(flaws.includes(null) ? [] : fits))
  return all
    .map(({ product, costCents, late, open }, at) => {
      const fit = Math.min(1, (fits[at] ?? 0) / best)
      const points = Math.max(1, Math.round(POINTS * worth * fit))
      return { product, points, costCents, place: 0, flaw: flaws[at] ?? null, late, open }
    })
    .sort(byRank)
    .map((option, at) => ({ ...option, place: at + 1 }))
}

function takesTooMuch(cost: number | null, money: Money | null): boolean {
  return Boolean(money?.mostCents) && cost !== null && cost > (money?.mostCents ?? 0)
}

function appraise(
  candidates: readonly Candidate[],
  line: GradedLine,
): { all: Appraised[]; prices: number[] } {
  const sold = candidates.filter(({ product }) => !product.discontinued)
  const scores = sold.map(({ score }) => score)
  const falling = scores.toSorted((a, b) => b - a)
  const top = falling[line.pointed ? 0 : Math.floor(falling.length * PLAIN_TOP)] ?? 0
  const scale = line.pointed ? SCALE.pointed : SCALE.plain
  const prices = sold.flatMap(({ product }) => costOf(product, 1) ?? []).sort((a, b) => a - b)
  const mostReviews = Math.max(1, ...sold.map(({ product }) => product.reviewCount ?? 0))
  const isNamed = (one: Candidate) => (one.isThing ?? 0) >= 0.5 || isSetOf(one.product)
  const named = sold.filter(isNamed).length
  const goByName = named >= sold.length * MOST_GO_BY_NAME
  const wanted = line.wanted.flatMap(wordsOf).map(stem)
  const words = [...wordsOf(`${line.query} ${line.label}`).map(stem), ...wanted]
  const said = new Set(words.flatMap((word) => [word, ...synonymsOf(word).map(({ term }) => term)]))
  const label = wordsOf(line.label).map(stem)
  const own = (product: Product) =>
    wordsOf(product.title)
      .map(stem)
      .filter((word) => wanted.includes(word) && !label.includes(word))
  const usual = usualWords(sold.map(({ product }) => product.title))
  const isSpecial = (product: Product) =>
    isForOtherUse(product, NOTHING_SAID, usual) || isForOthers(product, NOTHING_SAID)
  const general = new Set(
    sold.filter(({ product }) => !isSpecial(product)).flatMap(({ product }) => own(product)),
  )
  // Whomever it is for: a crib mattress. Where others say it too, it excuses nothing: a left-handed vertical mouse.
  const isMeant = ({ product }: Candidate) => line.pointed && own(product).some((word) => !general.has(word))
  const someInTime = sold.some(({ days }) => !isLate(days, line.arriveInDays))
  const all = sold.map((one): Appraised => {
    const { product, score, silent } = one
    const above = scores.filter((other) => other > score).length
    const relevance =
      RELEVANCE.score * Math.exp(Math.min(0, score - top) / scale) +
      RELEVANCE.place * (HALF_AT / (HALF_AT + above))
    const forOtherUse = !isMeant(one) && isForOtherUse(product, said, usual)
    const unlike = UNLIKE_OTHERS[line.modest ? 'modest' : line.pointed ? 'pointed' : 'plain']
    const each = costOf(product, 1)
    return {
      product,
      late: isLate(one.days, line.arriveInDays),
      open: (one.unanswered ?? 0) > 0,
      costCents: costOf(product, line.quantity),
      flaw:
        goByName && !isNamed(one)
          ? 'not_the_thing'
          : flawOf(one, line, {
              said,
              someInTime,
              forOtherUse,
              forOthers: (!isMeant(one) || /\bkids?\b/i.test(product.title)) && isForOthers(product, said),
            }),
      plain:
        relevance *
        SILENT ** (silent ?? 1) *
        (forOtherUse ? OTHER_USE : 1) *
        (1 - unlike * (1 - (one.typical ?? 1))),
      rated: Math.min(1, Math.max(0, (shrunkRating(product) - 3) / 1.8)),
      known: Math.log1p(product.reviewCount ?? 0) / Math.log1p(mostReviews),
      cheaper:
        each === null ? 0 : prices.filter((price) => price < each).length / Math.max(1, prices.length - 1),
    }
  })
  return { all, prices }
}

/** The highest shop price, so the shopper never pays more than the total. */
export function costOf(
  { priceHighCents, priceLowCents }: Pick<Product, 'priceHighCents' | 'priceLowCents'>,
  quantity: number,
): number | null {
  const each = priceHighCents ?? priceLowCents
  return each === null ? null : each * quantity
}

/** Few reviews pull it to 4.0. */
export function shrunkRating({ rating, reviewCount }: Pick<Product, 'rating' | 'reviewCount'>): number {
  const reviews = rating === null ? 0 : (reviewCount ?? 0)
  return ((rating ?? 0) * reviews + PRIOR.rating * PRIOR.reviews) / (reviews + PRIOR.reviews)
}

function flawOf(
  { product, silent, days }: Candidate,
  { label, quantity, maxCents, arriveInDays, named, pointed, makers = [] }: GradedLine,
  seen: { said: ReadonlySet<string>; someInTime: boolean; forOtherUse: boolean; forOthers: boolean },
): Flaw | null {
  const cost = costOf(product, quantity)
  if (maxCents !== null && cost !== null && cost > maxCents) return 'too_dear'
  if (silent === null || (makers.length > 0 && !makers.includes(product.brand ?? ''))) return 'denied'
  if (seen.someInTime && isLate(days, arriveInDays)) return 'late'
  if (isPart(product.title, label, seen.said)) return 'not_the_thing'
  if (seen.forOthers) return 'for_others'
  if (shrunkRating(product) < RATING_FLOOR) return 'rating'
  if (product.rating === null && POOR.test(product.verdict ?? '')) return 'verdict'
  return seen.forOtherUse && !(named && pointed) ? 'other_use' : null
}

function isLate(days: number | null | undefined, arriveInDays: number | null | undefined): boolean {
  return typeof arriveInDays === 'number' && (days ?? Infinity) > arriveInDays
}

/** "Legs only" and "converter" are no desks, and one dumbbell no pair, unless the category or the shopper asks for them. */
function isPart(title: string, label: string, said: ReadonlySet<string>): boolean {
  if (comesInPairs(label) && /\bsingle\b/i.test(title) && !said.has('singl')) return true
  const named = label.toLowerCase()
  const parts = title.toLowerCase().match(PARTS) ?? []
  return parts.some((part) => !said.has(stem(part)) && !named.includes(part.replace(/s$/, '')))
}

/** A pair, kit or set of the thing is the thing. */
function isSetOf({ title }: Product): boolean {
  return /\b(?:set|kit|pair|pack|system|combo|all-in-one)s?\b/i.test(title)
}

/** Its title is for people of whom the shopper said nothing. */
function isForOthers({ title, category }: Product, said: ReadonlySet<string>): boolean {
  const label = wordsOf(category.label)
  const people = wordsOf(title).filter(
    (word) => (GROUPS.has(stem(word)) || isForAnother(word)) && !label.includes(word),
  )
  return people.length > 0 && !people.some((word) => said.has(stem(word)))
}

/** What many titles of a category say makes none of them special. */
function usualWords(titles: readonly string[]): Set<string> {
  const words = titles.flatMap((title) => [...new Set(wordsOf(title))])
  const least = Math.max(2, titles.length * USUAL_FROM)
  return new Set(
    [...Map.groupBy(words, (one) => one)].flatMap(([one, all]) => (all.length >= least ? one : [])),
  )
}

/** Its title names a use of which the shopper said nothing, or it is not for general use. */
function isForOtherUse(
  { title, category, notFor }: Product,
  said: ReadonlySet<string>,
  usual: ReadonlySet<string>,
): boolean {
  if (notFor.some((word) => GENERAL.has(word))) return true
  const named = wordsOf(category.label).map(stem)
  const clause = FOR_CLAUSE.exec(title)?.[1] ?? ''
  const uses = [
    ...wordsOf(clause).filter((word) => word.length > 3),
    ...wordsOf(title).filter((word) => USES.has(word) && !usual.has(word)),
  ]
  const own = uses.filter((word) => !named.includes(stem(word)))
  return own.length > 0 && !own.some((word) => said.has(stem(word)))
}

/** What counts in the line's products, and from which price on they need a reason. */
function scaleOf(
  { weight, quantity, modest }: GradedLine,
  money: Money | null,
  prices: readonly number[],
): { weights: typeof QUALITY; usual: number } {
  const priceAt = (share: number) => (prices[Math.floor(prices.length * share)] ?? 0) * quantity
  if (weight > 1) return { weights: STRESSED, usual: money?.mostCents ?? Infinity }
  if (modest) return { weights: MODEST, usual: priceAt(MODEST_UP_TO) }
  const stretch = STRETCH.least + STRETCH.weight * weight
  return { weights: QUALITY, usual: stretch * (money?.shareCents ?? priceAt(0.5)) }
}

/** 1 up to what is usual; at least a cent is, or nothing is worth anything where there is no money or most of it is free. */
function priceFit(cost: number | null, usualCents: number): number {
  return cost === null || cost <= usualCents ? 1 : (Math.max(1, usualCents) / cost) ** 2
}

/** What the shopper stresses is to get its share of the money: less is a saving in the wrong place. */
function ampleness(cost: number | null, { weight }: GradedLine, money: Money | null): number {
  if (weight <= 1 || !money || !cost) return 1
  return Math.min(1, cost / Math.max(1, money.shareCents)) ** AMPLE
}

function byRank(a: Option, b: Option): number {
  const cost = (option: Option) => option.costCents ?? Number.MAX_VALUE
  return (
    Number(a.flaw !== null) - Number(b.flaw !== null) ||
    b.points - a.points ||
    cost(a) - cost(b) ||
    byText(a.product.slug, b.product.slug)
  )
}
