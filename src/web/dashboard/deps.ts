/** What the pages of the dashboard are made with. */
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { Config } from '../../config.ts'
import type { PicturesContext } from '../../pictures/pictures.service.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Search } from '../../search/search.service.ts'
import type { SourcesContext } from '../../sources/context.ts'
import type { Site } from '../site.ts'

/** What the use cases behind all of these pages work with. */
type DashboardContext = RfqContext & { relationshipHooks: RelationshipHooks }

export type DashboardDeps = {
  config: Config
  site: Site
  ctx: DashboardContext
  /** The public catalog, looked through by words. */
  search: { search: Pick<Search, 'search'> }
  pictures: PicturesContext
  sources: SourcesContext
  /** Aborted when the node stops. */
  stopping: AbortSignal
  /** Resolves when this node shows what was committed before the call. */
  shown: () => Promise<void>
}
