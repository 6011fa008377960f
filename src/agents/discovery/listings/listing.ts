/**
 * What a file over the whole catalog is: llms.txt, the feeds, the sitemap. A pure description: what stands first, what
 * begins each category, what each product adds. Everything about keeping, joining and sending the pieces is elsewhere,
 * so that no file has a way of its own to go stale.
 */
import type { CategorySummary, ProductAddress } from '../../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'

export type ListingSite = {
  /** Public address without a trailing slash. */
  baseUrl: string
  mcpUrl: string
  /** True while the fictional demo catalog is loaded. */
  demo: boolean
}

/** As the listing sees the catalog before it comes to the products. */
export type CatalogOverview = {
  categories: CategorySummary[]
  productCount: number
}

export type Listing = {
  /** Such as `/llms.txt`. */
  path: string
  contentType: string
  /** Search engines are asked not to show the file itself, unless it is made for them. */
  forSearchEngines?: boolean
  head(site: ListingSite, catalog: CatalogOverview): string
  /** Before the first product of a category; categories without products have none. */
  section?(site: ListingSite, category: CategorySummary): string
  /** With what is promoted at this moment. Ends with a line break. */
  entry(site: ListingSite, profile: ProductProfile): string
  /** The same entry, of a listing that needs no more of a product than its address: no profile is read for it. */
  addressEntry?(site: ListingSite, product: ProductAddress): string
  foot?(site: ListingSite): string
  split?: ListingSplit
}

/**
 * Of a listing that may not grow without bound. While everything fits in one file, `path` is that file. Beyond that
 * `path` is the index, and the products are in parts that are whole files: the first opens with the listing's `head`,
 * the others with `partHead`, and all end with its `foot`.
 */
export type ListingSplit = {
  /** Of one file. A product is one entry, a section is one, the head has as many as it says. */
  maxEntries: number
  maxBytes: number
  headEntries(catalog: CatalogOverview): number
  partHead(site: ListingSite): string
  /** The path of the parts, counted from 1, such as `/sitemaps/2.xml`. */
  partPath(part: number): string
  /** The whole text of the index of these parts. */
  index(site: ListingSite, partPaths: string[]): string
}
