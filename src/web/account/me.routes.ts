/**
 * /account/me.json: what the script writes into the header of pages that are the same for everybody. Null for a stranger.
 * The script asks only when a cookie says that somebody is signed in.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import { actingOrg } from '../../orgs/producer.ts'
import { countRfqTasks } from '../../rfq/rfq.service.ts'
import type { PageDeps } from '../deps.ts'
import { findSignedIn, viewerOf } from '../signed-in.ts'

type Deps = Pick<PageDeps, 'accounts' | 'rfq'>

export function mountMe(app: Hono<HttpEnv>, { accounts, rfq }: Deps): void {
  app.get('/account/me.json', async (c) => {
    c.header('Cache-Control', 'no-store')
    const browser = await findSignedIn(c, accounts)
    if (!browser) return c.json(null)
    const { actor } = browser
    const [org, open] = await Promise.all([
      actingOrg(accounts, actor),
      countRfqTasks(rfq, { userId: actor.user.id, state: 'submitted' }),
    ])
    const { name, initials, isOperator } = viewerOf(actor.user)
    return c.json({
      ...{ name, initials, is_seller: org !== null, open_quotes: open },
      // For nobody else there is such a thing.
      ...(isOperator && { is_operator: true }),
    })
  })
}
