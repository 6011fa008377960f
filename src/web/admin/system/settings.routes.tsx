/** /admin/settings: every setting with its value and where that comes from, and a test of the email settings. */
import { z } from 'zod'
import { sendTestMail } from '../../../accounts/mail-test.service.ts'
import { listBackups } from '../../../backup/records.service.ts'
import { listRates } from '../../../catalog/rates.service.ts'
import { countJudgedQueries, listRules } from '../../../search/tuning.service.ts'
import { countOf } from '../../format.ts'
import { FormPanel, type FormSpec } from '../../kit/form.tsx'
import { choice, column, defineList, within } from '../../kit/list.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { BACKUPS, JUDGED, RATES, SETTINGS, TUNING } from '../nav.ts'

type Row = {
  name: string
  value: string
  from: 'environment' | 'database' | 'default'
  takes: string
  href?: string
}

const FROM_WORDS = { environment: 'Environment', database: 'Database', default: 'Default' }
const LIST = defineList(SETTINGS, 'setting', {
  search: 'Name or value',
  pageSize: 100,
  filters: { from: choice('Comes from', FROM_WORDS) },
})
const FORM: FormSpec = {
  to: { kind: 'email', label: 'Send a test email to', max: 254, required: true, autocomplete: 'email' },
}
const MailForm = z.object({ to: z.email('Write an email address.').max(254) })

export function mountSettings(admin: Admin, { ctx, config }: AdminDeps): void {
  async function rowsOfDatabase(): Promise<Row[]> {
    const rates = Object.keys(await listRates(ctx))
    const [backup] = await listBackups(ctx)
    const row = (name: string, href: string, value: string): Row => ({
      name,
      href,
      value,
      from: 'database',
      takes: `Change it at ${href}`,
    })
    return [
      row('Exchange rates', RATES, rates.length === 0 ? 'none' : rates.join(', ')),
      row('Search rules', TUNING, countOf((await listRules(ctx)).length, 'rule')),
      row('Judged queries', JUDGED, countOf(await countJudgedQueries(ctx), 'query')),
      row('Last backup', BACKUPS, backup?.at ?? 'none'),
    ]
  }

  admin.list<Row, typeof LIST.filters>(LIST, async ({ asked, state }) => {
    const all: Row[] = [...config.settings, ...(await rowsOfDatabase())]
    return {
      title: 'Settings',
      lead: 'What this node runs with. To change a setting of the environment, set the variable and restart.',
      said: {
        server: 'Sent: the mail server accepted the email.',
        outbox: 'Written to the outbox of this node: SMTP_URL is not set, so no email leaves this machine.',
      },
      ...within(all, asked, {
        words: ({ name, value }) => `${name} ${value}`,
        by: { from: ({ from }) => from },
      }),
      columns: [
        column.text('Name', 'name', ({ name, href }) =>
          href === undefined ? <code class="whole">{name}</code> : <a href={href}>{name}</a>,
        ),
        column.text('Value', 'value', ({ value }) => <span class="finding">{value}</span>),
        {
          label: 'Comes from',
          csv: ({ from }) => FROM_WORDS[from],
          cell: ({ from }) => <span class="whole">{FROM_WORDS[from]}</span>,
        },
        column.text('Takes', 'takes'),
      ],
      empty: <p>No settings.</p>,
      below: (
        <FormPanel
          title="Test email"
          lead={
            config.smtpUrl === null
              ? 'SMTP_URL is not set: emails are files in the outbox.'
              : `From ${config.mailFrom}.`
          }
          action={`${SETTINGS}/mail`}
          label="Send test email"
          of={FORM}
          state={state}
        />
      ),
    }
  })

  admin.action(`${SETTINGS}/mail`, {
    ...{ schema: MailForm },
    act: async ({ operator: { by }, input: { to } }) =>
      `${SETTINGS}?done=${await sendTestMail(ctx, config, { by, to })}`,
  })
}
