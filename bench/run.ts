/** `npm run bench [-- section … --quick]`: what Souk costs beside the floor, as ratios within one run on one machine. */
import os from 'node:os'
import { benchBundles } from './bundles.ts'
import { benchImport } from './import.ts'
import { benchListings } from './listings.ts'
import { benchReads } from './reads.ts'
import { benchRfq } from './rfq.ts'
import { benchSearch } from './search.ts'
import { benchStart } from './start.ts'
import { benchTokens } from './tokens.ts'
import { benchTools } from './tools.ts'

const SECTIONS: Record<string, (options: { quick: boolean }) => Promise<Record<string, number>>> = {
  start: benchStart,
  reads: benchReads,
  import: benchImport,
  tokens: benchTokens,
  tools: benchTools,
  search: benchSearch,
  rfq: benchRfq,
  bundles: benchBundles,
  listings: benchListings,
}
/** What each ratio must be at least (or at most); everything else is only shown. */
const TARGETS: Record<string, { atLeast?: number; atMost?: number }> = {
  'reads.json_of_bare': { atLeast: 0.7 },
  'start.second_seconds': { atMost: 2 },
  'import.rss_mb': { atMost: 600 },
  'search.new_of_embedding': { atMost: 1.5 },
  'search.repeated_of_bare': { atLeast: 0.5 },
  'search.fastest_other_100k': { atLeast: 5 },
  'rfq.over_bare_new_seconds': { atMost: 0.5 },
  'rfq.over_bare_kept_seconds': { atMost: 0.5 },
  'rfq.after_slowest_new_seconds': { atMost: 0.5 },
  'rfq.after_slowest_kept_seconds': { atMost: 0.5 },
  'rfq.hanging_of_answering': { atMost: 1.25 },
  'tools.call_of_bare': { atMost: 2.5 },
  'tools.call_sdk_of_souk': { atLeast: 8 },
  'tools.categories_of_bare': { atMost: 2.5 },
  'tools.categories_sdk_of_souk': { atLeast: 8 },
  'tools.list_of_bare': { atMost: 2.5 },
  'tools.list_sdk_of_souk': { atLeast: 8 },
  'bundles.plan_ms_95': { atMost: 20 },
  'listings.shown_seconds': { atMost: 1 },
  'listings.rss_growth_mb': { atMost: 300 },
}

/** Smaller sizes where a section has them, for a first look. */
const quick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((name) => name !== '--quick')
const unknown = asked.filter((name) => !SECTIONS[name])
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. Sections: ${Object.keys(SECTIONS).join(', ')}`)
  process.exit(2)
}
console.log(
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, ${new Date().toISOString().slice(0, 10)}`,
)
const figures: Record<string, number> = {}
for (const [name, run] of Object.entries(SECTIONS))
  if (asked.length === 0 || asked.includes(name)) Object.assign(figures, await run({ quick }))

console.log('\nTargets')
for (const [name, { atLeast, atMost }] of Object.entries(TARGETS)) {
  const value = figures[name]
  if (value === undefined) continue
  const met = value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
  console.log(
    `  ${met ? 'met   ' : 'MISSED'} ${name} = ${value.toFixed(2)} (${atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`})`,
  )
}
