/** Mounts the operator's pages: one guard, and behind it a folder for each subject. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { AdminDeps } from './deps.ts'
import { createAdmin } from './guard.ts'
import { mountImports } from './imports/imports.routes.tsx'
import { mountPeople } from './people/people.routes.tsx'
import { mountReview } from './review/review.routes.tsx'
import { countWaiting } from './review/waiting.ts'
import { mountSystem } from './system/system.routes.tsx'

export function mountAdmin(app: Hono<HttpEnv>, deps: AdminDeps): void {
  const { config, site, ctx } = deps
  const admin = createAdmin(app, { config, site, accounts: ctx, waiting: () => countWaiting(ctx) })
  mountReview(admin, deps)
  mountPeople(admin, deps)
  mountSystem(admin, deps)
  mountImports(admin, deps)
}
