/** The demo catalog with people of every kind, who search with their cookie. */
import type { BundleResponse } from '../../src/bundles/bundles.schema.ts'
import type { Db } from '../../src/db/database.ts'
import { type Souk, signIn } from '../accounts.ts'
import { ask } from './search.world.ts'

/** Reads as a bundle: two categories and a budget. */
export const PATTERN = 'a standing desk, an office chair and a monitor under $1,500'
/** Does not: one thing. */
export const PLAIN = 'quiet air fryer'

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> }
export const isBundle = ({ body }: Answer) => body.type === 'bundle'
export const bundleOf = ({ body }: Answer) => body as unknown as BundleResponse

export async function createPerson(souk: Souk & { database: { db: Db } }, verified: boolean) {
  const { cookie, email, browser } = await signIn(souk, { verified })
  const { id } = await souk.database.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return {
    id,
    email,
    browser,
    cookie,
    search: async (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      (await ask(souk.app, body, { headers: { cookie, ...headers } })) as unknown as Answer,
    /** Bundles served so far, by day. */
    served: async (): Promise<Record<string, number>> => {
      const rows = await souk.database.db
        .selectFrom('bundle_days')
        .select(({ cast, ref }) => [cast<string>(ref('day'), 'text').as('day'), 'served'])
        .where('user_id', '=', id)
        .execute()
      return Object.fromEntries(rows.map(({ day, served }) => [day, served]))
    },
    serve: async (day: string, served: number): Promise<void> => {
      await souk.database.db.insertInto('bundle_days').values({ user_id: id, day, served }).execute()
    },
  }
}
