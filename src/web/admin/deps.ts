/** What the operator's pages are made with. */
import type { AccountsContext } from '../../accounts/context.ts'
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { Config } from '../../config.ts'
import type { Periodic } from '../../jobs/jobs.admin.service.ts'
import type { OauthContext } from '../../oauth/context.ts'
import type { OrgsContext } from '../../orgs/context.ts'
import type { NodeSearch } from '../../search/facts.service.ts'
import type { Search } from '../../search/search.service.ts'
import type { SearchRuntime } from '../../search/start.ts'
import type { Site } from '../site.ts'

export type AdminDeps = {
  config: Config
  site: Site
  ctx: OrgsContext & { relationshipHooks: RelationshipHooks }
  oauth: OauthContext
  /** With what other features do when an account ends. */
  accounts: AccountsContext
  /** What the runner runs; nothing where none does. */
  jobs?: readonly Periodic[]
  search: {
    search: Pick<Search, 'candidates'>
    facts?: () => NodeSearch
    categoriesLike?: SearchRuntime['categoriesLike']
  }
  /** Resolves when this node shows what was committed before the call. */
  shown: () => Promise<void>
  /** Null when everything is ready to serve, else the reason why not. */
  notReady: () => Promise<string | null>
}
