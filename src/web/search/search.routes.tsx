/** The page of search results. */
import type { Hono } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import type { Bundles } from '../../bundles/bundles.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { Search } from '../../search/search.service.ts'
import type { Site } from '../site.ts'

type Deps = {
  site: Site
  accounts: AccountsContext
  search: { search: Search }
  bundles: Bundles
  offers: LiveOffers
}

export function mountSearchPage(_app: Hono<HttpEnv>, _deps: Deps): void {}
