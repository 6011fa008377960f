/** /admin/users: who has an account, found by address or name, newest first. */
import type { AccountLine, AccountState } from '../../../accounts/admin.service.ts'
import type { PersonOrg } from '../../../orgs/admin.service.ts'
import { Ago } from '../../components/moment.tsx'
import { DataTable, Empty, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { ORGANIZATIONS, USERS } from '../paths.ts'
import { type Asked, Finder, Older } from './parts.tsx'

const STATES = [
  ['active', 'Active'],
  ['unconfirmed', 'Address not confirmed'],
  ['operator', 'Operator'],
  ['deactivated', 'Deactivated'],
] as const

type Props = {
  site: Site
  operator: Operator
  asked: Asked<AccountState>
  people: AccountLine[]
  next: string | null
  organizations: Map<string, PersonOrg[]>
  now: Date
}

export function renderUsers({ site, operator, asked, people, next, organizations, now }: Props): string {
  const filtered = asked.search !== null || asked.state !== null
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Users"
      lead="Everybody who has an account, newest first."
      at={USERS}
    >
      <Finder action={USERS} label="Email or name" asked={asked} states={STATES} />
      {people.length === 0 ? (
        <Empty>
          <p>{filtered ? 'Nobody like that has an account.' : 'Nobody has an account yet.'}</p>
          {filtered && <a href={USERS}>Show everybody</a>}
        </Empty>
      ) : (
        <DataTable
          caption="Users"
          columns={[
            { label: 'Address' },
            { label: 'Name' },
            { label: 'State' },
            { label: 'Organizations' },
            { label: 'Joined' },
          ]}
          rows={people.map((person) => [
            <a href={`${USERS}/${person.id}`}>{person.email}</a>,
            person.name || <span class="soft">none</span>,
            <AccountStates person={person} />,
            <Memberships orgs={organizations.get(person.id) ?? []} />,
            <Ago at={person.createdAt} now={now} />,
          ])}
        />
      )}
      <Older action={USERS} asked={asked} next={next} label="Older accounts" />
    </AdminPage>,
  )
}

export function AccountStates({ person }: { person: AccountLine }) {
  const { deactivatedAt, verified, admin } = person
  return (
    <span class="states">
      {deactivatedAt !== null && <State tone="bad">Deactivated</State>}
      {deactivatedAt === null &&
        (verified ? <State tone="good">Active</State> : <State tone="mixed">Address not confirmed</State>)}
      {admin && <State tone="quiet">Operator</State>}
    </span>
  )
}

const SHOWN = 3

function Memberships({ orgs }: { orgs: PersonOrg[] }) {
  if (orgs.length === 0) return <span class="soft">none</span>
  return (
    <span>
      {orgs.slice(0, SHOWN).map(({ orgId, name, role }, index) => (
        <>
          {index > 0 && ', '}
          <a href={`${ORGANIZATIONS}/${orgId}`}>{name}</a> ({role})
        </>
      ))}
      {orgs.length > SHOWN && ` and ${orgs.length - SHOWN} more`}
    </span>
  )
}
