/** /admin/renames: new names that verified organizations ask for, beside the name and the domain they have. */
import type { WaitingRename } from '../../../orgs/renames.service.ts'
import { Ago } from '../../components/moment.tsx'
import { Form, type FormState, TextArea, UNTOUCHED } from '../../kit/fields.tsx'
import { Confirm, Empty } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { RENAMES } from '../paths.ts'
import { Whose } from './whose.tsx'

export type Props = {
  site: Site
  operator: Operator
  renames: WaitingRename[]
  state: FormState
  /** The request whose form was refused. */
  about: string | null
  done: string | null
  now: Date
}

export function renderRenames({ site, operator, renames, state, about, done, now }: Props): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="New names"
      lead="What verified organizations want to be called, oldest first. Buyers see the old name until you approve."
      at={RENAMES}
      done={done}
      errors={state.errors}
    >
      {renames.length === 0 ? (
        <Empty>
          <p>Nothing waits for you.</p>
        </Empty>
      ) : (
        <ul class="rows claims">
          {renames.map((rename) => (
            <WaitingName rename={rename} state={rename.id === about ? state : null} now={now} />
          ))}
        </ul>
      )}
    </AdminPage>,
  )
}

type WaitingNameProps = { rename: WaitingRename; state: FormState | null; now: Date }

function WaitingName({ rename, state, now }: WaitingNameProps) {
  const { id, orgId, orgName, orgDomain, orgVerified, name, createdAt } = rename
  const action = `${RENAMES}/${id}`
  const which = (
    <span class="hidden">
      {' '}
      the name {name} for {orgName}
    </span>
  )
  return (
    <li>
      <div class="claim">
        <p>
          <Whose org={{ id: orgId, name: orgName, domain: orgDomain, verified: orgVerified }} />
        </p>
        <p>
          wants to be called <strong>{name}</strong>
          <span class="row-note">
            <Ago at={createdAt} now={now} />
          </span>
        </p>
      </div>
      <form method="post" action={`${action}/approve`}>
        <button class="button" type="submit">
          Approve{which}
        </button>
      </form>
      <Confirm open={state !== null} ask={<>Decline{which}</>}>
        <Form action={`${action}/decline`} label="Decline" kind="danger">
          <TextArea
            state={state ?? UNTOUCHED}
            name="note"
            label="Why"
            hint="The organization reads this on its page and in its history."
            rows={2}
            maxlength={1000}
            suffix={state ? '' : `-${id}`}
          />
        </Form>
      </Confirm>
    </li>
  )
}
