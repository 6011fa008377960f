/** What the tools work with: everything the services behind them need, made once at start. */
import type { AccountsContext } from '../../accounts/context.ts'
import type { Bundles } from '../../bundles/bundles.service.ts'
import type { ProductReads } from '../../catalog/product-reads.ts'
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Search } from '../../search/search.service.ts'

export type ToolsContext = Omit<RfqContext, 'config'> & {
  config: AccountsContext['config']
  relationshipHooks: RelationshipHooks
  search: Search
  bundles: Bundles
  offers: LiveOffers
  reads: ProductReads
  /** Resolves when this node shows what was committed before the call; to be awaited after a write that pages show. */
  shown(): Promise<void>
}
