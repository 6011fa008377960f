/** Searches, for `/metrics`: where they came from, how they were answered, and how long that took. */
import type { SearchFace } from '../db/tables.search.ts'
import { counter, histogram } from '../lib/metrics.ts'

const searches = counter(
  'souk_searches_total',
  'Searches by interface, mode (semantic or keyword) and whether the answer was cached.',
  ['face', 'mode', 'remembered'],
)
const durations = histogram('souk_search_duration_seconds', 'Searches that were not cached.', ['mode'])

/** Null for an answer that was remembered. */
export function countSearch(face: SearchFace, mode: 'semantic' | 'keyword', ms: number | null): void {
  searches.inc(face, mode, ms === null ? 'true' : 'false')
  if (ms !== null) durations.observe(ms / 1_000, mode)
}
