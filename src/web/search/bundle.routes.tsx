/** The page that explains sets and asks for one. The form leads to the results; `?q=` fills it in. */
import type { Hono } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import type { HttpEnv } from '../../http/env.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { BUNDLE_PATH, renderBundlePage } from './bundle.page.tsx'

type Deps = { site: Site; accounts: AccountsContext }

export function mountBundle(app: Hono<HttpEnv>, { site, accounts }: Deps): void {
  app.get(BUNDLE_PATH, async (c) => {
    const q = c.req.query('q')?.slice(0, MAX_QUERY) ?? ''
    const user = (await findSignedIn(c, accounts))?.actor.user ?? null
    return sendPage(c, renderBundlePage({ site, user, state: { values: { q }, errors: {} } }))
  })
}
