import fs from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Job } from '../../src/jobs/runner.ts'
import { JobPostponed } from '../../src/jobs/runner.ts'
import { newId } from '../../src/lib/ids.ts'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { LIMITS } from '../../src/pictures/decoder.limits.ts'
import { createCopyJob, createPictureSweep } from '../../src/pictures/pictures.job.ts'
import { markFailed } from '../../src/pictures/pictures.queries.ts'
import {
  copyDuePictures,
  notePictures,
  picturesStatus,
  retryRefusedPictures,
} from '../../src/pictures/pictures.service.ts'
import { createTestApp, SILENT, testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { blankPng, photo } from '../pictures.ts'
import { addProduct } from '../products.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-pictures-'))
const answers = new Map<string, Answer>()
const asked: string[] = []
const server = await serve((request, response) => {
  const at = request.url ?? ''
  asked.push(at)
  const answer = answers.get(at)
  if (answer) answer(request, response)
  else response.writeHead(404).end()
})
const HOST = `shop.example:${server.port}`
const SHOP = `http://${HOST}`
const dialled: string[] = []
const outbound = createOutbound({
  allow: parseOutboundAllow(HOST),
  resolve: async (name) => (name === 'inside.example' ? ['10.0.0.8'] : ['127.0.0.1']),
  open(address, port) {
    dialled.push(`${address} ${port}`)
    return connect(port, address)
  },
})
const souk = await createTestApp({ config: testConfig({ SOUK_DATA_DIR: dataDir }), outbound })
const { pool } = souk.database
const ctx = { ...souk.pictures, log: SILENT }
const sweep = createPictureSweep(ctx)
const DAY_MS = 86_400_000

afterAll(async () => {
  await server.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

const send =
  (bytes: Uint8Array, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg', ...headers }).end(bytes)

const run = (job: Job) =>
  job.run({}, { signal: new AbortController().signal, attempt: 1, jobId: newId(), log: SILENT })

/** Looks at the catalog and copies until nothing is due. */
async function copyAll(): Promise<void> {
  await notePictures(ctx)
  while ((await copyDuePictures(ctx)) > 0) {}
  await souk.catchUp()
}

let made = 0
async function product(...images: string[]): Promise<{ id: string; path: string; slug: string }> {
  const slug = `lamp-${++made}`
  const id = await addProduct(souk, {
    slug,
    category: 'desk-lamps',
    title: `Lamp ${made}`,
    price: { low: 20, high: 20 },
    images: images.map((url) => ({ url })),
  })
  await souk.catchUp()
  return { id, slug, path: `/p/desk-lamps/${slug}` }
}

const rowsOf = async (id: string) =>
  (
    await pool.query<{ state: string; reason: string | null; hash: string | null; attempts: number }>(
      'select state, reason, hash, attempts from product_pictures where product_id = $1 order by url',
      [id],
    )
  ).rows

const filesHere = () =>
  fs
    .readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

const setImages = (id: string, images: string[]) =>
  pool.query('update products set images = $2 where id = $1', [
    id,
    JSON.stringify(images.map((url) => ({ url, alt: null }))),
  ])

describe('a copied picture', () => {
  let lamp: Awaited<ReturnType<typeof product>>
  let hash = ''
  beforeAll(async () => {
    answers.set('/lamp.jpg', send(await photo({ width: 1800, height: 1200 }).jpeg().toBuffer()))
    lamp = await product(`${SHOP}/lamp.jpg`)
    expect(await (await souk.app.request(`${lamp.path}.md`)).text()).toContain(`${SHOP}/lamp.jpg`)
    await copyAll()
    const [row] = await rowsOf(lamp.id)
    expect(row).toMatchObject({ state: 'copied', reason: null })
    hash = row?.hash ?? ''
  })

  test('is served by us in all its sizes, for ever', async () => {
    const widths = { '': 1600, '-640': 640, '-320': 320 }
    for (const [size, width] of Object.entries(widths)) {
      const answer = await souk.app.request(`/pictures/${hash}${size}.webp`)
      expect(answer.status).toBe(200)
      const { headers } = answer
      expect(headers.get('content-type')).toBe('image/webp')
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({
        format: 'webp',
        width,
      })
      const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
      expect((await souk.app.request(`/pictures/${hash}${size}.webp`, again)).status).toBe(304)
    }
  })

  test('is what every form shows', async () => {
    const url = `http://souk.test/pictures/${hash}.webp`
    const page = await (await souk.app.request(lamp.path, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain(`src="/pictures/${hash}-640.webp"`)
    expect(page).toContain(`/pictures/${hash}-320.webp 320w, /pictures/${hash}-640.webp 640w`)
    expect(page).not.toContain(SHOP)
    for (const file of [
      `${lamp.path}.md`,
      `${lamp.path}.json`,
      '/feeds/products.jsonl',
      '/feeds/google.tsv',
    ]) {
      const text = await (await souk.app.request(file)).text()
      expect(text, file).toContain(url)
      expect(text, file).not.toContain(`${SHOP}/lamp.jpg`)
    }
    const ucp = await souk.app.request('/catalog/product', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: lamp.slug }),
    })
    expect(await ucp.text()).toContain(url)
  })

  test('is fetched once, and for another product not at all', async () => {
    const before = asked.length
    const other = await product(`${SHOP}/lamp.jpg`)
    await copyAll()
    await copyAll()
    expect(asked.length).toBe(before)
    expect(await rowsOf(other.id)).toMatchObject([{ state: 'copied', hash }])
  })

  test('with the same bytes at another address is one file', async () => {
    const bytes = filesHere().length
    answers.set('/same.jpg', answers.get('/lamp.jpg') as Answer)
    const other = await product(`${SHOP}/same.jpg`)
    await copyAll()
    expect(await rowsOf(other.id)).toMatchObject([{ hash }])
    expect(filesHere().length).toBe(bytes)
  })
})

test.each([
  '/pictures/0000000000000000000000000000000000000000.webp',
  '/pictures/..%2f..%2fpackage.json.webp',
  '/pictures/..%5c..%5csecret.webp',
  '/pictures/%2e%2e%2f%2e%2e%2fetc%2fpasswd%00.webp',
  `/pictures/${'0'.repeat(40)}-9999.webp`,
  `/pictures/${'A'.repeat(40)}.webp`,
])('%s is nothing', async (address) => {
  expect((await souk.app.request(address)).status).toBe(404)
})

describe('what a hostile shop serves ends with a reason', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const cases: Record<string, [Answer | string, string]> = {
    'page.jpg': [send(Buffer.from('<html><script>alert(1)</script>')), 'not_a_picture'],
    'logo.png': [send(Buffer.from(`<?xml version="1.0"?>${SVG}`), { 'content-type': 'image/png' }), 'svg'],
    'bomb.png': [send(blankPng({ width: 30_000, height: 30_000 }, 1_000)), 'too_many_pixels'],
    'cut.png': [send(blankPng({ width: 300, height: 300 }).subarray(0, 60)), 'broken'],
    'huge.jpg': [
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg' })
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 0xff))) {}
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      },
      'too_large',
    ],
    'says-huge.jpg': [send(Buffer.alloc(1), { 'content-length': String(LIMITS.bytes + 1) }), 'too_large'],
    'packed.jpg': [send(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }), 'encoding'],
    'metadata.jpg': ['http://169.254.169.254/latest/meta-data', 'private_address'],
    'ten.jpg': ['http://10.0.0.8/secret.png', 'private_address'],
    'named.jpg': ['https://inside.example/secret.png', 'private_address'],
    'loop.jpg': [`${SHOP}/loop.jpg`, 'redirect'],
    'file.jpg': ['file:///etc/passwd', 'scheme'],
    'data.jpg': ['data:image/png;base64,AAAA', 'scheme'],
    'open.jpg': ['http://127.0.0.1:8088/', 'private_address'],
    'gone.jpg': [(_request, response) => response.writeHead(410).end(), 'http_410'],
    'empty.jpg': [send(Buffer.alloc(0)), 'empty'],
  }
  beforeEach(() => {
    for (const [name, [answer]] of Object.entries(cases))
      answers.set(
        `/${name}`,
        typeof answer === 'string'
          ? (_request, response) => response.writeHead(302, { location: answer }).end()
          : answer,
      )
  })

  test('and nobody inside is reached', async () => {
    const before = filesHere().length
    const names = Object.keys(cases)
    const ids = new Map<string, string>()
    for (const name of names) ids.set(name, (await product(`${SHOP}/${name}`)).id)
    await copyAll()
    for (const [name, [, reason]] of Object.entries(cases))
      expect([name, ...(await rowsOf(ids.get(name) ?? ''))]).toMatchObject([
        name,
        { state: 'refused', reason, hash: null },
      ])
    expect(new Set(dialled)).toEqual(new Set([`127.0.0.1 ${server.port}`]))
    expect(filesHere().length).toBe(before)
    const status = await picturesStatus(souk.database.db)
    expect(status.refused).toBe(names.length)
    expect(status.reasons.find(({ reason }) => reason === 'svg')).toMatchObject({
      refused: 1,
      words: expect.stringContaining('SVG is not accepted'),
    })
  }, 60_000)

  test('and the product shows the original', async () => {
    const { path: at } = await product(`${SHOP}/page.jpg`)
    await copyAll()
    expect(await (await souk.app.request(`${at}.md`)).text()).toContain(`${SHOP}/page.jpg`)
  })

  test('a redirect to a picture is followed', async () => {
    answers.set('/good.png', send(await photo({ width: 60, height: 40 }).png().toBuffer()))
    answers.set('/moved.png', (_request, response) =>
      response.writeHead(301, { location: '/good.png' }).end(),
    )
    const { id } = await product(`${SHOP}/moved.png`)
    await copyAll()
    expect(await rowsOf(id)).toMatchObject([{ state: 'copied' }])
  })
})

test('a picture that its host says is gone gives way to the drawing, until it is there again', async () => {
  // Pages show an https address; what became of fetching it is written down here, as the job does.
  const url = 'https://shop.example/away.jpg'
  const { id, path: at } = await product(url)
  const shown = async () => {
    await souk.catchUp()
    return /<img class="picture (\w+)"/.exec(await (await souk.app.request(at)).text())?.[1]
  }
  const fail = (state: 'refused' | 'waiting', reason: string) =>
    markFailed(souk.database.db, {
      ...{ url, state, reason, attempts: 0 },
      ...{ at: souk.clock.now(), dueAt: new Date(souk.clock.now().getTime() + DAY_MS) },
    })
  const changes = async () =>
    (await pool.query('select count(*)::int as n from changes where product_id = $1', [id])).rows[0]?.n
  await notePictures(ctx)
  expect(await shown()).toBe('photo')
  const before = await changes()
  await fail('refused', 'svg')
  expect([await shown(), await changes()]).toEqual(['photo', before])
  await fail('refused', 'http_404')
  await fail('refused', 'http_404')
  expect([await shown(), await changes()]).toEqual(['drawing', before + 1])
  expect(await (await souk.app.request(`${at}.md`)).text()).toContain(url)
  await fail('waiting', 'timeout')
  expect([await shown(), await changes()]).toEqual(['photo', before + 2])
  await pool.query('delete from product_pictures where product_id = $1', [id])
})

test('a passing trouble is tried again later, and in the end refused; a repaired one is copied', async () => {
  answers.set('/busy.jpg', (_request, response) => response.writeHead(503).end())
  const { id } = await product(`${SHOP}/busy.jpg`)
  for (let attempts = 1; attempts < 5; attempts++) {
    await copyAll()
    expect(await rowsOf(id)).toMatchObject([{ state: 'waiting', reason: 'http_503', attempts }])
    await copyAll()
    souk.clock.advance(DAY_MS)
  }
  await copyAll()
  expect(await rowsOf(id)).toMatchObject([{ state: 'refused', reason: 'http_503' }])
  answers.set('/busy.jpg', send(await photo({ width: 80, height: 40 }).jpeg().toBuffer()))
  expect(await retryRefusedPictures(souk.pictures)).toBeGreaterThan(0)
  await copyAll()
  expect(await rowsOf(id)).toMatchObject([{ state: 'copied', reason: null }])
}, 60_000)

test('a server that says nothing is given up on by the clock', async () => {
  const impatient = {
    ...ctx,
    outbound: {
      ...outbound,
      request: (input: Parameters<typeof outbound.request>[0]) =>
        outbound.request({ ...input, timeoutMs: 100 }),
    },
  }
  answers.set('/slow.jpg', (_request, response) => response.writeHead(200).write('x'))
  const { id } = await product(`${SHOP}/slow.jpg`)
  await notePictures(impatient)
  await copyDuePictures(impatient)
  expect(await rowsOf(id)).toMatchObject([{ state: 'waiting', reason: 'timeout', attempts: 1 }])
  answers.delete('/slow.jpg')
})

describe('the sweep', () => {
  const copied = async (seed: number) => {
    const at = `/sweep-${newId()}.png`
    answers.set(at, send(await photo({ width: 50, height: 50 }, seed).png().toBuffer()))
    const found = await product(`${SHOP}${at}`)
    await copyAll()
    const [row] = await rowsOf(found.id)
    return { ...found, url: `${SHOP}${at}`, hash: row?.hash ?? '' }
  }
  const isHere = (hash: string) => filesHere().some((name) => name.startsWith(hash))
  const later = () => souk.clock.advance(2 * DAY_MS)

  test('takes away what no product names, and leaves what another one uses', async () => {
    const [one, other] = [await copied(3), await copied(3)]
    expect(one.hash).toBe(other.hash)
    await setImages(one.id, [])
    later()
    await run(sweep)
    expect(await rowsOf(one.id)).toEqual([])
    expect(isHere(other.hash)).toBe(true)
    await pool.query('delete from products where id = $1', [other.id])
    await run(sweep)
    expect(isHere(other.hash)).toBe(false)
    expect((await souk.app.request(`/pictures/${other.hash}.webp`)).status).toBe(404)
    const { rows } = await pool.query('select 1 from picture_files where hash = $1', [other.hash])
    expect(rows).toEqual([])
  })

  test('the picture of a variant is copied, shown, and stays while the variant names it', async () => {
    const url = `${SHOP}/red.jpg`
    answers.set('/red.jpg', send(await photo({ width: 64, height: 48 }).jpeg().toBuffer()))
    const lamp = await product()
    const variant = { id: 'red', sku: null, gtin: null, options: [{ name: 'Color', value: 'Red' }] }
    const variants = [{ ...variant, priceCents: 2_000, listPriceCents: null, image: url }]
    await pool.query('update products set variants = $2 where id = $1', [lamp.id, JSON.stringify(variants)])
    await copyAll()
    const [row] = await rowsOf(lamp.id)
    const shown = await (await souk.app.request(`${lamp.path}.json`)).text()
    expect(shown).toContain(`/pictures/${row?.hash}.webp`)
    later()
    await run(sweep)
    expect(await rowsOf(lamp.id)).toHaveLength(1)
  })

  test('fetches again what is gone from the folder, and shows the original meanwhile', async () => {
    const lamp = await copied(4)
    fs.rmSync(path.join(dataDir, 'pictures', lamp.hash.slice(0, 2)), { recursive: true })
    expect((await souk.app.request(`/pictures/${lamp.hash}.webp`)).status).toBe(404)
    await run(sweep)
    await souk.catchUp()
    expect(await (await souk.app.request(`${lamp.path}.md`)).text()).toContain(lamp.url)
    await copyAll()
    expect(isHere(lamp.hash)).toBe(true)
    expect(await (await souk.app.request(`${lamp.path}.md`)).text()).toContain(lamp.hash)
  })

  test('takes away what a crash left behind: files without a row, and halves', async () => {
    const lamp = await copied(5)
    const folder = path.join(dataDir, 'pictures', 'ab')
    fs.mkdirSync(folder, { recursive: true })
    const orphan = path.join(folder, `ab${'0'.repeat(38)}.webp`)
    const half = path.join(folder, 'half.tmp')
    const fresh = path.join(folder, 'fresh.tmp')
    for (const file of [orphan, half, fresh]) fs.writeFileSync(file, 'x')
    fs.utimesSync(half, 0, 0)
    await run(sweep)
    expect([orphan, half, fresh].map((file) => fs.existsSync(file))).toEqual([false, false, true])
    fs.rmSync(fresh)
    expect(isHere(lamp.hash)).toBe(true)
  })

  test('and a copy of the same picture at the same time leave either both or nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const old = await copied(6)
      await pool.query('delete from products where id = $1', [old.id])
      later()
      const [fresh] = await Promise.all([copied(6), run(sweep)])
      expect(await rowsOf(fresh.id)).toMatchObject([{ state: 'copied', hash: fresh.hash }])
      expect(isHere(fresh.hash)).toBe(true)
      await pool.query('delete from products where id = $1', [fresh.id])
    }
  })
})

test('a folder that cannot be written to puts the job off, and nothing is marked', async () => {
  answers.set('/late.png', send(await photo({ width: 33, height: 33 }).png().toBuffer()))
  const { id } = await product(`${SHOP}/late.png`)
  const file = path.join(dataDir, 'a-file')
  fs.writeFileSync(file, '')
  const blocked = createCopyJob({ ...ctx, folder: path.join(file, 'pictures') })
  await expect(run(blocked)).rejects.toThrow(JobPostponed)
  expect(await rowsOf(id)).toMatchObject([{ state: 'waiting', hash: null }])
  await run(createCopyJob(ctx))
  expect(await rowsOf(id)).toMatchObject([{ state: 'copied' }])
})
