/** `/org/join`, the link in an invitation: GET shows it, POST accepts it. */
import type { Context, Hono } from 'hono'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import { acceptInvitation, findInvitation, JOIN_PATH } from '../../orgs/invitations.service.ts'
import { DASHBOARD } from '../dashboard/paths.ts'
import type { PageDeps } from '../deps.ts'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import { renderDeadInvitation, renderJoin, renderNoInvitation } from './join.page.tsx'

type Deps = Pick<PageDeps, 'site' | 'config' | 'orgs'>

export function mountJoin(app: Hono<HttpEnv>, deps: Deps): void {
  app.get(JOIN_PATH, (c) => show(c, deps, c.req.query('token') ?? ''))

  app.post(JOIN_PATH, async (c) => {
    requireSameOrigin(c, deps.config.baseUrl)
    const { token = '' } = await readForm(c)
    const browser = await findSignedIn(c, deps.orgs)
    if (!browser) return show(c, deps, token, 401)
    try {
      const act = { caller: browser.actor, visit: visitOf(c, deps.config) }
      await acceptInvitation(deps.orgs, act, token)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.kind === 'unauthenticated') return show(c, deps, token, 401)
      // The app's error page explains a deactivated organization; the invitation's page explains the rest.
      if (error.code === 'org_deactivated') throw error
      return show(c, deps, token, 403)
    }
    return c.redirect(`${DASHBOARD}?done=joined`, 303)
  })
}

/** `otherwise` is the status for a valid invitation. */
async function show(
  c: Context<HttpEnv>,
  { site, orgs }: Deps,
  token: string,
  otherwise: 200 | 401 | 403 = 200,
): Promise<Response> {
  const invitation = await findInvitation(orgs, token)
  if (!invitation) return sendPage(c, renderNoInvitation(site), { status: 404 })
  if (invitation.state !== 'open')
    return sendPage(c, renderDeadInvitation(site, invitation.state), { status: 410 })
  const browser = await findSignedIn(c, orgs)
  const page = renderJoin({ site, invitation, token, user: browser?.actor.user ?? null })
  return sendPage(c, page, { status: otherwise })
}
