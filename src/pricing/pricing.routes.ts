/** A file of prices over REST: as a text of JSON, or the file itself as `text/csv` with the rest in the query. */
import { Readable } from 'node:stream'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { readBody, readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { toWire } from '../lib/entity.ts'
import { parseInput } from '../lib/validate.ts'
import type { ProducerGuard } from '../orgs/producer.http.ts'
import type { PricingContext } from './pricing.service.ts'
import { MAX_FILE_BYTES } from './pricing-file.ts'
import { type ImportedPricing, importPricing } from './pricing-import.service.ts'

const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((word) => word === 'true' || word === '1')
const Query = z.object({ dry_run: flag, confirm: flag })
const Body = z.object({
  content: z.string(),
  dry_run: z.boolean().default(false),
  confirm: z.boolean().default(false),
})
/** Quotes and line ends take two characters each in JSON. */
const MAX_JSON_BYTES = 2 * MAX_FILE_BYTES

export function mountPricingFile(app: Hono<HttpEnv>, ctx: PricingContext, guard: ProducerGuard): void {
  app.post('/api/org/pricing/import', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { bytes, dry_run: dryRun, confirm: confirmed } = await readFile(c)
    const imported = await importPricing(ctx, act, { content: Readable.from([bytes]), dryRun, confirmed })
    return c.json(wireImported(imported), 200, { 'Cache-Control': 'no-store' })
  })
}

async function readFile(c: Context): Promise<z.output<typeof Query> & { bytes: Buffer }> {
  if (c.req.header('content-type')?.startsWith('text/'))
    return { ...parseInput(Query, c.req.query()), bytes: await readBody(c, MAX_FILE_BYTES) }
  const { content, ...wish } = await readJson(c, Body, MAX_JSON_BYTES)
  return { ...wish, bytes: Buffer.from(content) }
}

function wireImported({ dryRun, changed, unchanged, failed, columns }: ImportedPricing) {
  return { dry_run: dryRun, changed: changed.map(toWire), unchanged, failed, columns }
}
