/**
 * What managed pricing answers to a request, as a pure function: the best volume tier that applies, held to the
 * largest discount allowed, rounded half up to the cent, then raised to the limit. A larger quantity never has a
 * higher unit price.
 *
 * Floor: reserve / (1 − margin), because the margin is the share of the price above the reserve price, taken as the
 * cost. With no reserve price the cost is unknown, so the floor is base × margin.
 *
 * Limit: the next whole step above the floor. Only the limit takes part in the calculation, so nobody can learn the
 * floor more exactly than its step, however many quantities and base prices they try. Steps are 1 % of the catalog's
 * price: an offer's price is no good for that, because members without the right to pricing can change it and would
 * read the floor where the steps of many prices meet. When the limit passes the base price, the answer is a decline.
 *
 * A request for more than the stock is quoted as out of stock, and says how many there are. Shipping is that of the most
 * specific region, else the flat cost; an order that is worth enough ships free.
 *
 * `steps` are for a simulation and end before the limit. `limited` says that the limit raised the price, for those who
 * may set it.
 */
import { MAX_CENTS } from '../lib/money.ts'
import { isWithin, type Served, servedPart } from '../lib/regions.ts'
import {
  arrivalDay,
  type DeclineReason,
  type Floors,
  type ManagedRules,
  type ShippingEntry,
  type VolumeTier,
} from './pricing.schema.ts'

export type ManagedQuoteInput = {
  basePriceCents: number
  listPriceCents: number | null
  /** 1 % of it is a step. Never a price that a member sets; null when the catalog has none. */
  stepsOfCents: number | null
  quantity: number
  /** As readRegion writes it; unknown regions are quoted and settled at the seller's. */
  deliveryRegion: string | null
  deadline: Date | null
  now: Date
  rules: ManagedRules
}

export type QuoteStep = { label: string; unitPriceCents: number }

export type ManagedQuote =
  | {
      kind: 'quote'
      unitPriceCents: number
      /** Null unless it is above the price: a list price is there to show a saving. */
      listPriceCents: number | null
      inStock: boolean
      /** How many there are, where that is fewer than were asked for. */
      stockLeft: number | null
      shippingCostCents: number | null
      /** What the shipping cost follows from; null where none is stated. */
      shippingBy: 'flat' | 'region' | 'free_above' | null
      estimatedShippingDays: number | null
      /** Null when there is no deadline, or no lead time to hold against it. */
      meetsDeadline: boolean | null
      terms: string | null
      /** The limit raised the price above the last step. */
      limited: boolean
      steps: QuoteStep[]
    }
  | {
      kind: 'decline'
      reason: DeclineReason
      /** The limits are why. */
      limited: boolean
      steps: QuoteStep[]
    }

export function quoteManaged(input: ManagedQuoteInput): ManagedQuote {
  const { basePriceCents, quantity, rules } = input
  const steps: QuoteStep[] = [{ label: 'Base price', unitPriceCents: basePriceCents }]
  const served = servedPart(rules.deliveryRegions, input.deliveryRegion)
  if (served === 'none') return { kind: 'decline', reason: 'region_not_served', limited: false, steps }

  if (rules.floors === null) return { kind: 'decline', reason: 'limits_lost', limited: true, steps }

  const tier = bestTier(rules.volumeDiscounts, quantity)
  let unitPriceCents = basePriceCents
  if (tier) {
    unitPriceCents = discounted(basePriceCents, tier.discountPct)
    steps.push({ label: `${tier.discountPct}% off from ${tier.minQty} units`, unitPriceCents })
    if (rules.maxDiscountPct !== null && tier.discountPct > rules.maxDiscountPct) {
      unitPriceCents = discounted(basePriceCents, rules.maxDiscountPct)
      steps.push({ label: `Discount capped at ${rules.maxDiscountPct}%`, unitPriceCents })
    }
  }
  const limitCents = lowestPrice(input, rules.floors)
  if (limitCents > basePriceCents) return { kind: 'decline', reason: 'no_price', limited: true, steps }
  const limited = unitPriceCents < limitCents
  if (limited) unitPriceCents = limitCents
  const priceAt = (pct: number) =>
    Math.max(limitCents, discounted(basePriceCents, Math.min(pct, rules.maxDiscountPct ?? 100)))

  const listPriceCents = input.listPriceCents ?? basePriceCents
  const stockLeft = rules.stock !== null && rules.stock < quantity ? rules.stock : null
  const listed = shippingTo(rules.shippingByRegion, input.deliveryRegion)
  const leadTimeDays = listed?.leadTimeDays ?? rules.leadTimeDays
  return {
    kind: 'quote',
    unitPriceCents,
    listPriceCents: listPriceCents > unitPriceCents ? listPriceCents : null,
    inStock: (rules.inStock ?? true) && stockLeft === null,
    stockLeft,
    ...shippingOf(input, listed, unitPriceCents * quantity),
    estimatedShippingDays: leadTimeDays,
    meetsDeadline: meets(input, leadTimeDays),
    terms: termsOf(
      { ...rules, leadTimeDays },
      { stockLeft, tier: namedTier(input, unitPriceCents, priceAt), part: partTerm(served) },
    ),
    limited,
    steps,
  }
}

const NAMED_PARTS = 4

/** A buyer who says only "US" may be in California: who delivers there quotes, and says where it delivers. */
function partTerm(served: Served): string | null {
  if (typeof served === 'string') return null
  const more = served.length - NAMED_PARTS
  const names = served.slice(0, NAMED_PARTS).join(', ')
  return `Delivers to ${names}${more > 0 ? ` and ${more} more` : ''} only.`
}

/** The most specific that the place is within: a state's before its country's. */
function shippingTo(entries: readonly ShippingEntry[], wanted: string | null): ShippingEntry | null {
  if (wanted === null) return null
  const fitting = entries.filter(({ region }) => isWithin(wanted, region))
  return fitting.find(({ region }) => region === wanted) ?? fitting[0] ?? null
}

/** Free above covers every region: which are delivered to is a rule of its own. */
function shippingOf(
  { rules: { shippingCostCents: flat, freeShippingAboveCents: freeAbove } }: ManagedQuoteInput,
  listed: ShippingEntry | null,
  orderCents: number,
): { shippingCostCents: number | null; shippingBy: 'flat' | 'region' | 'free_above' | null } {
  if (freeAbove !== null && orderCents >= freeAbove) return { shippingCostCents: 0, shippingBy: 'free_above' }
  if (listed) return { shippingCostCents: listed.costCents, shippingBy: 'region' }
  return { shippingCostCents: flat, shippingBy: flat === null ? null : 'flat' }
}

function bestTier(tiers: readonly VolumeTier[], quantity: number): VolumeTier | null {
  let best: VolumeTier | null = null
  for (const tier of tiers) {
    if (tier.minQty > quantity || tier.discountPct <= (best?.discountPct ?? 0)) continue
    best = tier
  }
  return best
}

/**
 * The first tier that comes to this price; null where one alone costs the same. The best one that applies is not always it:
 * named beside a price that a limit holds, it would tell a buyer that there is a limit, and that this is it.
 */
function namedTier(
  { quantity, rules }: ManagedQuoteInput,
  unitPriceCents: number,
  priceAt: (pct: number) => number,
): VolumeTier | null {
  if (priceAt(0) === unitPriceCents) return null
  let first: VolumeTier | null = null
  for (const tier of rules.volumeDiscounts) {
    if (tier.minQty > quantity || priceAt(tier.discountPct) !== unitPriceCents) continue
    if (first === null || tier.minQty < first.minQty) first = tier
  }
  return first
}

/** Whole hundredths of a percent, so that what follows is exact: 0.29 * 100 is 28.999999999999996. */
function hundredths(pct: number): number {
  return Math.round(pct * 100)
}

function discounted(cents: number, pct: number): number {
  return Math.floor((cents * (10_000 - hundredths(pct)) + 5_000) / 10_000)
}

/**
 * Whether limits leave no price under which one unit is quoted. It goes by the limit, as quotes do: a warning that compared
 * the floor itself would give it away to a caller who tries one price after another.
 */
export function limitPasses(
  priceCents: number,
  floors: Floors,
  prices: Pick<ManagedQuoteInput, 'basePriceCents' | 'stepsOfCents'>,
): boolean {
  return lowestPrice(prices, floors) > priceCents
}

/** The limit. A floor on a step gives the step above it, as any other floor of that step does. */
function lowestPrice(
  { basePriceCents, stepsOfCents }: Pick<ManagedQuoteInput, 'basePriceCents' | 'stepsOfCents'>,
  floors: Floors,
): number {
  const { reservePriceCents, minMarginPct } = floors
  if (reservePriceCents === null)
    return minMarginPct === null ? 0 : stepAbove(basePriceCents, hundredths(minMarginPct), 10_000)
  const floorCents = ratioUp(reservePriceCents * 10_000, 10_000 - hundredths(minMarginPct ?? 0))
  if (floorCents > MAX_CENTS) return Number.POSITIVE_INFINITY
  const wholeCents = stepsOfCents || 10 ** String(floorCents).length
  return stepAbove(wholeCents, floorCents, wholeCents)
}

/** The next whole hundredth of `wholeCents` above the share `part / whole` of it, rounded up to the cent. */
function stepAbove(wholeCents: number, part: number, whole: number): number {
  return ratioUp(wholeCents * (Math.floor((part * 100) / whole) + 1), 100)
}

function ratioUp(numerator: number, denominator: number): number {
  const rest = numerator % denominator
  return (numerator - rest) / denominator + (rest > 0 ? 1 : 0)
}

function meets(input: ManagedQuoteInput, leadTimeDays: number | null): boolean | null {
  if (input.deadline === null || leadTimeDays === null) return null
  return arrivalDay(input.now, leadTimeDays).getTime() <= input.deadline.getTime()
}

function termsOf(
  rules: ManagedRules,
  { stockLeft, tier, part }: { stockLeft: number | null; tier: VolumeTier | null; part: string | null },
): string | null {
  const terms = [
    part,
    stockLeft !== null && stockLeft > 0 && `Only ${stockLeft} in stock.`,
    tier && `Volume price from ${tier.minQty} units.`,
    rules.leadTimeDays !== null && `Delivery within ${count(rules.leadTimeDays, 'business day')}.`,
    rules.returnPolicyDays !== null &&
      (rules.returnPolicyDays === 0
        ? 'No returns.'
        : `Returns within ${count(rules.returnPolicyDays, 'day')}.`),
  ].filter(Boolean)
  return terms.length === 0 ? null : terms.join(' ')
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
