/** Proposals through the tool server: what a producer's model may propose, and what it learns of it. */
import { expect, test } from 'vitest'
import { relate } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { HOSTILE, outsideFences } from '../../test/skills.world.ts'
import { createToolsWorld, type ToolPerson } from '../../test/tools.world.ts'
import { approveEnrichment, rejectEnrichment } from './enrichment-review.service.ts'

const world = await createToolsWorld()
const { ctx } = world
let made = 0

/** A product, and somebody whose organization sells it. */
async function seller(name = 'Lamp Shop'): Promise<{ person: ToolPerson; slug: string; productId: string }> {
  const slug = `lamp-${++made}`
  const productId = await addProduct(world, { slug, category: 'lamps', title: `Lamp ${made}`, gtin: null })
  const person = await world.person({ producer: { name } })
  if (!person.org) throw new Error('no organization')
  await relate(world, person.org, productId)
  return { person, slug: `lamps/${slug}`, productId }
}

const operator = { by: { kind: 'operator' as const, id: null } }

test('a proposal waits, is shown as the proposer’s own, and becomes an enriched field once approved', async () => {
  const { person, slug } = await seller()
  const sent = await world.call(person, 'submit_enrichment', {
    product_slug: slug,
    fields: { description: 'Warm light.', specs: { Power: '9 W' } },
    images: [{ url: 'https://shop.example/a.jpg', alt: 'The lamp' }],
    evidence_url: 'https://shop.example/sheet',
  })
  expect(sent.data).toMatchObject({
    status: 'pending',
    created: true,
    parts: ['description', 'specs', 'images'],
  })
  const waiting = await world.call(person, 'get_enrichment_status', { product_slug: slug })
  expect(waiting.data).toMatchObject({
    product_slug: slug,
    verification_status: 'base',
    proposals: [{ status: 'pending', parts: ['description', 'specs', 'images'] }],
    total_proposals: 1,
  })
  expect(waiting.text).toContain('waiting for review')
  await approveEnrichment(ctx, { ...operator, id: String(sent.data.enrichment_id), parts: ['description'] })
  const after = await world.call(person, 'get_enrichment_status', { product_slug: slug })
  expect(after.data).toMatchObject({ verification_status: 'producer_enriched', total_proposals: 2 })
  expect(after.data.fields).toContainEqual(
    expect.objectContaining({ field: 'description', standing: 'enriched', source: 'Lamp Shop' }),
  )
  expect(after.data.fields).toContainEqual(expect.objectContaining({ field: 'title', standing: 'base' }))
})

test('a rejection is told with its reason, and the reviewer’s words stay in their fence', async () => {
  const { person, slug } = await seller()
  for (const [index, note] of HOSTILE.entries()) {
    const sent = await world.call(person, 'submit_enrichment', {
      product_slug: slug,
      fields: { description: `Text ${index}` },
    })
    await rejectEnrichment(ctx, { ...operator, id: String(sent.data.enrichment_id), note })
  }
  const { text, data } = await world.call(person, 'get_enrichment_status', { product_slug: slug })
  expect(data.proposals).toHaveLength(HOSTILE.length)
  expect(text).toContain('rejected')
  expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|javascript:/)
})

test('an organization’s name is no markup where it stands as a source', async () => {
  const { person, slug } = await seller('**Shop** [x](javascript:alert(1))')
  const sent = await world.call(person, 'submit_enrichment', { product_slug: slug, fields: { model: 'L-1' } })
  await approveEnrichment(ctx, { ...operator, id: String(sent.data.enrichment_id) })
  const { text } = await world.call(person, 'get_enrichment_status', { product_slug: slug })
  expect(text).toContain('\\*\\*Shop\\*\\*')
  expect(text).not.toContain('[x](')
})

test('others’ proposals are not told, and neither is that there are any', async () => {
  const { person, slug, productId } = await seller()
  await world.call(person, 'submit_enrichment', { product_slug: slug, fields: { model: 'Secret-9' } })
  const rival = await world.person({ producer: true })
  if (rival.org) await relate(world, rival.org, productId)
  const { data, text } = await world.call(rival, 'get_enrichment_status', { product_slug: slug })
  expect(data).toMatchObject({ proposals: [], total_proposals: 0 })
  expect(text).not.toContain('Secret')
})

test('the same proposal again is the one that waits already', async () => {
  const { person, slug } = await seller()
  const proposal = { product_slug: slug, fields: { model: 'L-2' } }
  const [one, two] = await Promise.all([
    world.call(person, 'submit_enrichment', proposal),
    world.call(person, 'submit_enrichment', proposal),
  ])
  expect(one.data.enrichment_id).toBe(two.data.enrichment_id)
  expect([one.data.created, two.data.created].sort()).toEqual([false, true])
})

test('more proposals than fit are counted, and every text is whole', async () => {
  const { person, slug, productId } = await seller()
  for (let n = 0; n < 20; n++)
    await world.call(person, 'submit_enrichment', { product_slug: slug, fields: { model: `L-${n}` } })
  const over = await world.call(person, 'submit_enrichment', {
    product_slug: slug,
    fields: { model: 'L-20' },
  })
  expect(over.error).toMatchObject({ kind: 'conflict', max: 20 })
  await world.database.pool.query(
    `update enrichments set status = 'rejected', review_note = repeat('long words ', 90) where product_id = $1`,
    [productId],
  )
  await world.call(person, 'submit_enrichment', { product_slug: slug, fields: { model: 'L-21' } })
  const { text, data } = await world.call(person, 'get_enrichment_status', { product_slug: slug })
  expect(data).toMatchObject({ total_proposals: 21 })
  expect(data.proposals).toHaveLength(20)
  expect(text).toMatch(/\d+ older proposals not shown/)
})

test('a product that is not the organization’s cannot be enriched, and one that does not exist is not there', async () => {
  const { slug } = await seller()
  const stranger = await world.person({ producer: true })
  const fields = { model: 'L-3' }
  const refused = await world.call(stranger, 'submit_enrichment', { product_slug: slug, fields })
  expect(refused.error).toMatchObject({ kind: 'forbidden', code: 'no_verified_relationship' })
  for (const [tool, args] of [
    ['submit_enrichment', { product_slug: 'lamps/none', fields }],
    ['get_enrichment_status', { product_slug: 'lamps/none' }],
  ] as const) {
    const { error } = await world.call(stranger, tool, args)
    expect(error).toMatchObject({ kind: 'not_found', field: 'product_slug' })
  }
})

test('who only reads proposes nothing, and who has no organization sees nothing', async () => {
  const { person, slug } = await seller()
  const viewer = await world.person({ in: person.org, role: 'viewer' })
  const refused = await world.call(viewer, 'submit_enrichment', {
    product_slug: slug,
    fields: { model: 'x' },
  })
  expect(refused.error.kind).toBe('forbidden')
  expect((await world.call(viewer, 'get_enrichment_status', { product_slug: slug })).isError).toBe(false)
  const shopper = await world.person()
  for (const tool of ['submit_enrichment', 'get_enrichment_status'])
    expect((await world.call(shopper, tool, { product_slug: slug })).isError).toBe(true)
})

test('a refusal names the field that is wrong', async () => {
  const { person, slug } = await seller()
  const submit = async (args: Record<string, unknown>) =>
    (await world.call(person, 'submit_enrichment', { product_slug: slug, ...args })).error
  expect(await submit({})).toMatchObject({ kind: 'invalid', field: 'fields' })
  const unknown = await submit({ fields: { rating: 5 } })
  expect(unknown).toMatchObject({ kind: 'invalid', field: 'fields.rating' })
  expect(unknown.valid).toContain('specs')
  expect(await submit({ fields: { price: 'cheap' } })).toMatchObject({ field: 'fields.price' })
  expect((await submit({ images: [{ url: 'http://shop.example/a.jpg' }] })).field).toMatch(/^images/)
  expect(await submit({ fields: { model: 'x' }, evidence_url: 'javascript:alert(1)' })).toMatchObject({
    field: 'evidence_url',
  })
  const pictures = Array.from({ length: 13 }, (_, n) => ({ url: `https://shop.example/${n}.jpg` }))
  expect(await submit({ images: pictures })).toMatchObject({ field: 'images', max: 12 })
})

test('a model is not offered to confirm a whole profile, not even its manufacturer’s', async () => {
  const { person, slug, productId } = await seller()
  if (person.org) await relate(world, person.org, productId, { type: 'manufactured_by' })
  const asked = { product_slug: slug, fields: { model: 'L-4' } }
  await world.call(person, 'submit_enrichment', { ...asked, confirms_profile: true })
  await world.call(person, 'submit_enrichment', asked)
  const { rows } = await world.database.pool.query(
    'select confirms_profile from enrichments where product_id = $1',
    [productId],
  )
  expect(rows).toEqual([{ confirms_profile: false }])
})
