/**
 * `npm run bench [-- section …]`: what Souk costs beside the floor and beside others, as ratios within one run on one
 * machine. What was measured is kept in docs/benchmarks.json, and docs/benchmarks.md is written from it. `--check`
 * compares with what is kept instead, and ends with exit code 1 if something got worse; `--quick` looks at smaller sizes
 * and keeps nothing; `--sizes 1000,10000` is for the growth and for nodes without a catalog.
 */
import { parseArgs } from 'node:util'
import { benchBundles } from './bundles.ts'
import { findWorse } from './check.ts'
import { benchEmbedding } from './embedding.ts'
import { benchFetched } from './fetched.ts'
import type { Figures } from './figures.ts'
import { benchImport } from './import.ts'
import { benchImporting } from './importing.ts'
import { benchListings } from './listings.ts'
import { takeTables } from './measure.ts'
import { benchReads } from './reads.ts'
import { type Kept, keep, machine, printStanding, readKept } from './report.ts'
import { benchRfq } from './rfq.ts'
import { benchScale } from './scale.ts'
import { benchSearch } from './search.ts'
import { benchStart } from './start.ts'
import { benchSuggest } from './suggest.ts'
import { benchTokens } from './tokens.ts'
import { benchTools } from './tools.ts'
import { benchUploads } from './uploads.ts'
import { benchVariants } from './variants.ts'

type Options = { quick: boolean; sizes?: number[]; chart?: null }

const SECTIONS: Record<string, (options: Options) => Promise<Figures>> = {
  start: benchStart,
  reads: benchReads,
  search: benchSearch,
  suggest: benchSuggest,
  variants: benchVariants,
  tools: benchTools,
  tokens: benchTokens,
  rfq: benchRfq,
  bundles: benchBundles,
  import: benchImport,
  importing: benchImporting,
  embedding: benchEmbedding,
  uploads: benchUploads,
  listings: benchListings,
  scale: benchScale,
  fetched: benchFetched,
}

class UsageError extends Error {}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  return 2
})

async function main(): Promise<number> {
  const { asked, check, ...options } = readArguments()
  const { cpu, node } = machine()
  console.log(`Node ${node}, ${cpu}`)
  const kept: Kept = {}
  for (const [name, run] of Object.entries(SECTIONS)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const started = performance.now()
    const figures = await run({ ...options, ...(check && { chart: null }) })
    const seconds = Math.round((performance.now() - started) / 1000)
    // A catalog as large as was asked for is kept apart from the small ones of every run.
    const kind = name === 'scale' && options.sizes ? 'growth' : name
    kept[kind] = { ...machine(), seconds, tables: takeTables(), figures }
    console.log(`\n${name}: ${seconds} s`)
  }
  printStanding(kept)
  if (check) return tellWorse(kept)
  if (!options.quick) keep(kept)
  return 0
}

function readArguments(): Options & { asked: string[]; check: boolean } {
  const { values, positionals } = parse()
  const unknown = positionals.filter((name) => !SECTIONS[name])
  if (unknown.length > 0)
    throw new UsageError(
      `There is no section ${unknown.join(', ')}. Sections: ${Object.keys(SECTIONS).join(', ')}`,
    )
  const sizes = values.sizes?.split(',').map(Number)
  if (sizes?.some((size) => !Number.isInteger(size) || size < 1_000 || size > 10_000_000))
    throw new UsageError('--sizes takes numbers of products from 1000 on, as in --sizes 1000,10000')
  return {
    asked: positionals,
    quick: values.quick ?? false,
    check: values.check ?? false,
    ...(sizes && { sizes }),
  }
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { quick: { type: 'boolean' }, check: { type: 'boolean' }, sizes: { type: 'string' } },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Says what got worse than what is kept, if anything did. */
function tellWorse(now: Kept): number {
  const before = readKept()
  const worse = Object.entries(now).flatMap(([name, { figures }]) =>
    findWorse(before[name]?.figures ?? {}, figures),
  )
  console.log(worse.length === 0 ? '\nNothing got worse than what is kept' : '\nWorse than what is kept')
  for (const { name, before: was, now: is, room } of worse)
    console.log(
      `  ${name}: ${was.toFixed(2)} before, ${is.toFixed(2)} now (up to ${Math.round(room * 100)} % may be noise)`,
    )
  return worse.length === 0 ? 0 : 1
}
