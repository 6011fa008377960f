/** What the home page proves itself with: a wish answered by the real search, quotes for what it found, deals of now. */
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { getProfiles } from '../../catalog/catalog.service.ts'
import { priceNow } from '../../catalog/profile.buying.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { withOffers } from '../../catalog/promoted-offer.ts'
import type { Db } from '../../db/database.ts'
import { type Clock, DAY_MS } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { Ranked } from '../../rfq/quote.schema.ts'
import type { Search } from '../../search/search.service.ts'
import { EXAMPLES } from '../components/examples.tsx'

export type Front = {
  wish: { text: string; found: Array<{ profile: ProductProfile; reason: string }> } | null
  quotes: { profile: ProductProfile; ranked: Ranked[] } | null
  deals: ProductProfile[]
  /** Where agents connect. */
  mcpUrl: string
  /** When another one should be made. */
  until: Date
}

type FrontDeps = {
  db: Db
  clock: Clock
  offers: Pick<LiveOffers, 'of' | 'changedAt' | 'steepest'>
  search: () => Pick<Search, 'search'>
  /** What demo sellers quote; real sellers' quotes are for who asks. */
  demoQuotes: (profile: ProductProfile) => Promise<Ranked[]>
  demo: boolean
  mcpUrl: string
}

const FOUND = 3
const DEALS = 4
const KEPT_MS = 600_000
const UNREADY_MS = 5_000
const LEAST_QUOTES = 2

export async function makeFront(deps: FrontDeps, categories: readonly CategorySummary[]): Promise<Front> {
  const { db, clock, offers, demo, mcpUrl } = deps
  const now = clock.now().getTime()
  const load = async (ids: string[]) =>
    (await getProfiles({ db }, ids)).map((profile) => withOffers(profile, offers))
  const deals = (await load(offers.steepest(DEALS * 2))).filter(isDeal).slice(0, DEALS)
  const text = demo ? EXAMPLES[Math.floor(now / DAY_MS) % FITTING_EXAMPLES] : wishFor(categories)
  const wish = text === undefined ? null : await findFor(text)
  const quotes = demo ? await firstQuoted(wish?.found ?? []) : null
  const isReady = wish !== null || text === undefined
  return { wish, quotes, deals, mcpUrl, until: new Date(now + (isReady ? KEPT_MS : UNREADY_MS)) }

  /** Null while search cannot answer, or when nothing fits. */
  async function findFor(query: string): Promise<Front['wish']> {
    try {
      const asked = { query, filters: { excludeDiscontinued: true }, limit: FOUND }
      const answer = await deps.search().search({ ...asked, face: 'web', unlogged: true })
      if (answer.match !== 'good') return null
      const profiles = new Map((await load(answer.productIds)).map((profile) => [profile.slug, profile]))
      const found = answer.results.flatMap(({ slug, reason }) => {
        const profile = profiles.get(slug)
        return profile ? [{ profile, reason }] : []
      })
      return found.length > 0 ? { text: query, found } : null
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') return null
      throw error
    }
  }

  async function firstQuoted(found: ReadonlyArray<{ profile: ProductProfile }>): Promise<Front['quotes']> {
    for (const { profile } of found) {
      const ranked = await deps.demoQuotes(profile)
      if (ranked.length >= LEAST_QUOTES) return { profile, ranked }
    }
    return null
  }
}

/** The last example asks for a plan, which has its own place on the page. */
const FITTING_EXAMPLES = EXAMPLES.length - 1

function isDeal(profile: ProductProfile): boolean {
  return !profile.discontinued && (priceNow(profile)?.wasCents ?? null) !== null
}

/** A wish that any catalog can answer: its largest category below the middle of its prices. */
function wishFor(categories: readonly CategorySummary[]): string | undefined {
  const [largest] = categories.toSorted((a, b) => b.productCount - a.productCount)
  if (!largest || largest.productCount < FOUND) return undefined
  const { label, priceLowCents: low, priceHighCents: high } = largest
  if (low === null || high === null || low === high) return `best rated ${label.toLowerCase()}`
  const middle = Math.sqrt(Math.max(low, 100) * high) / 100
  const step = 10 ** Math.max(0, Math.floor(Math.log10(middle)) - 1) * 5
  return `best rated ${label.toLowerCase()} under $${Math.max(step, Math.ceil(middle / step) * step)}`
}
