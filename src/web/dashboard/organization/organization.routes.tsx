/**
 * The organization itself: registering one, changing it, proving its domain, and which of theirs somebody acts for. Two
 * of the forms cannot go through the dashboard's guard: who registers has no organization yet, and who switches names
 * another organization than the one they act for. They are held to the same.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { visitOf } from '../../../http/client-ip.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { readForm } from '../../../http/form.ts'
import { requireSameOrigin } from '../../../http/same-origin.ts'
import { AppError } from '../../../lib/errors.ts'
import { editOrg, selectOrganization } from '../../../orgs/org.service.ts'
import { registerOrg } from '../../../orgs/register.service.ts'
import { verifyDomain } from '../../../orgs/verification.service.ts'
import { answerForm } from '../../kit/answer-form.ts'
import { UNTOUCHED } from '../../kit/fields.tsx'
import { asSentences } from '../../kit/parts.tsx'
import { onward } from '../../onward.ts'
import { doneWords, sendPage } from '../../page.http.ts'
import { renderMessagePage } from '../../pages/message.tsx'
import { findSignedIn } from '../../signed-in.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard, FormRoute } from '../guard.ts'
import { waysFor } from '../nav.ts'
import type { Visitor } from '../page.tsx'
import { DASHBOARD, ORGANIZATION_PATH, REGISTER_PATH, SWITCH_PATH } from '../paths.ts'
import { DOMAIN_PATH, VERIFY_PATH } from './domain.panel.tsx'
import { DomainForm, ProfileForm, RegisterForm } from './organization.fields.tsx'
import { EDIT_PATH, renderOrganization } from './organization.page.tsx'
import { renderRegister } from './register.page.tsx'

const DONE = {
  saved: 'The profile was saved.',
  waits: 'The new name waits for the operator of this service. Until then buyers see the old one.',
  domain: 'The domain was saved. Prove it next.',
  removed: 'The domain was removed.',
  verified: 'The domain is proved.',
}

export function mountOrganization(app: Hono<HttpEnv>, dashboard: Dashboard, deps: DashboardDeps): void {
  mountRegister(app, deps)
  mountSwitch(app, deps)
  const { site, ctx } = deps

  dashboard.get(ORGANIZATION_PATH, 'read', (c, visitor) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, renderOrganization({ site, visitor, state: UNTOUCHED, done }))
  })

  const again: Pick<FormRoute<unknown>, 'page' | 'render'> = {
    page: ORGANIZATION_PATH,
    render: ({ visitor, state }) => renderOrganization({ site, visitor, state }),
  }

  dashboard.post(EDIT_PATH, {
    ...again,
    schema: ProfileForm,
    async act({ act, input }) {
      const { pendingName } = await editOrg(ctx, act, input)
      await deps.shown()
      const waits = pendingName !== null && pendingName === input.name
      return `${ORGANIZATION_PATH}?done=${waits ? 'waits' : 'saved'}`
    },
  })

  dashboard.post(DOMAIN_PATH, {
    ...again,
    schema: DomainForm,
    async act({ act, visitor, input }) {
      requireSeenProof(visitor, input)
      await editOrg(ctx, act, { domain: input.domain })
      await deps.shown()
      if (input.domain === visitor.org.domain) return ORGANIZATION_PATH
      return `${ORGANIZATION_PATH}?done=${input.domain === null ? 'removed' : 'domain'}#domain`
    },
  })

  dashboard.post(VERIFY_PATH, {
    ...again,
    schema: z.object({}),
    async act({ c, act, visitor }) {
      if (visitor.org.domain === null)
        throw new AppError('invalid', 'enter your domain first', { field: 'domain' })
      const { verificationStatus, checked } = await verifyDomain(ctx, act)
      if (verificationStatus === 'pending')
        return sendPage(c, renderOrganization({ site, visitor, state: UNTOUCHED, checked }))
      await deps.shown()
      return `${ORGANIZATION_PATH}?done=verified#domain`
    },
  })
}

/** A proof that was not there when the form was shown is not given up by it. */
function requireSeenProof(
  { org }: Visitor,
  { domain, gives_up: seen = null }: { domain?: string | null; gives_up?: string | null },
): void {
  if (org.verificationStatus !== 'verified' || domain === org.domain || seen === org.domain) return
  throw new AppError(
    'conflict',
    `the domain ${org.domain} was proved meanwhile, so it was not changed; look again`,
    {
      code: 'conflict',
    },
  )
}

function mountRegister(app: Hono<HttpEnv>, { site, ctx, config }: DashboardDeps): void {
  app.get(REGISTER_PATH, async (c) => {
    const browser = await findSignedIn(c, ctx)
    if (!browser) return c.redirect(onward('/auth/signin', REGISTER_PATH), 303)
    return sendPage(c, renderRegister({ site, user: browser.actor.user, state: UNTOUCHED }))
  })

  app.post(REGISTER_PATH, async (c) => {
    requireSameOrigin(c, config.baseUrl)
    const form = await readForm(c)
    const browser = await findSignedIn(c, ctx)
    if (!browser) return c.redirect(onward('/auth/signin', REGISTER_PATH), 303)
    const { user } = browser.actor
    return answerForm(c, form, {
      schema: RegisterForm,
      render: ({ values, errors }) =>
        renderRegister({ site, user, state: { values, errors: asSentences(errors) } }),
      async act(input) {
        await registerOrg(ctx, { caller: browser.actor, visit: visitOf(c, config) }, input)
        return c.redirect(`${DASHBOARD}?done=registered`, 303)
      },
    })
  })
}

function mountSwitch(app: Hono<HttpEnv>, { site, ctx, config }: DashboardDeps): void {
  app.post(SWITCH_PATH, async (c) => {
    requireSameOrigin(c, config.baseUrl)
    const { org_id: orgId = '', at = '' } = await readForm(c)
    const back = isWay(at) ? at : DASHBOARD
    const browser = await findSignedIn(c, ctx)
    if (!browser) return c.redirect(onward('/auth/signin', back), 303)
    try {
      await selectOrganization(ctx, browser.actor, orgId)
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return noSuchOrganization(c)
      throw error
    }
    return c.redirect(back, 303)
  })

  function noSuchOrganization(c: Context): Promise<Response> {
    const page = {
      status: 404,
      title: 'No such organization',
      text: 'You belong to no such organization, or no longer. You act for the same one as before.',
      way: { href: DASHBOARD, label: 'Go to the dashboard' },
    }
    return sendPage(c, renderMessagePage(page, site), { status: 404 })
  }
}

function isWay(path: string): boolean {
  return waysFor(() => true).some(({ ways }) => ways.some(({ href }) => href === path))
}
