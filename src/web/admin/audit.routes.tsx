/** /admin/audit: what everybody did, people, organizations and operators, with a way to take back what can be. */
import { findPeople } from '../../accounts/admin.service.ts'
import { type AuditRecord, listAllAudit } from '../../accounts/audit.service.ts'
import { batchOf } from '../../catalog/manage-undo.service.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { isUuid } from '../../lib/ids.ts'
import { findOrganizations } from '../../orgs/admin.service.ts'
import { Moment } from '../components/moment.tsx'
import { factWords, sentenceFor } from '../dashboard/history/sentences.ts'
import { humanized } from '../format.ts'
import { choice, column, defineList, FROM_TO, typed } from '../kit/list.tsx'
import { Facts, noted } from '../kit/parts.tsx'
import { UndoLink } from './catalog/undo.routes.tsx'
import type { Admin, AdminDeps } from './guard.ts'
import { AUDIT, ORGANIZATIONS, USERS } from './nav.ts'

const KINDS = { user: 'A person', link_token: 'A link token', operator: 'The command line', system: 'Souk' }
const LIST = defineList(AUDIT, 'action', {
  search: 'Person, organization or id',
  filters: { action: typed('Action begins with'), by: choice('By', KINDS), ...FROM_TO },
})

export function mountAudit(admin: Admin, { ctx, accounts }: AdminDeps): void {
  /** The ids that a search may mean; null where nothing is searched for. */
  async function idsFor(search: string): Promise<string[] | null> {
    if (search === '') return null
    if (isUuid(search)) return [search]
    const asked = { search, state: null, before: null }
    const [{ people }, { orgs }] = await Promise.all([
      findPeople(accounts, asked),
      findOrganizations(ctx, asked),
    ])
    return [...people, ...orgs].map(({ id }) => id)
  }

  admin.list<AuditRecord, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, before } = asked
    const [from, to] = [dayOf(filters.from), dayOf(filters.to)]
    const search = {
      ...{ about: await idsFor(q), action: filters.action || null },
      ...(filters.by !== '' && { actorKind: filters.by }),
      ...(from && { from }),
      ...(to && { until: new Date(to.getTime() + DAY_MS) }),
    }
    const found = await listAllAudit(ctx, search, { limit: limit + 1, before })
    const rows = found.slice(0, limit)
    const errors = Object.fromEntries(
      (['from', 'to'] as const).flatMap((name) =>
        filters[name] !== '' && dayOf(filters[name]) === null
          ? [[name, 'Write a day, such as 2026-11-30.']]
          : [],
      ),
    )
    return {
      title: 'Audit log',
      lead: 'What people, organizations and operators did.',
      errors,
      rows,
      next: found.length > limit ? (rows.at(-1)?.id ?? null) : null,
      order: 'Newest first',
      columns: [
        column.text('Action', 'action', (record) => <Done record={record} />),
        { label: 'By', csv: (record) => whoWords(record), cell: (record) => <DoneBy record={record} /> },
        column.text('Organization', 'orgId', ({ orgId }) =>
          orgId === null ? '–' : <a href={`${ORGANIZATIONS}/${orgId}`}>Open</a>,
        ),
        column.text('Person', 'userId', ({ userId }) =>
          userId === null ? '–' : <a href={`${USERS}/${userId}`}>Open</a>,
        ),
        { label: 'When', cell: ({ at }) => <Moment at={at} />, csv: ({ at }) => at },
        { label: 'Details', csv: ({ detail }) => JSON.stringify(detail) },
        { label: 'IP address', csv: ({ ip }) => ip },
        column.actions('Undo', (record) => {
          const batch = batchOf(record)
          return batch === null ? '' : <UndoLink batch={batch} />
        }),
      ],
      empty: <p>Nothing has been done yet.</p>,
    }
  })
}

function dayOf(text: string): Date | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null
  return at === null || Number.isNaN(at.getTime()) ? null : at
}

/** In a sentence where organizations have one for it. A person has a name in the column beside it. */
function Done({ record: { action, detail } }: { record: AuditRecord }) {
  const facts = Object.entries(detail).map(([name, value]) => [humanized(name), factWords(value)] as const)
  const what = sentenceFor(action, detail, () => 'a member')
  if (facts.length === 0) return <>{what}</>
  return (
    <>
      {what}
      <details class="act-facts">
        <summary>
          Details<span class="hidden"> of: {what}</span>
        </summary>
        <Facts facts={[...facts, ['Action', <code>{action}</code>]]} />
      </details>
    </>
  )
}

function whoWords({ actor }: AuditRecord): string {
  return [KINDS[actor.kind], actor.id].filter(Boolean).join(' ')
}

function DoneBy({ record }: { record: AuditRecord }) {
  const { actor, ip } = record
  const who =
    actor.kind === 'user' && actor.id !== null ? (
      <a href={`${USERS}/${actor.id}`}>{KINDS.user}</a>
    ) : (
      KINDS[actor.kind]
    )
  return noted(who, ip)
}
