/** A seller uploads a picture: judged by its bytes, proposed, and shown once an operator approved it. */
import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ProductImage } from '../../src/catalog/catalog.schema.ts'
import { newId } from '../../src/lib/ids.ts'
import { createPictureSweep } from '../../src/pictures/pictures.job.ts'
import { BASE_URL, SILENT } from '../harness.ts'
import { textOf } from '../html.ts'
import { blankPng, photo, photoWithPlace } from '../pictures.ts'
import { createProductsWorld, PRODUCTS, read, WHOLE } from './dashboard.products.world.ts'

const world = await createProductsWorld()
const { owner, viewer, form } = world
const PICTURE = `${WHOLE}/picture`

function upload(bytes: Uint8Array, { to = PICTURE, by = owner, name = 'front.jpg' } = {}) {
  const body = new FormData()
  for (const [field, value] of Object.entries(form({ shows: 'The front' }))) body.set(field, String(value))
  body.set('file', new File([new Uint8Array(bytes)], name, { type: 'image/jpeg' }))
  const headers = { cookie: by.cookie() ?? '', origin: BASE_URL, accept: 'text/html' }
  return read(Promise.resolve(world.app.request(to, { method: 'POST', body, headers })))
}

const counted = async (table: string) =>
  (await world.database.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n

describe('refused with a reason, and nothing is kept', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  test.each<[string, Uint8Array, string]>([
    ['an SVG named as a photo', Buffer.from(svg), 'SVG is not accepted'],
    ['a page', Buffer.from('<html><script>alert(1)</script>'), 'is not a JPEG, PNG, WebP, GIF or AVIF'],
    ['a bomb', blankPng({ width: 30_000, height: 30_000 }, 500), 'more than 40 megapixels'],
    ['half a picture', blankPng({ width: 90, height: 90 }).subarray(0, 55), 'damaged or incomplete'],
    ['too many bytes', Buffer.alloc(12 * 1024 ** 2 + 1, 0xff), 'larger than 12 MB'],
    ['no file', Buffer.alloc(0), 'Choose a file'],
  ])('%s', async (_what, bytes, reason) => {
    const { status, html } = await upload(bytes)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(textOf(html)).toContain(reason)
    expect(textOf(html)).toContain('Propose a change')
    expect([await counted('picture_files'), await counted('enrichments')]).toEqual([0, 0])
  })

  test('from who may only look, or for a product that is not theirs', async () => {
    const bytes = await photo().jpeg().toBuffer()
    expect((await upload(bytes, { by: viewer })).status).toBe(403)
    expect((await upload(bytes, { to: `${PRODUCTS}/kettles/free/picture` })).status).toBe(404)
    expect((await upload(bytes, { to: `${PRODUCTS}/kettles/bare/picture` })).status).toBe(403)
    expect(await counted('picture_files')).toBe(0)
  })
})

test('a picture is proposed, shown to the operator, and after approval to everybody from here', async () => {
  const { location } = await upload(await photoWithPlace())
  expect(location).toBe(`${WHOLE}?done=proposed`)
  const [proposal] = await world.proposals()
  const [image] = (proposal?.images ?? []) as ProductImage[]
  const url = image?.url ?? ''
  expect(url).toMatch(/^http:\/\/souk\.test\/pictures\/[0-9a-f]{40}\.webp$/)
  expect(image?.alt).toBe('The front')
  const path = new URL(url).pathname
  const served = await world.app.request(path)
  expect(served.headers.get('content-type')).toBe('image/webp')
  expect(Buffer.from(await served.arrayBuffer()).includes('Private')).toBe(false)
  expect((await upload(await photoWithPlace())).location).toBe(`${WHOLE}?done=proposed_same`)

  await world.database.pool.query("update enrichments set status = 'approved', reviewed_at = now()")
  await world.database.pool.query(
    "update products set verification_status = 'producer_enriched' where slug = 'whole'",
  )
  const { rows } = await world.database.pool.query(
    "select id, category_id from products where slug = 'whole'",
  )
  await world.database.pool.query(
    "insert into changes (product_id, category_id, aspect) values ($1, $2, 'text')",
    [rows[0].id, rows[0].category_id],
  )
  await world.catchUp()
  const page = await (
    await world.app.request('/p/kettles/whole', { headers: { accept: 'text/html' } })
  ).text()
  expect(page).toContain(`src="${path.replace('.webp', '-320.webp')}"`)
  expect(await (await world.app.request('/p/kettles/whole.json')).text()).toContain(url)
})

describe('an upload', () => {
  const sweep = createPictureSweep(world.pictures)
  const swept = () =>
    sweep.run({}, { signal: new AbortController().signal, attempt: 1, jobId: newId(), log: SILENT })
  const newest = async () => {
    const [image] = ((await world.proposals()).at(-1)?.images ?? []) as ProductImage[]
    return new URL(image?.url ?? '').pathname
  }

  test('is there again when the folder is lost: on the next read, or with the sweep', async () => {
    await upload(await photo({ width: 700, height: 500 }, 7).png().toBuffer())
    const path = await newest()
    for (const bring of [async () => {}, swept]) {
      fs.rmSync(world.pictures.folder, { recursive: true })
      await bring()
      expect((await world.app.request(path.replace('.webp', '-640.webp'))).status).toBe(200)
      expect((await world.app.request(path)).status).toBe(200)
    }
  })

  test('that was withdrawn is gone with its files a day later, and one that waits stays', async () => {
    const waiting = await newest()
    await upload(await photo({ width: 70, height: 50 }, 9).png().toBuffer())
    const path = await newest()
    await world.database.pool.query(
      "update enrichments set status = 'withdrawn' where images::text like $1",
      [`%${path}%`],
    )
    world.clock.advance(2 * 86_400_000)
    await swept()
    expect((await world.app.request(path)).status).toBe(404)
    expect((await world.app.request(waiting)).status).toBe(200)
  })
})
