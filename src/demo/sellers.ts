/**
 * The sellers that come with the demo catalog: the shops that its products name, two wholesalers that carry all of it, and
 * two makers. All are invented, at names under `.example`. Ids are fixed, so that what a later version changes finds them
 * again. Nothing here is random: what differs from product to product follows from a hash of both names.
 */
import type { OrgType } from '../db/tables.producers.ts'

/** How prices and terms of one seller spread over its products; amounts of money in cents. */
type Terms = {
  /** Percent of what is listed, lowest and highest. A shop that lists its own price keeps to it. */
  pricePct: readonly [number, number]
  shippingCents: number
  /** From this unit price on, shipping is free. */
  freeFromCents: number | null
  leadDays: readonly [number, number]
  returnDays: number
  maxDiscountPct: number
  /** Null: delivers everywhere. */
  regions: readonly string[] | null
  /** Of a hundred products, how many are sold out. */
  soldOut: number
}

export type DemoSeller = {
  id: string
  name: string
  orgType: OrgType
  domain: string
  /** Wholesalers carry every product; the others what lists them, or what they make. */
  carries: 'listed' | 'made' | 'all'
  tiers: ReadonlyArray<{ min_qty: number; discount_pct: number }>
  terms: Terms
  /** One product in so many is on sale; null: none. */
  saleEvery: number | null
  /** Answers by an agent of its own instead of managed pricing. */
  agent: { authType: 'bearer' | 'hmac'; pace: 'quick' | 'slow' } | null
}

/** As they are stored: a country whose code is also a state's stands by its name. */
const US = ['US'] as const
const NORTH_AMERICA = ['US', 'Canada'] as const
const WIDE = ['US', 'Canada', 'GB', 'Germany', 'FR', 'Netherlands', 'AU'] as const

const USUAL: Terms = {
  pricePct: [100, 100],
  shippingCents: 999,
  freeFromCents: 15_000,
  leadDays: [2, 5],
  returnDays: 30,
  maxDiscountPct: 15,
  regions: NORTH_AMERICA,
  soldOut: 4,
}

type Given = Omit<DemoSeller, 'id' | 'terms' | 'agent' | 'saleEvery'> & {
  terms: Partial<Terms>
  saleEvery?: number
  agent?: DemoSeller['agent']
}

const GIVEN: readonly Given[] = [
  {
    ...shop('Marlowe Market', 'marlowemarket.example', [5, 4], [20, 8]),
    terms: { shippingCents: 799, leadDays: [2, 4] },
    saleEvery: 18,
  },
  {
    ...shop('Ninth Street Electronics', 'ninthstreet.example', [5, 3]),
    terms: {},
    saleEvery: 30,
    agent: { authType: 'hmac', pace: 'quick' },
  },
  {
    ...shop('Trailhead Depot', 'trailheaddepot.example', [4, 5], [12, 10]),
    terms: { shippingCents: 1_299, leadDays: [3, 6], returnDays: 60 },
    saleEvery: 14,
  },
  {
    ...shop('Harbor & Hearth', 'harborhearth.example', [3, 3], [10, 7]),
    terms: { freeFromCents: 20_000, regions: US },
    saleEvery: 16,
  },
  {
    ...shop('Fernhill Supply', 'fernhill.example', [10, 6], [50, 12]),
    terms: { shippingCents: 0, freeFromCents: null, leadDays: [4, 8], maxDiscountPct: 12 },
  },
  {
    ...shop('Cobalt & Clay', 'cobaltclay.example', [6, 4]),
    terms: { shippingCents: 1_199, leadDays: [2, 3], returnDays: 45, regions: US },
    saleEvery: 20,
  },
  {
    ...shop('Paperclip Office', 'paperclipoffice.example', [10, 5]),
    terms: {},
    agent: { authType: 'bearer', pace: 'slow' },
  },
  {
    ...shop('Quayside Goods', 'quayside.example', [4, 3], [8, 6]),
    terms: { shippingCents: 1_499, freeFromCents: null, regions: WIDE, leadDays: [4, 9] },
    saleEvery: 12,
  },
  {
    ...shop('Little Acorn', 'littleacorn.example', [2, 2], [6, 5]),
    terms: { freeFromCents: 7_500, leadDays: [1, 3], returnDays: 90 },
    saleEvery: 15,
  },
  {
    ...shop('Workbench Direct', 'workbenchdirect.example', [5, 5], [25, 11]),
    terms: { shippingCents: 1_899, leadDays: [3, 5], regions: US },
    saleEvery: 10,
  },
  {
    ...wholesaler('Northbridge Wholesale', 'northbridge.example', [5, 3], [20, 7], [100, 11]),
    terms: {
      pricePct: [98, 105],
      shippingCents: 1_995,
      freeFromCents: 50_000,
      leadDays: [3, 7],
      returnDays: 14,
    },
  },
  {
    ...wholesaler('Oakline Distribution', 'oakline.example', [10, 6], [40, 12]),
    terms: { pricePct: [100, 107], shippingCents: 0, freeFromCents: null, leadDays: [6, 10], regions: null },
  },
  { ...maker('Hearthline', 'hearthline.example', [10, 8]), terms: { freeFromCents: 10_000, returnDays: 60 } },
  { ...maker('Tamrel', 'tamrel.example', [5, 4], [25, 9]), terms: { leadDays: [5, 9], regions: WIDE } },
]

export const DEMO_SELLERS: readonly DemoSeller[] = GIVEN.map(({ terms, ...seller }, at) => ({
  saleEvery: null,
  agent: null,
  ...seller,
  id: `01930000-0000-7000-8000-${String(at + 1).padStart(12, '0')}`,
  // A wholesaler always has it: every demo product has two sellers in stock.
  terms: { ...USUAL, ...terms, ...(seller.carries === 'all' && { soldOut: 0 }) },
}))

type Tier = readonly [minQty: number, discountPct: number]

function shop(name: string, domain: string, ...tiers: Tier[]) {
  return { name, domain, orgType: 'retailer', carries: 'listed', tiers: tiers.map(asTier) } as const
}

function wholesaler(name: string, domain: string, ...tiers: Tier[]) {
  return { name, domain, orgType: 'distributor', carries: 'all', tiers: tiers.map(asTier) } as const
}

function maker(name: string, domain: string, ...tiers: Tier[]) {
  return { name, domain, orgType: 'manufacturer', carries: 'made', tiers: tiers.map(asTier) } as const
}

function asTier([min_qty, discount_pct]: Tier) {
  return { min_qty, discount_pct }
}

/** The name that a seller's agent answers at. */
export function agentHost({ domain }: Pick<DemoSeller, 'domain'>): string {
  return `agent.${domain}`
}
