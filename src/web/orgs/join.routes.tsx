/** Joining an organization by the link in an invitation. */
import type { Hono } from 'hono'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { OrgsContext } from '../../orgs/context.ts'
import type { Site } from '../site.ts'

export function mountJoin(
  _app: Hono<HttpEnv>,
  _deps: { config: Config; site: Site; orgs: OrgsContext },
): void {}
