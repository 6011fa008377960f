/** What a unit of each currency is in US dollars, as the operator said, and when. Kept with the catalog's settings. */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { readSetting, writeSetting } from './catalog.queries.ts'
import { recordChanges } from './changes.service.ts'
import type { Rates } from './import/currency.ts'
import { currencyNamed } from './import/money.ts'

const SETTING = 'currency_rates'
const CODE = /^[A-Z]{3}$/

export async function listRates(ctx: { db: Db }): Promise<Rates> {
  return ((await readSetting(ctx.db, SETTING)) ?? {}) as Rates
}

/** Gives some rates, and leaves the others as they are. */
export async function setRates(
  ctx: { db: Db; clock: Clock },
  { by, rates }: { by: AuditActor; rates: Readonly<Record<string, number>> },
): Promise<Rates> {
  const at = ctx.clock.now()
  return ctx.db.transaction().execute(async (tx) => {
    const said = Object.entries(rates).map(([currency, rate]) => [currency, { rate, at: at.toISOString() }])
    const all: Rates = { ...(await listRates({ db: tx })), ...Object.fromEntries(said) }
    await writeSetting(tx, SETTING, all)
    // Of no product and no category: every node that reads queries takes the new rates.
    await recordChanges(
      tx,
      [{ productId: null, categoryId: null, aspect: 'text', before: null, after: null }],
      at,
    )
    await recordAudit(tx, { actor: by, action: 'rates.set', at, detail: { rates } })
    return all
  })
}

/** "eur" is EUR. */
export function parseCurrency(text: string): string {
  const code = currencyNamed(text)
  if (typeof code === 'string' && CODE.test(code)) return code
  throw new AppError('invalid', `"${text}" is not a currency: use a code such as EUR`, { field: 'currency' })
}

/** "EUR=1.08": one euro is 1.08 US dollars. */
export function parseRate(text: string): [string, number] {
  const [currency = '', amount = ''] = text.split('=')
  const rate = Number(amount.trim().replace(',', '.'))
  if (Number.isFinite(rate) && rate > 0 && rate < 1e6) return [parseCurrency(currency), rate]
  throw new AppError(
    'invalid',
    `"${text}" is not a rate: write US dollars per unit, such as --rate EUR=1.08`,
    { field: 'rate' },
  )
}
