/** What the operator's pages are made with. */
import type { AccountsContext } from '../../accounts/context.ts'
import type { MergeHooks } from '../../catalog/manage-products.service.ts'
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { Config } from '../../config.ts'
import type { Periodic } from '../../jobs/jobs.admin.service.ts'
import type { News } from '../../lib/news.ts'
import type { OauthContext } from '../../oauth/context.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { NodeSearch } from '../../search/facts.service.ts'
import type { Search } from '../../search/search.service.ts'
import type { SearchRuntime } from '../../search/start.ts'
import type { SourcesContext } from '../../sources/context.ts'
import type { MountedPage } from '../dashboard/guard.ts'
import type { Site } from '../site.ts'

export type AdminDeps = {
  config: Config
  site: Site
  ctx: RfqContext & { relationshipHooks: RelationshipHooks; mergeHooks: MergeHooks }
  oauth: OauthContext
  sources: SourcesContext
  /** With what other features do when an account ends. */
  accounts: AccountsContext
  /** What the runner runs; nothing where none does. */
  jobs?: readonly Periodic[]
  search: {
    search: Pick<Search, 'candidates' | 'search' | 'tried'>
    facts?: () => NodeSearch
    categoriesLike?: SearchRuntime['categoriesLike']
  }
  /** The pages of the dashboard, for the support view. */
  sellerPages: readonly MountedPage[]
  /** Resolves when this node shows what was committed before the call. */
  shown: () => Promise<void>
  jobNews: News
  /** Aborted when the node stops. */
  stopping: AbortSignal
  /** Null when everything is ready to serve, else the reason why not. */
  notReady: () => Promise<string | null>
}
