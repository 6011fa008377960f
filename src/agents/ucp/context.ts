/** What the UCP face works with; the A2A face's context has all of it. */
import type { AccountSecrets } from '../../accounts/secrets.ts'
import type { ProductReads } from '../../catalog/product-reads.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Outbound } from '../../lib/outbound.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { Search } from '../../search/search.service.ts'

export type UcpContext = {
  db: Db
  clock: Clock
  config: Pick<Config, 'baseUrl' | 'trustProxy'>
  search: Pick<Search, 'search' | 'index' | 'understand' | 'embed' | 'byMeaning'>
  offers: Pick<LiveOffers, 'of' | 'changedAt' | 'isSponsored' | 'version'>
  reads: Pick<ProductReads, 'count'>
  outbound: Pick<Outbound, 'request'>
  secrets: Pick<AccountSecrets, 'throttleKey'>
}

export type UcpCaller = {
  /** What the platform calls itself. */
  agent: string
  ip: string | null
  /** Whether one more product that this network read is to be counted. */
  countsRead(): boolean
}
