/** What the faces for agents work with: everything that the services behind them need, made once at start. */
import type { AccessTokenActor } from '../accounts/actor.ts'
import type { ProductReads } from '../catalog/product-reads.ts'
import type { RelationshipHooks } from '../catalog/relationships.service.ts'
import type { Config } from '../config.ts'
import type { LiveOffers } from '../offers/live-offers.ts'
import type { Bundles } from '../plans/bundles.service.ts'
import type { PlansContext } from '../plans/plans.service.ts'
import type { RfqContext } from '../rfq/context.ts'
import type { Search } from '../search/search.service.ts'

export type AgentsContext = Omit<RfqContext, 'config'> & {
  config: Config
  search: Search
  bundles: Bundles
  plans: PlansContext
  offers: LiveOffers
  reads: ProductReads
  relationshipHooks: RelationshipHooks
  findAccessToken(token: string): Promise<AccessTokenActor | null>
  /** Resolves when this node shows what was committed before the call; to be awaited after a write that pages show. */
  shown(): Promise<void>
  /** Aborted when the node stops: nobody is kept waiting by a node that takes no more requests. */
  stopping: AbortSignal
}
