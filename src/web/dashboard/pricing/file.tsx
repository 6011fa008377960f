/** /dashboard/pricing/import: prices, stock and shipping of many products from a file. Limits are not taken from one. */
import { markOf } from '../../../catalog/sheet-batch.ts'
import type { PricingContext } from '../../../pricing/pricing.service.ts'
import { MAX_FILE_ROWS } from '../../../pricing/pricing-file.ts'
import { type ImportedPricing, importPricing } from '../../../pricing/pricing-import.service.ts'
import type { Dashboard } from '../guard.tsx'
import { PRICING_PATH, pricingPath } from '../paths.ts'

export const FILE_PATH = `${PRICING_PATH}/import`

const SPEC = {
  ...({
    path: FILE_PATH,
    list: PRICING_PATH,
    noun: 'price',
    right: 'manage',
    maxRows: MAX_FILE_ROWS,
  } as const),
  title: 'Import prices and stock',
  lead: 'Set prices, stock and shipping of many products from a file. You see what would change before you save.',
  columns: {
    product_slug: 'The product; or sku, with its number.',
    variant: 'One of its variants, by its options, SKU or id: the row is then its price and stock.',
    price_usd: 'Your price in US dollars.',
    stock: 'Units in stock.',
    shipping_cost_usd: 'Shipping per order in US dollars.',
    lead_time_days: 'Business days until it is delivered.',
    delivery_regions: 'Where you deliver, such as US; Canada.',
  },
  href: pricingPath,
  confirm: 'Save rows whose limits are above the price too',
}

export function mountFile(dashboard: Dashboard, ctx: PricingContext): void {
  dashboard.csv(SPEC, async (act, { content, dryRun, agreed, confirmed }) => {
    const isAgreed = (imported: Omit<ImportedPricing, 'dryRun'>) =>
      agreed == null || markOf(rowsOf(imported)) === agreed
    const imported = await importPricing(ctx, act, { content, dryRun, confirmed, isAgreed })
    return { ...rowsOf(imported), dryRun: imported.dryRun, columns: imported.columns }
  })
}

function rowsOf({ changed, unchanged, failed }: Omit<ImportedPricing, 'dryRun' | 'columns'>) {
  return {
    changed: changed.map(({ line, productSlug: name, rules: what }) => ({ line, name, what })),
    unchanged,
    failed: failed.map(({ product: name, ...problem }) => ({ ...problem, name })),
  }
}
