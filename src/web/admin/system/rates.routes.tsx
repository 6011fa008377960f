/** /admin/settings/rates: what a unit of each currency is in US dollars, and since when. */
import { z } from 'zod'
import { listRates, parseCurrency, removeRate, setRates } from '../../../catalog/rates.service.ts'
import { FormPanel, type FormSpec, formOf } from '../../kit/form.tsx'
import { column, daysSince, defineList, WAITING, within } from '../../kit/list.tsx'
import { Action } from '../../kit/parts.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { RATES } from '../nav.ts'

type Row = { currency: string; rate: number; at: Date }

const LIST = defineList(RATES, 'rate', {
  search: 'Currency',
  filters: { older: { ...WAITING, label: 'Older than', any: 'Any age' } },
})
const FORM: FormSpec = {
  currency: {
    kind: 'text',
    label: 'Currency',
    max: 20,
    required: true,
    hint: 'A code such as EUR. A rate that is there is changed.',
  },
  rate: { kind: 'text', label: 'US dollars for one unit', max: 20, required: true, hint: 'Such as 1.08.' },
  of: { kind: 'date', label: 'Rate of (optional)', hint: 'The day the rate is from; today if empty.' },
}
const RateInput = z.object({
  currency: z.string().trim().min(1).max(20),
  rate: z
    .string()
    .trim()
    .transform((text) => Number(text.replace(',', '.')))
    .refine(
      (rate) => Number.isFinite(rate) && rate > 0 && rate < 1e6,
      'must be a number above 0, such as 1.08',
    ),
  of: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day, such as 2026-11-30')
    .refine((day) => !Number.isNaN(Date.parse(day)), 'must be a day, such as 2026-11-30')
    .optional(),
})

export function mountRatesPage(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<Row, typeof LIST.filters>(LIST, async ({ asked, state }) => {
    const now = ctx.clock.now()
    const all = Object.entries(await listRates(ctx))
      .map(([currency, { rate, at }]): Row => ({ currency, rate, at: new Date(at) }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1))
    return {
      title: 'Exchange rates',
      lead: 'Files with prices in other currencies are read with these rates. Prices that were read before keep theirs.',
      said: { saved: 'Rate saved.', removed: 'Rate removed.' },
      ...within(all, asked, {
        words: ({ currency }) => currency,
        by: { older: ({ at }) => daysSince(at, now) },
      }),
      columns: [
        column.text('Currency', 'currency'),
        { label: 'US dollars for one', kind: 'number', cell: ({ rate }) => rate, csv: ({ rate }) => rate },
        column.ago('Rate of', 'at', now),
        column.actions('Remove', ({ currency }) => (
          <Action to={`${RATES}/remove`} label="Remove" about={currency} fields={{ currency }} ask="Remove">
            <p>Files with prices in {currency} lose their prices until there is a rate again.</p>
          </Action>
        )),
      ],
      empty: <p>No rates yet. Without one, prices in that currency are left out of imports.</p>,
      below: (
        <FormPanel title="Add or change a rate" action={RATES} label="Save rate" of={FORM} state={state} />
      ),
    }
  })

  admin.action(RATES, {
    ...{ schema: formOf(FORM, RateInput), shows: true, done: 'saved' },
    act: ({ operator: { by }, input: { currency, rate, of } }) =>
      setRates(ctx, {
        by,
        rates: { [parseCurrency(currency)]: rate },
        of: of === undefined ? undefined : new Date(of),
      }),
  })
  admin.action(`${RATES}/remove`, {
    ...{ schema: z.object({ currency: z.string().max(10) }), shows: true, done: 'removed' },
    act: ({ operator: { by }, input: { currency } }) => removeRate(ctx, { by, currency }),
  })
}
