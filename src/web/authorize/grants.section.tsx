/** The account page's list of connected apps, and the route that disconnects one. */

import type { Context, Hono } from 'hono'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { type Grant, listGrants, revokeGrant } from '../../oauth/grants.service.ts'
import { Ago, Day } from '../components/moment.tsx'
import { Hidden } from '../kit/fields.tsx'
import { Submit } from '../kit/parts.tsx'
import { findSignedIn, onward } from '../signed-in.ts'

const REVOKE = '/account/grants/revoke'
const ACCOUNT = '/account'

export async function grantsSection(ctx: OauthContext, userId: string) {
  return <GrantsSection grants={await listGrants(ctx, userId)} now={ctx.clock.now()} />
}

export function GrantsSection({ grants, now }: { grants: Grant[]; now: Date }) {
  return (
    <section id="connected-apps" aria-labelledby="connected-apps-title">
      <h2 id="connected-apps-title">Connected apps and agents</h2>
      {grants.length === 0 ? (
        <p>
          No connected apps. Apps and agents you connect to Souk appear here.{' '}
          <a href="/connect">Connect an agent</a>
        </p>
      ) : (
        <ul class="rows">
          {grants.map((grant) => (
            <GrantItem grant={grant} now={now} />
          ))}
        </ul>
      )}
    </section>
  )
}

function GrantItem({ grant, now }: { grant: Grant; now: Date }) {
  return (
    <li>
      <p>
        <strong>{grant.clientName}</strong> ({grant.clientHost})
        <span class="row-note">
          Connected <Day at={grant.createdAt} />, last used <Ago at={grant.lastUsedAt} now={now} />
        </span>
      </p>
      <form method="post" action={REVOKE}>
        <Hidden name="grant_id" value={grant.id} />
        <Submit kind="plain">
          Disconnect<span class="hidden"> {grant.clientName}</span>
        </Submit>
      </form>
    </li>
  )
}

export function mountGrants(app: Hono<HttpEnv>, { oauth: ctx }: { oauth: OauthContext }): void {
  app.post(REVOKE, async (c: Context<HttpEnv>) => {
    requireSameOrigin(c, ctx.config.baseUrl)
    const session = await findSignedIn(c, ctx)
    if (!session) return c.redirect(onward('/auth/signin', ACCOUNT), 303)
    const { grant_id: grantId = '' } = await readForm(c)
    const userId = session.actor.user.id
    if (!(await revokeGrant(ctx, { userId, grantId, visit: visitOf(c, ctx.config) })))
      throw new AppError('not_found', 'this app is not connected')
    return c.redirect(`${ACCOUNT}?done=disconnected#connected-apps`, 303)
  })
}
