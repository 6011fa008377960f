/**
 * A cache of rendered results pages, so that popular searches cost no more than a static page. Pages without a plan
 * differ between visitors only in the query id. A page is valid while the search returns the same answer object, which
 * any change of the catalog or an offer replaces.
 */
import type { Answered } from './find-results.ts'

type WrittenPages = {
  find(address: string, answer: Answered): string | null
  keep(address: string, answer: Answered, html: string): void
}

/** About 40 KB each. */
const MOST_PAGES = 300

export function createWrittenPages(most = MOST_PAGES): WrittenPages {
  const pages = new Map<string, { results: Answered['results']; parts: string[] }>()
  return {
    find(address, { results, queryId }) {
      const known = pages.get(address)
      return known?.results === results ? known.parts.join(queryId) : null
    },
    keep(address, { results, queryId }, html) {
      // Moves the address to the end: the oldest is dropped first.
      pages.delete(address)
      pages.set(address, { results, parts: html.split(queryId) })
      for (const [oldest] of pages) {
        if (pages.size <= most) break
        pages.delete(oldest)
      }
    },
  }
}
