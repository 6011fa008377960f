/** A person's saved products, and what has changed of them. */
import type { Hono } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { Search } from '../../search/search.service.ts'
import type { Site } from '../site.ts'

type Deps = {
  site: Site
  config: Config
  accounts: AccountsContext
  search: { search: Search }
  offers: LiveOffers
}

export const SAVED_PATH = '/saved'

export function mountSaved(_app: Hono<HttpEnv>, _deps: Deps): void {}
