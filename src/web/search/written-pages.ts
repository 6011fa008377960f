/**
 * Pages of results that were written before. As long as the search gives the very answer of then, the page is the same to
 * the letter but for the id of the query, for everybody who is not shown a plan; so popular searches cost no more than a
 * cached page. The answer's own identity says whether it still holds: a change of the catalog or of an offer makes a
 * new one.
 */
import type { Answered } from './find-results.ts'

export type WrittenPages = {
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
      // What was written last goes last.
      pages.delete(address)
      pages.set(address, { results, parts: html.split(queryId) })
      for (const [oldest] of pages) {
        if (pages.size <= most) break
        pages.delete(oldest)
      }
    },
  }
}
