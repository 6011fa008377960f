/**
 * Any sequence of creating, editing and setting offers by two organizations, with time passing: held against a small
 * model of what should be stored, shown and recorded.
 */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { call, type TestOrg } from '../orgs.ts'
import {
  audits,
  clear,
  createOffersWorld,
  DEAL,
  get,
  list,
  offerChanges,
  type World,
} from './offers.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
})

const START = Date.parse('2026-11-01T12:00:01Z')
const hour = (n: number) => new Date(START + n * 3_600_000).toISOString()
const who = fc.constantFrom<'shop' | 'rival'>('shop', 'rival')
const dollars = fc.integer({ min: 0, max: 9_999_999_999 }).map((cents) => cents / 100)
const time = fc.option(fc.integer({ min: -5, max: 15 }).map(hour))
const types = ['percentage_off', 'fixed_amount_off', 'free_shipping', 'bogo', 'bundle', 'free_gift']
const terms = fc.record(
  {
    headline: fc.constantFrom('One', 'Two', 'Three'),
    detail: fc.constantFrom('a', 'b', null),
    price_usd: fc.oneof(fc.constantFrom(null, 1.1, 4.35, 1.15), dollars),
    list_price_usd: fc.option(dollars),
    starts_at: time,
    expires_at: time,
    promo_code: fc.constantFrom('A', null),
    offer_types: fc.subarray(types),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), who, terms }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('edit' as const), who, terms, target: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      who,
      target: fc.nat(5),
      status: fc.constantFrom('active', 'paused', 'expired'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 6 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Known = { id: string; owner: 'shop' | 'rival'; row: Record<string, unknown> }

/** A row as the list gives it, from what was asked for. */
function rowFrom(asked: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [
      name,
      name.endsWith('price_usd') && value !== null ? Math.round(Number(value) * 100) : value,
    ]),
  )
}

const EMPTY = {
  detail: null,
  price_usd: null,
  list_price_usd: null,
  starts_at: null,
  expires_at: null,
  promo_code: null,
  offer_types: [],
}

/** What the public sees now or will see of one offer; null for nothing. */
function publicView({ row }: Known, now: number): string | null {
  const at = (name: string) => (row[name] === null ? null : Date.parse(String(row[name])))
  const [starts, expires] = [at('starts_at'), at('expires_at')]
  if (row.status !== 'active' || (expires !== null && expires <= now)) return null
  if (starts !== null && expires !== null && starts >= expires) return null
  return JSON.stringify({ ...row, status: null, destination_url: null })
}

async function run(steps: Step[]): Promise<void> {
  await clear(souk)
  const orgs: Record<'shop' | 'rival', TestOrg> = { shop: souk.shop, rival: souk.rival }
  const recorded = async () =>
    (await audits(souk, souk.shop)).length + (await audits(souk, souk.rival)).length
  const known: Known[] = []
  const historyAtStart = await recorded()
  let [records, changes] = [0, 0]
  for (const one of steps) {
    const now = souk.clock.now().getTime()
    if (one.kind === 'wait') {
      souk.clock.advance(one.hours * 3_600_000)
    } else if (one.kind === 'create') {
      const body = { product_slug: 'gooseneck', ...DEAL, ...one.terms }
      const { starts_at, expires_at } = one.terms
      const answer = await call(souk, orgs[one.who].bearer, 'POST', '/api/offers/create/', body)
      const disordered = starts_at && expires_at && expires_at <= starts_at
      expect(answer.status).toBe(disordered ? 400 : 201)
      if (disordered) continue
      const row = { ...EMPTY, ...rowFrom({ ...DEAL, ...one.terms }), status: 'draft' }
      known.push({ id: String(answer.body.offer_id), owner: one.who, row })
      records++
    } else {
      const target = known[one.target % Math.max(known.length, 1)]
      if (!target) continue
      const [path, asked] =
        one.kind === 'edit'
          ? ['/api/offers/edit/', one.terms]
          : ['/api/offers/update/', { status: one.status }]
      const answer = await call(souk, orgs[one.who].bearer, 'PATCH', path, { offer_id: target.id, ...asked })
      expect(answer.status).toBe(target.owner === one.who ? 200 : 404)
      if (target.owner !== one.who) continue
      const before = { ...target, row: target.row }
      target.row = { ...target.row, ...rowFrom(asked) }
      if (JSON.stringify(before.row) !== JSON.stringify(target.row)) records++
      if (publicView(before, now) !== publicView(target, now)) changes++
    }
  }
  const now = souk.clock.now().getTime()
  for (const owner of ['shop', 'rival'] as const) {
    const rows = await list(souk, orgs[owner])
    const own = known.filter((one) => one.owner === owner).toReversed()
    expect(rows).toEqual(
      own.map(({ id, row }) => ({
        ...row,
        id,
        product_slug: 'kettles/gooseneck',
        created_at: expect.any(String),
        status: row.expires_at !== null && Date.parse(String(row.expires_at)) <= now ? 'expired' : row.status,
      })),
    )
    for (const { status, price_usd, list_price_usd } of rows) {
      expect(['draft', 'active', 'paused', 'expired']).toContain(status)
      for (const cents of [price_usd, list_price_usd])
        expect(cents === null || Number.isSafeInteger(cents)).toBe(true)
    }
  }
  expect((await recorded()) - historyAtStart, 'one record a change, none for nothing').toBe(records)
  expect((await offerChanges(souk)).length, 'a change row when the public view changed').toBe(changes)
  const live = known.filter((one) => {
    const { starts_at } = one.row
    return publicView(one, now) !== null && (starts_at === null || Date.parse(String(starts_at)) <= now)
  })
  const { body } = await get(souk, '/offers/gooseneck.json')
  const shown = (body.offers as Array<{ id: string }>).map(({ id }) => id)
  expect(shown.toSorted()).toEqual(live.map(({ id }) => id).toSorted())
}

test('stored, shown and recorded is exactly what was asked for, whatever the order', {
  timeout: 120_000,
}, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), run), {
    numRuns: 25,
    seed: 20261115,
  })
})
