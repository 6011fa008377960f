/** What the A2A face works with, made once at start, and who is calling it. */
import type { AccessTokenActor, Person } from '../../accounts/actor.ts'
import type { AccountsContext, Visit } from '../../accounts/context.ts'
import type { Bundles } from '../../bundles/bundles.service.ts'
import type { ProductReads } from '../../catalog/product-reads.ts'
import type { Config } from '../../config.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { findAccessToken } from '../../oauth/tokens.service.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Search } from '../../search/search.service.ts'

export type A2aContext = Omit<RfqContext, 'config'> & {
  config: AccountsContext['config'] & Pick<Config, 'mcpUrl' | 'trustProxy'>
  search: Search
  bundles: Bundles
  reads: ProductReads
  offers: Pick<LiveOffers, 'of' | 'changedAt' | 'isOnSale' | 'isSponsored' | 'version'>
  findAccessToken(token: string): Promise<AccessTokenActor | null>
  /** Aborted when the node stops: nobody is kept waiting by a node that takes no more requests. */
  stopping: AbortSignal
  /** Test-only: messages whose id starts with the official kit's prefixes steer the answer. */
  testKit: boolean
}

export function createA2aContext(deps: {
  rfq: RfqContext
  oauth: OauthContext
  config: Config
  search: Search
  bundles: Bundles
  offers: LiveOffers
  reads: ProductReads
  stopping?: AbortSignal
}): A2aContext {
  const { rfq, oauth, config, search, bundles, offers, reads, stopping = new AbortController().signal } = deps
  return {
    ...rfq,
    config,
    search,
    bundles,
    offers,
    reads,
    findAccessToken: (token) => findAccessToken(oauth, token),
    stopping,
    testKit: config.testFixtures,
  }
}

export type A2aCaller = {
  /** Null for a stranger. */
  user: Person | null
  clientId: string | null
  /** What the client calls itself; for a stranger by its user agent, if it names one. */
  agent: string
  visit: Visit
}
