/** Sixty products in six categories for trials without the demo catalog, enough for search, lists and bundles to have work. */
import { importCategories } from '../src/catalog/categories.service.ts'
import { importProducts } from '../src/catalog/import.service.ts'
import type { Db } from '../src/db/database.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'

const CATEGORIES: Array<{ slug: string; label: string; noun: string; fromUsd: number }> = [
  { slug: 'standing-desks', label: 'Standing desks', noun: 'standing desk', fromUsd: 240 },
  { slug: 'office-chairs', label: 'Office chairs', noun: 'office chair', fromUsd: 120 },
  { slug: 'desk-lamps', label: 'Desk lamps', noun: 'desk lamp', fromUsd: 25 },
  { slug: 'monitors', label: 'Monitors', noun: 'monitor', fromUsd: 160 },
  { slug: 'keyboards', label: 'Keyboards', noun: 'keyboard', fromUsd: 40 },
  { slug: 'kettles', label: 'Kettles', noun: 'electric kettle', fromUsd: 30 },
]
const BRANDS = ['Fernhill', 'Brasswick', 'Tidewater', 'Lume', 'Harbour']
const TRAITS = ['quiet', 'light', 'sturdy', 'compact', 'wide']
const FOR_EACH = 10

export async function bringProducts(db: Db): Promise<void> {
  const ctx = { db, clock: systemClock, log: createLog('silent') }
  await importCategories(
    ctx,
    CATEGORIES.map(({ slug, label }) => ({ slug, label })),
  )
  const rows = CATEGORIES.flatMap((category) =>
    Array.from({ length: FOR_EACH }, (_, n) => {
      const brand = BRANDS[n % BRANDS.length] ?? ''
      const trait = TRAITS[(n * 3) % TRAITS.length] ?? ''
      const low = category.fromUsd + n * 17
      return {
        slug: `${category.slug}-${n + 1}`,
        category: category.slug,
        title: `${brand} ${trait} ${category.noun} ${n + 1}`,
        brand,
        description: `A ${trait} ${category.noun} by ${brand} for people who work at home.`,
        verdict: `A ${trait} choice.`,
        specs: { Weight: `${n + 2} kg`, Warranty: `${1 + (n % 5)} years` },
        price: { low, high: low + 20 },
        list_price: low + 40,
        rating: 3 + (n % 5) / 2.5,
        review_count: 40 + n * 11,
      }
    }),
  )
  const bytes = (async function* () {
    yield Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
  })()
  await importProducts(ctx, bytes, { format: 'jsonl', source: 'trial', fingerprint: 'trial products' })
}
