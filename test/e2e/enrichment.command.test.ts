/** The operator's commands about enrichments, on the database of a service that runs. */
import { beforeAll, expect, test } from 'vitest'
import { runAdmin } from '../admin-command.ts'
import { createEnrichmentWorld, type EnrichmentWorld } from './enrichment.world.ts'

let world: EnrichmentWorld

beforeAll(async () => {
  world = await createEnrichmentWorld()
})

const admin = (...args: string[]) => runAdmin(world, ...args)

async function propose(body: Record<string, unknown>) {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id, { name: 'Shop\u001b[31m' })
  const answer = await world.submit(org.bearer, { product_slug: product.slug, ...body })
  return { product, org, id: String(answer.body.enrichment_id) }
}

test('what waits is listed with what is there beside what is proposed, and approving it changes the pages', async () => {
  const { product, id } = await propose({
    fields: { title: 'By\ncommand', price: 12 },
    images: [{ url: 'https://shop.example/1.jpg' }],
    note: 'Please.',
  })
  const listed = await admin('enrichments')
  const lines = listed.out.split('\n')
  expect(lines[0]).toMatch(new RegExp(`^${id}\tkettles/${product.slug}\t2026-11-01T12:00:00.000Z\t`))
  expect(lines).toContain('\tprice\t{"low":49,"high":59}\t{"low":12,"high":12}')
  expect(lines).toContain('\timage\tnull\t{"alt":null,"url":"https://shop.example/1.jpg"}')
  expect(lines).toContain('\tnote\tnull\t"Please."')
  expect(listed.out.replaceAll(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
  const { code, err } = await admin('approve-enrichment', id)
  expect([code, err]).toEqual([
    0,
    `kettles/${product.slug} now has title, price, images and is producer_enriched.\n`,
  ])
  expect((await world.read(product.slug)).json).toMatchObject({
    name: 'By command',
    additionalImages: ['https://shop.example/1.jpg'],
  })
  expect((await admin('enrichments')).out).toBe('')
  await expect(admin('approve-enrichment', id)).rejects.toThrow('already approved')
})

test('a rejection needs a note, which the organization reads', async () => {
  const { org, id } = await propose({ fields: { sku: 'x' } })
  expect((await admin('reject-enrichment', id)).code).toBe(2)
  await expect(admin('reject-enrichment', id, 'x'.repeat(1_001))).rejects.toThrow('1000 characters')
  expect((await admin('reject-enrichment', id, 'Not the right number.')).code).toBe(0)
  const [row] = await world.database.db
    .selectFrom('enrichments')
    .selectAll()
    .where('org_id', '=', org.id)
    .execute()
  expect(row).toMatchObject({ status: 'rejected', review_note: 'Not the right number.', reviewed_by: null })
})
