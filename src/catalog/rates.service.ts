/** What a unit of each currency is in US dollars, as the operator said, and when. Kept with the catalog's settings. */
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError, invalid } from '../lib/errors.ts'
import { lockSetting, readSetting, writeSetting } from './catalog.queries.ts'
import { recordChanges } from './changes.service.ts'
import type { Rates } from './import/currency.ts'
import { currencyNamed } from './import/money.ts'

const SETTING = 'currency_rates'
const CODE = /^[A-Z]{3}$/

export async function listRates(ctx: { db: Db }): Promise<Rates> {
  return ((await readSetting(ctx.db, SETTING)) ?? {}) as Rates
}

type RatesContext = { db: Db; clock: Clock }

/** Gives some rates, and leaves the others as they are. `of` is the day that they are from: now, unless it is given. */
export async function setRates(
  ctx: RatesContext,
  { by, rates, of }: { by: AuditActor; rates: Readonly<Record<string, number>>; of?: Date | undefined },
): Promise<Rates> {
  const since = (of ?? ctx.clock.now()).toISOString()
  const said = Object.entries(rates).map(([currency, rate]) => [currency, { rate, at: since }] as const)
  const change = (known: Rates): Rates => ({ ...known, ...Object.fromEntries(said) })
  return writeRates(ctx, { by, change, action: 'rates.set', detail: { rates } })
}

/** Prices that were converted stay as they are; files that come then have no rate for it. */
export async function removeRate(
  ctx: RatesContext,
  { by, currency }: { by: AuditActor; currency: string },
): Promise<Rates> {
  const change = ({ [currency]: gone, ...rest }: Rates): Rates => {
    if (!gone) throw new AppError('not_found', `there is no rate for ${currency}`, { field: 'currency' })
    return rest
  }
  return writeRates(ctx, { by, change, action: 'rates.removed', detail: { currency } })
}

type RatesChange = {
  by: AuditActor
  change: (known: Rates) => Rates
  action: string
  detail: Record<string, unknown>
}

async function writeRates(ctx: RatesContext, { by, change, action, detail }: RatesChange): Promise<Rates> {
  const at = ctx.clock.now()
  return ctx.db.transaction().execute(async (tx) => {
    // Two changes at once would each write all rates as it read them.
    await lockSetting(tx, SETTING)
    const all = change(await listRates({ db: tx }))
    await writeSetting(tx, SETTING, all)
    // Of no product and no category: every node that reads queries takes the new rates.
    await recordChanges(
      tx,
      [{ productId: null, categoryId: null, aspect: 'text', before: null, after: null }],
      at,
    )
    await recordAudit(tx, { actor: by, action, at, detail })
    return all
  })
}

/** "eur" is EUR. */
export function parseCurrency(text: string): string {
  const code = currencyNamed(text)
  if (typeof code === 'string' && CODE.test(code)) return code
  throw invalid('currency', `"${text}" is not a currency: use a code such as EUR`)
}

/** "EUR=1.08": one euro is 1.08 US dollars. */
export function parseRate(text: string): [string, number] {
  const [currency = '', amount = ''] = text.split('=')
  const rate = Number(amount.trim().replace(',', '.'))
  if (Number.isFinite(rate) && rate > 0 && rate < 1e6) return [parseCurrency(currency), rate]
  throw invalid('rate', `"${text}" is not a rate: write US dollars per unit, such as --rate EUR=1.08`)
}
