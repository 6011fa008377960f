/** Who is said to have contributed a profile that an approved proposal made. */

import { beforeAll, expect, test } from 'vitest'
import { getProfile } from '../../src/catalog/catalog.service.ts'
import { approveSubmission } from '../../src/catalog/submissions-review.service.ts'
import { RELATIONSHIP_HOOKS } from '../../src/org-hooks.ts'
import { approveRename, listRenames } from '../../src/orgs/renames.service.ts'
import { call } from '../orgs.ts'
import type { OrgOptions } from '../tools.world.ts'
import { createSubmissionsWorld, type SubmissionsWorld } from './tools.submissions.world.ts'

let world: SubmissionsWorld

beforeAll(async () => {
  world = await createSubmissionsWorld()
})

const IMAGE = 'https://swift.example/1.jpg'

async function approved(title: string, producer: OrgOptions) {
  const person = await world.person({ producer })
  const id = await world.propose({ title, mpn: title, image_urls: [IMAGE], price_usd: 30 }, person)
  const review = { ...world.ctx, relationshipHooks: RELATIONSHIP_HOOKS }
  const { productSlug } = await approveSubmission(review, {
    by: { kind: 'operator', id: null },
    id,
    version: 1,
  })
  const [category = '', slug = ''] = productSlug.split('/')
  const profile = async () => {
    const found = await getProfile(world.ctx, { category, slug })
    if (!found) throw new Error(`no product ${productSlug}`)
    return found
  }
  return { person, productSlug, profile }
}

test('a seller’s profile is producer_enriched and names the seller', async () => {
  const { person, productSlug, profile } = await approved('Sold Kettle', { name: 'Proud Shop' })
  const found = await profile()
  expect(found).toMatchObject({
    verificationStatus: 'producer_enriched',
    enrichedBy: [{ orgName: 'Proud Shop', orgType: 'retailer' }],
    images: [{ url: IMAGE }],
  })
  expect(found.additionalImages).toBeUndefined()
  const { data, text } = await world.call(person, 'get_enrichment_status', { product_slug: productSlug })
  expect(data.verification_status).toBe('producer_enriched')
  const fields = data.fields as Array<{ standing: string; source: string }>
  expect(new Set(fields.map(({ standing, source }) => `${standing} ${source}`))).toEqual(
    new Set(['enriched Proud Shop']),
  )
  expect(text).not.toContain('no producer has contributed')
})

test('a manufacturer’s profile is manufacturer_enriched', async () => {
  const { profile } = await approved('Made Kettle', { name: 'Swift Works', orgType: 'manufacturer' })
  expect(await profile()).toMatchObject({
    verificationStatus: 'manufacturer_enriched',
    enrichedBy: [{ orgName: 'Swift Works', orgType: 'manufacturer' }],
  })
})

test('an organization without a proved domain is not named as a contributor', async () => {
  const { profile } = await approved('Unproved Kettle', { name: 'Anybody', verified: false })
  const found = await profile()
  expect(found.verificationStatus).toBe('producer_enriched')
  expect(found.enrichedBy).toBeUndefined()
})

test('a contributor whose new name is approved is named by it, and the page is made anew', async () => {
  const { person, productSlug, profile } = await approved('Renamed Kettle', { name: 'Old Name' })
  await world.catchUp()
  const page = async () => (await world.app.request(`/p/${productSlug}.json`)).text()
  expect(await page()).toContain('Old Name')
  world.clock.advance(60_000)
  const answer = await call(world, person.org?.session ?? null, 'PATCH', '/api/org/', { name: 'New Name' })
  expect(answer.status).toBe(200)
  await world.catchUp()
  expect((await profile()).enrichedBy).toMatchObject([{ orgName: 'Old Name' }])
  const [waiting] = await listRenames(world.orgs)
  await approveRename(world.orgs, waiting?.id ?? '')
  await world.catchUp()
  expect((await profile()).enrichedBy).toMatchObject([{ orgName: 'New Name' }])
  expect(await page()).toContain('"New Name"')
})

test('anyone who also has an enrichment approved is named once', async () => {
  const { person, productSlug, profile } = await approved('Twofold Kettle', { name: 'Twofold' })
  await world.call(person, 'submit_enrichment', { product_slug: productSlug, fields: { sku: 'T-2' } })
  await world.database.pool.query(
    `update enrichments set status = 'approved', reviewed_at = now() where org_id = $1`,
    [person.org?.id],
  )
  expect((await profile()).enrichedBy).toHaveLength(1)
})
