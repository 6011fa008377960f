/** What pages are made with, made once at start; each names what it needs of it. */
import type { AccountsContext } from '../accounts/context.ts'
import type { AgentsContext } from '../agents/context.ts'
import type { Config } from '../config.ts'
import type { OauthContext } from '../oauth/context.ts'
import type { LiveOffers } from '../offers/live-offers.ts'
import type { OrgsContext } from '../orgs/context.ts'
import type { Bundles } from '../plans/bundles.service.ts'
import type { PlanOfDay } from '../plans/plan-of-day.ts'
import type { PlansContext } from '../plans/plans.service.ts'
import type { RfqContext } from '../rfq/context.ts'
import type { Search } from '../search/search.service.ts'
import type { SearchLimit } from '../search/search-limit.ts'
import type { Site } from './site.ts'

export type PageDeps = {
  site: Site
  config: Config
  accounts: AccountsContext
  oauth: OauthContext
  orgs: OrgsContext
  rfq: RfqContext
  plans: PlansContext
  bundles: Bundles
  planOfDay: PlanOfDay
  offers: LiveOffers
  search: { search: Search }
  searchLimit: SearchLimit
  a2a: Pick<AgentsContext, 'stopping'>
}
