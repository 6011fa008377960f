/** Link tokens: what a shop's plugin acts for the organization with. A new one is on the page once, and nowhere after that. */
import type { LinkToken } from '../../../orgs/link-tokens.service.ts'
import { TOKEN_NAME_MAX } from '../../../orgs/orgs.schema.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Ago, Day } from '../../components/moment.tsx'
import { Confirm, DataTable, Empty, Panel } from '../../console/parts.tsx'
import { Field, type FormState, Hidden } from '../../forms/fields.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { TOKENS_PATH } from '../paths.ts'

export const CREATE_PATH = `${TOKENS_PATH}/create`
export const REVOKE_PATH = `${TOKENS_PATH}/revoke`

type TokensPage = {
  site: Site
  visitor: Visitor
  tokens: LinkToken[]
  now: Date
  state: FormState
  /** The one that was made just now. */
  made?: { name: string; token: string } | null
  done?: string | null
}

export function renderTokens({ site, visitor, tokens, now, state, made = null, done }: TokensPage): string {
  const mayManage = visitor.may('manage')
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Link tokens"
      lead="A plugin or script of yours sends one to act for the organization. It may do what an editor may; it can also set up your agent, check the domain and read the history. A token ends when whoever made it is removed or is no longer owner or admin."
      at={TOKENS_PATH}
      done={done}
      errors={state.errors}
    >
      {made && (
        <Panel title={`Your new token: ${made.name}`} id="new">
          <div role="status">
            <p>
              <strong>Copy it now.</strong> It is shown this one time and never again. If it is lost, make
              another one and revoke this one.
            </p>
          </div>
          <Copyable
            id="new-token"
            label="Sent as: Authorization: Bearer, a space, and the token"
            text={made.token}
          />
        </Panel>
      )}
      <Panel title="Tokens in use">
        {tokens.length === 0 ? (
          <Empty>
            <p>
              No tokens yet.{' '}
              {mayManage && 'Make one below for each place that calls us, so that you can revoke it alone.'}
            </p>
          </Empty>
        ) : (
          <TokenTable visitor={visitor} tokens={tokens} now={now} />
        )}
      </Panel>
      {mayManage && (
        <Panel title="Make a token">
          <ActionForm visitor={visitor} action={CREATE_PATH} label="Make the token">
            <Field
              state={state}
              name="name"
              label="Name"
              hint="Where it is used, such as Shop plugin."
              autocomplete="off"
              maxlength={TOKEN_NAME_MAX}
              required
            />
          </ActionForm>
        </Panel>
      )}
    </DashboardPage>,
  )
}

function TokenTable({ visitor, tokens, now }: { visitor: Visitor; tokens: LinkToken[]; now: Date }) {
  const mayManage = visitor.may('manage')
  const columns = [{ label: 'Name' }, { label: 'Ends in' }, { label: 'Last used' }, { label: 'Made' }]
  return (
    <DataTable
      caption="Link tokens in use"
      columns={mayManage ? [...columns, { label: 'What you can do', kind: 'actions' }] : columns}
      rows={tokens.map(({ id, name, hint, createdAt, lastUsedAt, createdBy }) => [
        name,
        <code class="whole">…{hint}</code>,
        lastUsedAt === null ? <span class="soft">Never</span> : <Ago at={lastUsedAt} now={now} />,
        <span>
          <Day at={createdAt} />
          <span class="row-note">
            {createdBy === null
              ? 'by a former member: it no longer works'
              : `by ${createdBy.name || createdBy.email}`}
          </span>
        </span>,
        ...(mayManage
          ? [
              <div class="row-actions">
                <Confirm
                  ask={
                    <>
                      Revoke<span class="hidden"> {name}</span>
                    </>
                  }
                >
                  <p>Whatever uses {name} is refused from then on. This cannot be undone.</p>
                  <ActionForm visitor={visitor} action={REVOKE_PATH} label={`Revoke ${name}`} kind="danger">
                    <Hidden name="id" value={id} />
                  </ActionForm>
                </Confirm>
              </div>,
            ]
          : []),
      ])}
    />
  )
}
