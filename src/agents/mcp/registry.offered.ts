/**
 * The registry made ready, once for all that need it: the tool server, and the file that describes it. Converting thirty
 * pairs of schemas takes a tenth of a second, and what comes out depends on the program alone.
 */
import type { ToolsContext } from './context.ts'
import { type Offer, offerTools } from './offered.ts'
import { TOOLS } from './registry.ts'

let offered: Offer<ToolsContext> | null = null

export function offerRegistry(): Offer<ToolsContext> {
  offered ??= offerTools(TOOLS)
  return offered
}
