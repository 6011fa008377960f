/** /rates.json: the operator's rates, from which the script works out what prices are about in another currency. */
import type { Hono } from 'hono'
import { listRates } from '../catalog/rates.service.ts'
import type { Db } from '../db/database.ts'
import type { HttpEnv } from '../http/env.ts'

export function mountRates(app: Hono<HttpEnv>, { db }: { db: Db }): void {
  app.get('/rates.json', async (c) => {
    const said = Object.entries(await listRates({ db })).filter(([code]) => code !== 'USD')
    const rates = Object.fromEntries(said.map(([code, { rate, at }]) => [code, { usd: rate, at }]))
    return c.json({ rates }, 200, { 'Cache-Control': 'public, max-age=300' })
  })
}
