/** The pictures that other sites show beside a link to a page of ours. */
import type { Hono } from 'hono'
import type { Db } from '../../db/database.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'

type Deps = { orgs: { db: Db }; offers: LiveOffers }

export function mountPreviews(_app: Hono<HttpEnv>, _deps: Deps): void {}
