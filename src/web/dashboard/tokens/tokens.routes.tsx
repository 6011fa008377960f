/**
 * /dashboard/tokens: link tokens, for owners and admins. A new token is on the page that answers its form and nowhere
 * after that, so making one is not answered by a redirect.
 */
import { z } from 'zod'
import type { SessionActor } from '../../../accounts/actor.ts'
import type { Visit } from '../../../accounts/context.ts'
import { visitOf } from '../../../http/client-ip.ts'
import { cleanLine } from '../../../lib/text.ts'
import { createLinkToken, listLinkTokens, revokeLinkToken } from '../../../orgs/link-tokens.service.ts'
import { TOKEN_NAME_MAX, TokenId } from '../../../orgs/orgs.schema.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Ago, Day } from '../../components/moment.tsx'
import { UNTOUCHED } from '../../kit/fields.tsx'
import { FormPanel, type FormSpec, formOf } from '../../kit/form.tsx'
import { choice, column, defineList, listPage, within } from '../../kit/list.tsx'
import { Action, noted, Panel } from '../../kit/parts.tsx'
import type { Dashboard, DashboardDeps, Visitor, VisitorSeen } from '../guard.tsx'
import { TOKENS_PATH } from '../paths.ts'
import { Rights } from '../team/rights.tsx'

const CREATE_PATH = `${TOKENS_PATH}/create`
const REVOKE_PATH = `${TOKENS_PATH}/revoke`

const FORM: FormSpec = {
  name: {
    ...{ kind: 'text', label: 'Name', required: true, max: TOKEN_NAME_MAX, empty: 'text' },
    hint: 'Where you use it, such as Shop plugin.',
  },
}

const Naming = z.object({
  name: z
    .string()
    .transform(cleanLine)
    .pipe(
      z.string().min(1, 'Enter a name.').max(TOKEN_NAME_MAX, `Use at most ${TOKEN_NAME_MAX} characters.`),
    ),
})

const LIST = defineList(TOKENS_PATH, 'link token', {
  search: 'Name or person',
  filters: { used: choice('Last used', { used: 'Used', never: 'Never' }) },
})

type LinkToken = Awaited<ReturnType<typeof listLinkTokens>>[number]

function makerWords({ createdBy }: LinkToken): string {
  return createdBy === null
    ? 'by a former member, so it no longer works'
    : `by ${createdBy.name || createdBy.email}`
}

type Made = { name: string; token: string }

export function mountTokens(dashboard: Dashboard, { ctx, config }: DashboardDeps): void {
  const show = (seen: VisitorSeen, made?: Made) => listOf(made)(seen)
  const listOf = (made?: Made) =>
    listPage<{ visitor: Visitor }, LinkToken, typeof LIST.filters>(LIST, async (seen) => {
      const { c, visitor, state, asked } = seen
      const tokens = await listLinkTokens(ctx, { caller: sessionOf(visitor), visit: visitOf(c, config) })
      const now = ctx.clock.now()
      const mayManage = visitor.may('manage')
      return {
        title: 'Link tokens',
        lead: 'A plugin or script sends a token to act for your organization. A token can do what an editor can, and also set up your agent, check your domain and read the history. It stops working when the person who made it leaves or is no longer an owner or admin.',
        said: { revoked: 'Token revoked. Requests that use it are now refused.' },
        ...within(tokens, asked, {
          words: (token) => `${token.name} ${token.hint} ${makerWords(token)}`,
          by: { used: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : 'used') },
        }),
        columns: [
          column.text('Name', 'name'),
          column.text('Ends in', 'hint', ({ hint }) => <code class="whole">…{hint}</code>),
          {
            label: 'Last used',
            cell: ({ lastUsedAt: at }) =>
              at === null ? <span class="soft">Never</span> : <Ago at={at} now={now} />,
            csv: ({ lastUsedAt }) => lastUsedAt,
          },
          {
            label: 'Created',
            cell: (token) => noted(<Day at={token.createdAt} />, makerWords(token)),
            csv: ({ createdAt }) => createdAt,
          },
          { label: 'Created by', csv: makerWords },
          mayManage &&
            column.actions('Actions', ({ id, name }) => (
              <div class="row-actions">
                <Action
                  to={REVOKE_PATH}
                  label={`Revoke ${name}`}
                  kind="danger"
                  fields={{ id }}
                  ask="Revoke"
                  about={name}
                >
                  <p>Everything that uses {name} stops working. You can't undo this.</p>
                </Action>
              </div>
            )),
        ],
        empty: (
          <p>
            No tokens yet.{' '}
            {mayManage && 'Create one for each place that calls us, so you can revoke them one by one.'}
          </p>
        ),
        above: made && (
          <Panel title={`Your new token: ${made.name}`} id="new">
            <div role="status">
              <p>
                <strong>Copy it now.</strong> You won't see it again. If you lose it, create another one and
                revoke this one.
              </p>
            </div>
            <Copyable id="new-token" label="Send it as: Authorization: Bearer <token>" text={made.token} />
          </Panel>
        ),
        below: [
          <Panel
            title="What a token can do"
            lead="Every token can do the same. It acts only for your organization, and never as a person."
          >
            <Rights of="token" />
          </Panel>,
          mayManage && (
            <FormPanel
              title="Create a token"
              action={CREATE_PATH}
              label="Create token"
              of={FORM}
              state={state}
            />
          ),
        ],
      }
    })

  dashboard.page(TOKENS_PATH, 'oversee', (seen) => show(seen))

  dashboard.action(CREATE_PATH, {
    schema: formOf(FORM, Naming),
    async act({ c, act, visitor, input }) {
      const made = await createLinkToken(ctx, sessionAct(visitor, act), input)
      return show({ c, visitor, state: UNTOUCHED }, made)
    },
  })

  dashboard.action(REVOKE_PATH, {
    ...{ schema: TokenId, done: 'revoked' },
    act: ({ act, visitor, input }) => revokeLinkToken(ctx, sessionAct(visitor, act), input.id),
  })
}

/** The person, for the organization that the page was shown for. */
function sessionOf({ actor, org }: Visitor): SessionActor & { onlyOrgId: string } {
  return { ...actor, onlyOrgId: org.id }
}

function sessionAct(visitor: Visitor, { visit }: { visit: Visit }) {
  return { caller: sessionOf(visitor), visit }
}
