/**
 * /admin/reports: what readers say is wrong with products, the oldest first. The texts are strangers' words and shown as
 * they are; what an operator does about one is up to them, and closing it says what was done.
 */
import { MISTAKE_OUTCOMES, MistakeClosing, type MistakeKind } from '../../../catalog/mistakes.schema.ts'
import { closeMistake, listMistakes, type ReportedMistake } from '../../../catalog/mistakes.service.ts'
import { Ago } from '../../components/moment.tsx'
import { Form, Select, TextArea, UNTOUCHED } from '../../kit/fields.tsx'
import { choice, column, type ListColumn, optionsOf, uncounted } from '../../kit/list.tsx'
import { Confirm, LinkLine, noted, State } from '../../kit/parts.tsx'
import { MISTAKE_WORDS } from '../../mistakes/mistake-form.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { IMPORTS, REPORTS, USERS } from '../nav.ts'
import { CAUGHT_UP } from './parts.tsx'

const OUTCOME_WORDS = { fixed: 'Fixed', rejected: 'Rejected' }
const KINDS = Object.keys(MISTAKE_WORDS) as MistakeKind[]
const LIST = {
  ...{ path: REPORTS, noun: 'report', search: 'Product, text or email', pageSize: 25 },
  filters: { status: MISTAKE_OUTCOMES, kind: KINDS },
} as const

export function mountReports(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<ReportedMistake, typeof LIST.filters>(LIST, async ({ asked, ...seen }) => {
    const { q, filters, limit, offset } = asked
    const outcome = filters.status || null
    const search = { search: q || null, limit: limit + 1, offset }
    const found = await listMistakes(ctx, { ...search, outcome, kind: filters.kind || null })
    const now = ctx.clock.now()
    return {
      title: 'Reported mistakes',
      lead: (
        <>
          What readers say is wrong with a product. Check it before you believe it. Correct a product with{' '}
          <a href={IMPORTS}>an import</a>, or hide, archive and merge it with{' '}
          <code>npm run souk -- catalog</code>.
        </>
      ),
      said: { fixed: 'Closed as fixed.', rejected: 'Closed as rejected.' },
      ...uncounted(found, asked),
      order: outcome === null ? 'Oldest first' : 'Newest first',
      filters: {
        status: choice('Status', OUTCOME_WORDS, 'Open'),
        kind: choice('What is wrong', MISTAKE_WORDS),
      },
      columns: [
        column.text('Product', 'title', ({ title, productSlug }) =>
          noted(<a href={`/p/${productSlug}`}>{title}</a>, productSlug),
        ),
        { label: 'Slug', csv: ({ productSlug }) => productSlug },
        column.text('What is wrong', ({ kind }) => MISTAKE_WORDS[kind]),
        column.text('Report', 'text', ({ text }) => <span class="long">{text}</span>),
        column.text('From', 'email', (report) => <Sender {...report} />),
        column.ago('Sent', 'createdAt', now),
        outcome === null ? closing(seen) : closed(now),
      ],
      empty: [CAUGHT_UP, <LinkLine to={`${REPORTS}?status=fixed`}>Show what was fixed</LinkLine>],
    }
  })
  admin.action(`${REPORTS}/:id/close`, {
    schema: MistakeClosing,
    async act({ id, operator: { by, visit }, input }) {
      await closeMistake(ctx, { id, by, visit, ...input })
      return `${REPORTS}?done=${input.outcome}`
    },
  })
}

function Sender({ email, userId }: ReportedMistake) {
  const account = userId !== null && <a href={`${USERS}/${userId}`}>Account</a>
  if (email === null) return account || <span class="soft">Not stated</span>
  // A local part may hold a question mark, which would begin the fields of a message.
  const address = encodeURIComponent(email).replace('%40', '@')
  return noted(<a href={`mailto:${address}`}>{email}</a>, account)
}

/** The form of a row. A refused one is open, with what was typed. */
function closing(seen: AdminSeen): ListColumn<ReportedMistake> {
  return {
    ...{ label: 'Decision', kind: 'actions' },
    cell({ id, title }) {
      const isRefused = seen.state !== UNTOUCHED && seen.id === id
      const field = { state: isRefused ? seen.state : UNTOUCHED, suffix: isRefused ? '' : `-${id}` }
      const ask = (
        <>
          Close<span class="hidden"> the report on {title}</span>
        </>
      )
      return (
        <Confirm ask={ask} open={isRefused}>
          <Form action={`${REPORTS}/${id}/close`} label="Close report">
            <Select {...field} name="outcome" label="Outcome" options={optionsOf(OUTCOME_WORDS)} />
            <TextArea
              {...field}
              name="note"
              label="Note (optional)"
              hint="Only operators see it."
              rows={3}
              maxlength={1000}
            />
          </Form>
        </Confirm>
      )
    },
  }
}

function closed(now: Date): ListColumn<ReportedMistake> {
  return {
    ...column.text<ReportedMistake>('Closed', ({ outcome, note }) =>
      [outcome && OUTCOME_WORDS[outcome], note].filter(Boolean).join(': '),
    ),
    cell: ({ outcome, closedAt, note }) =>
      noted(
        <>
          {outcome && <State tone={outcome === 'fixed' ? 'good' : 'quiet'}>{OUTCOME_WORDS[outcome]}</State>}{' '}
          {closedAt && <Ago at={closedAt} now={now} />}
        </>,
        note,
      ),
  }
}
