/** What may wait for operators, and how they are shown who asks: their attention is not for the taking. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  WAITING_CLAIMS_UNPROVED,
  WAITING_PROPOSALS,
  WAITING_SUBMISSIONS_UNPROVED,
} from '../../src/catalog/waiting-limits.ts'
import { runAdmin } from '../admin-command.ts'
import { call, relate } from '../orgs.ts'
import { createImportWorld, fresh, type ImportWorld, jsonl, KNOWN, rowsOf } from './tools.import.world.ts'

let world: ImportWorld

beforeAll(async () => {
  world = await createImportWorld()
})

const admin = (...args: string[]) => runAdmin(world, ...args)

async function newProducer(options: { verified?: boolean; domain?: string | null; name?: string } = {}) {
  const { org, ...person } = await world.person({ producer: { name: 'Queue Shop', ...options } })
  if (!org) throw new Error('a producer has an organization')
  return { ...person, org }
}

type Someone = Awaited<ReturnType<typeof newProducer>>

const prove = ({ org }: Someone) =>
  world.database.pool.query(
    `update orgs set verification_status = 'verified', verified_via = 'operator', verified_at = now() where id = $1`,
    [org.id],
  )

const proposalsOf = async ({ org }: Someone) =>
  world.database.db
    .selectFrom('enrichments')
    .select(['id', 'status', 'fields', 'from_import'])
    .where('org_id', '=', org.id)
    .orderBy('id')
    .execute()

describe('until its domain is proved an organization', () => {
  const { max: mostProducts } = WAITING_SUBMISSIONS_UNPROVED
  const { max: mostClaims } = WAITING_CLAIMS_UNPROVED

  test(`has at most ${mostProducts} proposed products waiting, by import and one by one`, async () => {
    const someone = await newProducer({ verified: false })
    const content = jsonl(...Array.from({ length: mostProducts + 2 }, (_, n) => fresh(`Flood ${n}`)))
    for (const dry_run of [true, false]) {
      const { data } = await world.importAs(someone, { content, dry_run })
      expect(data).toMatchObject({ submitted: mostProducts, failed: 2 })
      expect(rowsOf(data)[0]).toMatchObject({
        problem: expect.stringContaining('until your domain is verified'),
        fix: 'verify your domain first',
      })
    }
    const one = () => world.call(someone, 'submit_product', fresh('One More'))
    const refused = await one()
    expect([refused.error.kind, refused.error.max]).toEqual(['conflict', mostProducts])
    expect(refused.text).toContain('verify your domain first')
    await prove(someone)
    expect((await one()).data).toMatchObject({ created: true })
  })

  test(`has at most ${mostClaims} claims waiting, by import, by tool and by REST`, async () => {
    const someone = await newProducer({ verified: false })
    await world.database.pool.query(
      `with made as (
        insert into products (id, slug, category_id, title)
        select gen_random_uuid(), 'queue-' || n, (select id from categories where slug = 'tents'), 'Queue ' || n
        from generate_series(1, $2::int) n returning id)
      insert into product_relationships (id, org_id, product_id, relationship_type, status)
      select gen_random_uuid(), $1, id, 'sells', 'pending' from made`,
      [someone.org.id, mostClaims],
    )
    const claim = { product_slug: 'kettles/old-kettle', relationship_type: 'sells' }
    const byImport = await world.importAs(someone, { content: jsonl(KNOWN) })
    expect(rowsOf(byImport.data)).toMatchObject([{ outcome: 'failed', fix: 'verify your domain first' }])
    const byTool = await world.call(someone, 'claim_product', claim)
    expect([byTool.error.kind, byTool.error.max]).toEqual(['conflict', mostClaims])
    const byRest = () => call(world, someone.org.bearer, 'POST', '/api/org/products/claim/', claim)
    expect(await byRest()).toMatchObject({ status: 409, body: { max: mostClaims } })
    await prove(someone)
    expect((await byRest()).status).toBe(201)
  })
})

describe('an import', () => {
  const row = (more: Record<string, unknown>) => ({ content: jsonl({ ...KNOWN, ...more }) })

  test('that says something else replaces what the last one proposed, under an id of its own', async () => {
    const someone = await newProducer()
    await relate(world, someone.org, world.known)
    await world.importAs(someone, row({ price: 41 }))
    const second = await world.importAs(someone, row({ price: 42 }))
    expect(rowsOf(second.data)).toMatchObject([
      { outcome: 'proposed', note: expect.stringContaining('replacing what an earlier import proposed') },
    ])
    const [old, young] = await proposalsOf(someone)
    expect([old?.status, young?.status]).toEqual(['withdrawn', 'pending'])
    expect(young).toMatchObject({ fields: { price: { low: 42, high: 42 } }, from_import: true })
    await expect(admin('approve-enrichment', old?.id ?? '')).rejects.toThrow('already withdrawn')
    const again = await world.importAs(someone, row({ price: 42 }))
    expect(again.data).toMatchObject({ unchanged: 1 })
    expect(await proposalsOf(someone)).toHaveLength(2)
  })

  test('in a dry run replaces nothing', async () => {
    const someone = await newProducer()
    await relate(world, someone.org, world.known)
    await world.importAs(someone, row({ price: 43 }))
    await world.importAs(someone, { ...row({ price: 44 }), dry_run: true })
    expect(await proposalsOf(someone)).toMatchObject([{ status: 'pending', fields: { price: { low: 43 } } }])
  })

  test('leaves what was proposed by hand, and needs no room for what it replaces', async () => {
    const someone = await newProducer()
    await relate(world, someone.org, world.known)
    await world.importAs(someone, row({ price: 45 }))
    for (let n = 1; n < WAITING_PROPOSALS.max; n++)
      await world.call(someone, 'submit_enrichment', {
        product_slug: 'kettles/old-kettle',
        fields: { sku: `S-${n}` },
      })
    expect((await world.importAs(someone, row({ price: 46 }))).data).toMatchObject({ proposed: 1 })
    const waiting = (await proposalsOf(someone)).filter(({ status }) => status === 'pending')
    expect(waiting).toHaveLength(WAITING_PROPOSALS.max)
    expect(waiting.filter(({ from_import }) => from_import)).toMatchObject([
      { fields: { price: { low: 46 } } },
    ])
  })

  test('waits for a review of what it would replace, and does not make that wait for it', async () => {
    const someone = await newProducer()
    await relate(world, someone.org, world.known)
    await world.importAs(someone, row({ price: 47 }))
    const [open] = await proposalsOf(someone)
    const { pool } = world.database
    const reviewer = await pool.connect()
    try {
      await reviewer.query('begin')
      await reviewer.query('select 1 from enrichments where id = $1 for update', [open?.id])
      const asked = world.importAs(someone, row({ price: 48 }))
      await expect
        .poll(
          async () => {
            const { rows } = await pool.query(
              `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
            )
            return rows.length
          },
          { timeout: 20_000 },
        )
        .toBe(1)
      // What an approval holds next; were the import holding it, each would wait for the other.
      await reviewer.query(`set local lock_timeout = '500ms'`)
      await reviewer.query('select 1 from product_relationships where org_id = $1 for share', [
        someone.org.id,
      ])
      await reviewer.query(`update enrichments set status = 'approved' where id = $1`, [open?.id])
      await reviewer.query('commit')
      expect((await asked).data).toMatchObject({ proposed: 1 })
    } finally {
      await reviewer.query('rollback')
      reviewer.release()
    }
    expect((await proposalsOf(someone)).map(({ status }) => status)).toEqual(['approved', 'pending'])
  })
})

describe('a list shows a domain with the word whether it is proved', () => {
  test.each([
    [true, 'proved.example', 'proved.example (verified)'],
    [false, 'claimed.example', 'claimed.example (not verified)'],
    [false, null, '-'],
  ])('proved %s: %s', async (verified, domain, shown) => {
    const someone = await newProducer({ verified, domain, name: `List ${verified} ${domain}` })
    await relate(world, someone.org, world.known, { type: 'manufactured_by' })
    const slug = 'kettles/old-kettle'
    const claim = { product_slug: slug, relationship_type: 'sells' }
    await world.call(someone, 'claim_product', claim)
    await world.call(someone, 'submit_product', fresh(`Listed ${domain}`))
    await world.call(someone, 'submit_enrichment', { product_slug: slug, fields: { sku: `D ${domain}` } })
    for (const list of ['relationships', 'submissions', 'enrichments']) {
      const { out } = await admin(list)
      const line = out.split('\n').find((text) => text.includes(`List ${verified} ${domain}`)) ?? ''
      expect({ list, columns: line.split('\t') }).toEqual({ list, columns: expect.arrayContaining([shown]) })
    }
  })
})
