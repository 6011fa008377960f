/** All 29 tools in the order they are listed: first what a shopper's agent needs, then what producers do. */

import { getEnrichmentStatus, submitEnrichment } from '../../catalog/enrichment.tools.ts'
import { importProducts } from '../../catalog/producer-import.tools.ts'
import { claimProduct } from '../../catalog/relationships.tools.ts'
import { submitProduct } from '../../catalog/submissions.tools.ts'
import { productCurator } from '../../curator/curator.tools.ts'
import { createOffer, pageOfOffers, updateOffer } from '../../offers/offers.operations.ts'
import { listMembers, setMember } from '../../orgs/team.operations.ts'
import { getPricingRules, setPricingRules } from '../../pricing/pricing.operations.ts'
import { getCatalogIssues } from '../../producers/issues.tools.ts'
import { listMyProducts } from '../../producers/my-products.tools.ts'
import { getPerformance } from '../../producers/performance.tools.ts'
import { findRetailers } from '../../rfq/find-retailers.tools.ts'
import { getAgentIntegration, setAgentIntegration } from '../../rfq/integration.tools.ts'
import { listRfqs } from '../../rfq/received.tools.ts'
import { simulateQuote } from '../../rfq/simulate.tools.ts'
import { listSavedProducts, removeSavedProduct, saveProduct } from '../../saved/saved.tools.ts'
import { listCategories, listCategoryProducts } from '../../search/browse.tools.ts'
import { findSimilar, getProduct } from '../../search/product.tools.ts'
import { searchProducts } from '../../search/search.tools.ts'
import type { Tool } from '../../tools/define-tool.ts'
import type { AgentsContext } from '../context.ts'
import { type Offer, offerTools, partOf } from './offered.ts'

export const TOOLS: ReadonlyArray<Tool<AgentsContext>> = [
  searchProducts,
  getProduct,
  findRetailers,
  listCategories,
  listCategoryProducts,
  findSimilar,
  productCurator,
  saveProduct,
  listSavedProducts,
  removeSavedProduct,
  listMyProducts,
  claimProduct,
  submitProduct,
  importProducts,
  getCatalogIssues,
  getEnrichmentStatus,
  submitEnrichment,
  pageOfOffers.tool,
  createOffer.tool,
  updateOffer.tool,
  getPricingRules.tool,
  setPricingRules.tool,
  simulateQuote,
  getAgentIntegration,
  setAgentIntegration,
  listRfqs,
  getPerformance,
  listMembers.tool,
  setMember.tool,
]

/**
 * The registry made ready, once for all that need it: the tool server, and the file that describes it. Converting thirty
 * pairs of schemas takes a tenth of a second, and what comes out depends on the program alone.
 */
let offered: Offer<AgentsContext> | null = null

export function offerRegistry(): Offer<AgentsContext> {
  offered ??= offerTools(TOOLS)
  return offered
}

/** Parts of the registry at addresses of their own, for clients in whose prompt every tool takes room. */
export const TOOLSETS = {
  shopping: {
    path: '/mcp/shopping',
    about: 'the tools for shoppers',
    has: (tool) => tool.audience === 'everyone',
  },
  selling: {
    path: '/mcp/selling',
    about: 'the tools for producers, and two that find products',
    has: (tool) => tool.audience === 'producers' || tool === searchProducts || tool === getProduct,
  },
  readonly: {
    path: '/mcp/readonly',
    about: 'the tools that change nothing',
    has: (tool) => tool.effects.readOnly,
  },
} satisfies Record<string, { path: string; about: string; has(tool: Tool<AgentsContext>): boolean }>
export type Toolset = keyof typeof TOOLSETS

export function offerToolset(name: Toolset): Offer<AgentsContext> {
  return partOf(offerRegistry(), TOOLSETS[name].has)
}
