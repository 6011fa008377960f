/** What the pages about people and organizations have in common: how one looks for them, and actions as buttons. */
import type { Child } from 'hono/jsx'
import type { AuditRecord } from '../../../accounts/audit.service.ts'
import { Ago } from '../../components/moment.tsx'
import { humanized } from '../../format.ts'
import { Field, Hidden, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Confirm, Empty } from '../../kit/parts.tsx'

export type Asked<State extends string> = {
  search: string | null
  state: State | null
  before: string | null
}

/** What the address of a list asks for; what means nothing is not asked. */
export function readAsked<State extends string>(
  query: (name: string) => string | undefined,
  states: readonly State[],
): Asked<State> {
  const state = states.find((name) => name === query('state')) ?? null
  return { search: query('q')?.trim().slice(0, 200) || null, state, before: query('before') ?? null }
}

export function Finder<State extends string>({
  action,
  label,
  asked,
  states,
}: {
  action: string
  label: string
  asked: Asked<State>
  states: ReadonlyArray<readonly [State, string]>
}) {
  return (
    <form class="filters" method="get" action={action}>
      <Field
        state={UNTOUCHED}
        name="q"
        label={label}
        type="search"
        autocomplete="off"
        maxlength={200}
        value={asked.search ?? ''}
      />
      <Select
        state={UNTOUCHED}
        name="state"
        label="State"
        options={[['', 'Any'], ...states]}
        value={asked.state ?? ''}
      />
      <p>
        <button class="button plain" type="submit">
          Show
        </button>
      </p>
    </form>
  )
}

/** The way to what is older, with what was asked for. */
export function Older<State extends string>({
  action,
  asked,
  next,
  label,
}: {
  action: string
  asked: Asked<State>
  next: string | null
  label: string
}) {
  if (next === null) return null
  const query = new URLSearchParams({
    ...(asked.search !== null && { q: asked.search }),
    ...(asked.state !== null && { state: asked.state }),
    before: next,
  })
  return (
    <p>
      <a class="button plain" href={`${action}?${query}`} rel="next">
        {label}
      </a>
    </p>
  )
}

type ActionProps = { action: string; act: string; label: string; danger?: boolean }

/** One press, one action: the form says which. */
export function ActionButton({ action, act, label, danger = false }: ActionProps) {
  return (
    <form method="post" action={action}>
      <Hidden name="act" value={act} />
      <button class={danger ? 'button danger' : 'button plain'} type="submit">
        {label}
      </button>
    </form>
  )
}

export function ConfirmedAction({ ask, children, ...act }: ActionProps & { ask: string; children: Child }) {
  return (
    <Confirm ask={ask}>
      {children}
      <ActionButton {...act} danger />
    </Confirm>
  )
}

export function Facts({ facts }: { facts: Array<readonly [string, Child]> }) {
  return (
    <dl class="known">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
}

const ACTORS = { user: 'a person', link_token: 'a link token', operator: 'the command line', system: 'Souk' }

/** `self` did most of it; the rest is told with who it was. */
export function Actions({ records, self, now }: { records: AuditRecord[]; self: string; now: Date }) {
  if (records.length === 0) return <Empty>Nothing is on record yet.</Empty>
  return (
    <ul class="rows">
      {records.map(({ action, actor, at, ip }) => (
        <li>
          <p>
            <strong>{humanized(action)}</strong>
            <span class="row-note">
              <Ago at={at} now={now} />
              {actor.id !== self && ` · by ${ACTORS[actor.kind]}${actor.id === null ? '' : ` ${actor.id}`}`}
              {ip !== null && ` · from ${ip}`}
            </span>
          </p>
        </li>
      ))}
    </ul>
  )
}
