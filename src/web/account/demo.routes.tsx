/**
 * Ways into the demo for somebody who tries the service on their own machine: the dashboard as a demo seller by one click,
 * and the operator's pages by the link that the start prints. They exist where the outbox does, and while there is nothing
 * real. A link alone signs nobody in: it shows a button.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { AccountsContext } from '../../accounts/context.ts'
import { isDemoOpen, isOperatorLink, visitAsOperator, visitAsSeller } from '../../accounts/demo.service.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts'
import { Form, Hidden } from '../kit/fields.tsx'
import { createPages, type PersonPage, type PersonSeen } from '../kit/person.tsx'
import type { AccountDeps } from './account.routes.tsx'
import { isOutboxOpen } from './outbox.routes.tsx'

const SELLER = '/demo/seller'
const OPERATOR = '/demo/operator'

export async function isDemoVisitable(
  c: Context<HttpEnv>,
  { accounts, config, site }: { accounts: AccountsContext; config: Config; site: { demo: boolean } },
): Promise<boolean> {
  return site.demo && isOutboxOpen(c, config) && (await isDemoOpen(accounts))
}

/** The button, for pages that sellers come to. */
export function VisitAsSeller() {
  return (
    <section class="account-part">
      <h2>Just looking?</h2>
      <p>
        Open the dashboard of an invented shop, with a month of requests and quotes. No account needed. Only
        this machine can do that, until the first real account is made.
      </p>
      <Form action={SELLER} label="Visit the dashboard as a demo seller" kind="plain" />
    </section>
  )
}

export function mountDemo(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config } = deps
  const { baseUrl } = config
  const pages = createPages(app, deps, async (c) => ((await isDemoVisitable(c, deps)) ? {} : c.notFound()))
  const entry = (c: Context<HttpEnv>) => ({
    visit: visitOf(c, config),
    replaces: readSessionCookie(c, baseUrl),
  })

  pages.action(SELLER, {
    page: () => ({ title: 'Visit the dashboard', body: <VisitAsSeller /> }),
    async act({ c }) {
      setSessionCookie(c, baseUrl, await visitAsSeller(accounts, entry(c)))
      return '/dashboard'
    },
  })

  const show = async ({ c, form }: PersonSeen<object>): Promise<PersonPage | Response> => {
    const token = form.token ?? c.req.query('token') ?? ''
    if (!(await isOperatorLink(accounts, token))) return c.notFound()
    return {
      title: 'Look around as the operator',
      lead: 'You see every page of the operator, and can change nothing. The link works once.',
      body: (
        <Form action={OPERATOR} label="Look around">
          <Hidden name="token" value={token} />
        </Form>
      ),
    }
  }
  pages.page(OPERATOR, show)
  pages.action(OPERATOR, {
    schema: z.object({ token: z.string() }),
    async act({ c, input }) {
      setSessionCookie(c, baseUrl, await visitAsOperator(accounts, { ...entry(c), link: input.token }))
      return '/admin'
    },
  })
}
