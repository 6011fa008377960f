/**
 * Every node shows what the database says: offers of products, profiles that were enriched, what is on sale, who is signed
 * in and which tokens hold. A node may lag by a poll, so it is asked until it agrees or its time is up.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Subject } from '../journal.ts'
import type { AuditContext, Check } from './check.ts'

/** Of each kind, the newest: a whole catalog for each node would take longer than the trial. */
const SAMPLE = 12

export const FRESHNESS: Check = {
  name: 'freshness',
  async run(ctx) {
    const nodes = await Promise.all(
      ctx.addresses.map(async (address) => {
        const found = [
          ...(await compareOffers(ctx, address)),
          ...(await compareProfiles(ctx, address)),
          ...(await compareSearch(ctx, address)),
          ...(await compareCredentials(ctx, address)),
        ]
        return found.map((what) => `${address}: ${what}`)
      }),
    )
    return nodes.flat()
  },
}

/** Null when the node agrees in time, else what it says last. */
async function untilAgreed({ lagMs }: AuditContext, said: () => Promise<string | null>): Promise<string[]> {
  const deadline = Date.now() + lagMs
  for (;;) {
    const difference = await said().catch((error: Error) => `it could not be asked: ${error.message}`)
    if (difference === null) return []
    if (Date.now() > deadline) return [difference]
    await sleep(200)
  }
}

async function compareOffers(ctx: AuditContext, address: string): Promise<string[]> {
  const { pool } = ctx
  const { rows } = await pool.query<{ slug: string; offers: string[] | null }>(
    `select p.slug, array_agg(o.id || ' ' || o.headline || ' ' || o.price_cents order by o.id)
        filter (where o.status = 'active' and (o.starts_at is null or o.starts_at <= now())
          and (o.expires_at is null or o.expires_at > now())) as offers
     from products p join offers o on o.product_id = p.id
     group by p.slug order by max(o.updated_at) desc limit ${SAMPLE}`,
  )
  const found = await Promise.all(
    rows.map(({ slug, offers }) =>
      untilAgreed(ctx, async () => {
        const answer = await fetch(`${address}/offers/${slug}.json`)
        const body = (await answer.json()) as {
          offers: Array<{ id: string; headline: string; price_usd: number }>
        }
        const shown = body.offers
          .map(({ id, headline, price_usd }) => `${id} ${headline} ${Math.round(price_usd * 100)}`)
          .sort()
        return isDeepStrictEqual(shown, offers ?? [])
          ? null
          : `offers of ${slug} are ${JSON.stringify(shown)}, the database has ${JSON.stringify(offers ?? [])}`
      }),
    ),
  )
  return found.flat()
}

async function compareProfiles(ctx: AuditContext, address: string): Promise<string[]> {
  const { pool } = ctx
  const { rows } = await pool.query<{ path: string; description: string }>(
    `select '/p/' || c.slug || '/' || p.slug || '.json' as path, p.description
     from products p join categories c on c.id = p.category_id
     where p.description is not null order by p.updated_at desc limit ${SAMPLE}`,
  )
  const found = await Promise.all(
    rows.map(({ path, description }) =>
      untilAgreed(ctx, async () => {
        const body = (await (await fetch(`${address}${path}`)).json()) as { description?: string }
        return body.description === description
          ? null
          : `${path} says ${JSON.stringify(body.description)}, the database ${JSON.stringify(description)}`
      }),
    ),
  )
  return found.flat()
}

/** Search by what is on sale: its filter is the shelf of the node, its results are its index. */
async function compareSearch(ctx: AuditContext, address: string): Promise<string[]> {
  const { pool } = ctx
  return untilAgreed(ctx, async () => {
    const { rows } = await pool.query<{ slug: string }>(
      `select distinct p.slug from products p join offers o on o.product_id = p.id
       where o.status = 'active' and (o.starts_at is null or o.starts_at <= now())
         and (o.expires_at is null or o.expires_at > now())
         and (o.price_cents < o.list_price_cents
           or o.offer_types && array['percentage_off', 'fixed_amount_off', 'bogo']) order by 1`,
    )
    const slugs: string[] = []
    for (let offset = 0; ; offset += 50) {
      const answer = await fetch(`${address}/api/search/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: 'anything',
          filters: { on_sale: true },
          limit: 50,
          offset,
        }),
      })
      const { results = [] } = (await answer.json()) as { results?: Array<{ slug: string }> }
      slugs.push(...results.map(({ slug }) => slug))
      if (results.length < 50) break
    }
    const wanted = rows.map(({ slug }) => slug)
    return isDeepStrictEqual(slugs.toSorted(), wanted.toSorted())
      ? null
      : `a search for what is on sale finds ${slugs.length} products, the database has ${wanted.length}`
  })
}

/** A token that was revoked opens nothing anywhere, and one that was not does; sessions likewise. */
async function compareCredentials(ctx: AuditContext, address: string): Promise<string[]> {
  const { journal } = ctx
  const certain = [...journal.subjects.values()].filter(({ possible }) => possible.length === 1)
  const newest = (kind: Subject['kind']) => certain.filter((subject) => subject.kind === kind).slice(-SAMPLE)
  const tokens = newest('token').filter(({ notes }) => notes.token !== undefined)
  const found = await Promise.all([
    ...tokens.map((token) =>
      untilAgreed(ctx, async () => {
        const { status } = await fetch(`${address}/api/org/`, {
          headers: { authorization: `Bearer ${token.notes.token}` },
        })
        const wanted = token.possible[0]?.revoked === false ? 200 : 401
        return status === wanted ? null : `link token ${token.key} answers ${status}, not ${wanted}`
      }),
    ),
    ...newest('session').map((session) =>
      untilAgreed(ctx, async () => {
        const { status } = await fetch(`${address}/account`, {
          headers: { cookie: session.notes.cookie ?? '', accept: 'text/html' },
          redirect: 'manual',
        })
        const wanted = session.possible[0] === null ? 303 : 200
        return status === wanted ? null : `the session of ${session.owner} answers ${status}, not ${wanted}`
      }),
    ),
  ])
  return found.flat()
}
