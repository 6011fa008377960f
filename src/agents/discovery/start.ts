/** Every file over the whole catalog that this service publishes, kept by one node. */
import { TOOLS } from '../mcp/registry.ts'
import { GOOGLE_FEED, OPENAI_FEED } from './listings/feeds.ts'
import { createListings, type Listings, type ListingsOptions } from './listings/listings.ts'
import { createLlmsTxt, LLMS_FULL } from './listings/llms.ts'
import { SITEMAP } from './listings/sitemap.ts'

export function createCatalogListings(options: Omit<ListingsOptions, 'listings'>): Listings {
  const listings = [createLlmsTxt(TOOLS), LLMS_FULL, OPENAI_FEED, GOOGLE_FEED, SITEMAP]
  return createListings({ ...options, listings })
}
