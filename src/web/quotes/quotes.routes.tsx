/** Asking sellers for quotes, and reading what they answer as it arrives. */
import type { Hono } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Site } from '../site.ts'

type Deps = { site: Site; config: Config; accounts: AccountsContext; rfq: RfqContext; offers: LiveOffers }

export function mountQuotes(_app: Hono<HttpEnv>, _deps: Deps): void {}
