/** How a listing is sent: tags, ranges, encodings, and streams that changes, failures and hang-ups come upon. */
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  addProducts,
  changeProduct,
  createListingsWorld,
  expectedSlugs,
  type ListingsWorld,
  slugsIn,
  smallSplit,
} from '../../../../test/listings.world.ts'

const MAP = smallSplit(20)
let world: ListingsWorld
beforeAll(async () => {
  world = await createListingsWorld()
  await addProducts(world, { category: 'lamps', count: 40 })
  await addProducts(world, { category: 'chairs', count: 30 })
})

async function etagOf(headers: Record<string, string> = {}): Promise<string> {
  return (await world.get('/lines.txt', headers)).headers.get('etag') ?? ''
}

describe('a whole file', () => {
  test('says what it is, how long, and that it must be asked about again', async () => {
    const response = await world.get('/lines.txt')
    const body = await response.text()
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'public, no-cache',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
      'x-robots-tag': 'noindex',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
  })

  test('has another tag when one letter changed, and the old one when it changed back', async () => {
    const before = await etagOf()
    await changeProduct(world, 'lamps-3', { title: 'Other' })
    expect(await etagOf()).not.toBe(before)
    await changeProduct(world, 'lamps-3', { title: 'Title 3' })
    expect(await etagOf()).toBe(before)
  })

  test('is not sent to anyone who has it', async () => {
    const etag = await etagOf()
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await world.get('/lines.txt', { 'If-None-Match': value })
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await world.get('/lines.txt', { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('is refused to anyone who wants another one or none', async () => {
    const etag = await etagOf()
    const status = async (value: string, more: Record<string, string> = {}) =>
      (await world.get('/lines.txt', { 'If-Match': value, ...more })).status
    expect(await status('"other"')).toBe(412)
    // A weak tag does not promise the same bytes.
    expect(await status(`W/${etag}`)).toBe(412)
    expect(await status('"other"', { Range: 'bytes=0-1' })).toBe(412)
    expect(await status(`"other", ${etag}`)).toBe(200)
    expect(await status(etag, { Range: 'bytes=0-1' })).toBe(206)
    expect(await status(`${etag.slice(0, -1)}-gzip"`, { 'Accept-Encoding': 'gzip' })).toBe(200)
    expect(await status('*')).toBe(200)
  })

  test('a HEAD tells the same without the body', async () => {
    const got = await world.get('/lines.txt')
    const head = await world.app.request('/lines.txt', { method: 'HEAD' })
    expect(await head.text()).toBe('')
    for (const name of ['etag', 'content-length', 'content-type', 'accept-ranges'])
      expect(head.headers.get(name)).toBe(got.headers.get(name))
    await got.body?.cancel()
  })
})

describe('compressed', () => {
  test('it is the same text under a tag of its own, and each tag stands for its own encoding', async () => {
    const plain = await world.get('/lines.txt')
    const gzip = await world.get('/lines.txt', { 'Accept-Encoding': 'gzip, br' })
    const etag = `${plain.headers.get('etag')?.slice(0, -1)}-gzip"`
    expect(Object.fromEntries(gzip.headers)).toMatchObject({ 'content-encoding': 'gzip', etag })
    expect(gzip.headers.get('content-length')).toBeNull()
    expect(gunzipSync(await gzip.arrayBuffer()).toString()).toBe(await plain.text())
    const asked = (tag: string, encoding: string) =>
      world.get('/lines.txt', { 'If-None-Match': tag, 'Accept-Encoding': encoding })
    expect((await asked(etag, 'gzip')).status).toBe(304)
    expect((await asked(etag, 'identity')).status).toBe(200)
    expect((await asked(plain.headers.get('etag') ?? '', 'gzip')).status).toBe(200)
  })

  test('a range is of the plain bytes, and refused encodings are not used', async () => {
    const ranged = await world.get('/lines.txt', { 'Accept-Encoding': 'gzip', Range: 'bytes=0-9' })
    expect([ranged.status, ranged.headers.get('content-encoding')]).toEqual([206, null])
    const refused = await world.get('/lines.txt', { 'Accept-Encoding': 'gzip;q=0, br' })
    expect(refused.headers.get('content-encoding')).toBeNull()
    await refused.body?.cancel()
  })
})

test('two answers at a time are compressed, the others are plain and just as right', async () => {
  const idle = await createListingsWorld({ database: world.database })
  const asked = (headers: Record<string, string> = {}) =>
    idle.get('/lines.txt', { 'Accept-Encoding': 'gzip', ...headers })
  const busy = [await asked(), await asked()]
  const third = await asked()
  const encodings = [...busy, third].map(({ headers }) => headers.get('content-encoding'))
  expect(encodings).toEqual(['gzip', 'gzip', null])
  expect(third.headers.get('vary')).toBe('Accept-Encoding')
  const [etag, gzipTag] = [await etagOf(), busy[0]?.headers.get('etag') ?? '']
  expect(third.headers.get('etag')).toBe(etag)
  for (const tag of [etag, gzipTag]) expect((await asked({ 'If-None-Match': tag })).status).toBe(304)
  const text = await third.text()
  for (const answer of busy) expect(gunzipSync(await answer.arrayBuffer()).toString()).toBe(text)
  const again = await asked()
  expect(again.headers.get('content-encoding')).toBe('gzip')
  await again.body?.cancel()
})

describe('ranges', () => {
  test('put together, any cuts of the file are the file', async () => {
    const whole = await world.text('/lines.txt')
    const size = Buffer.byteLength(whole)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: size - 1 }), { maxLength: 6 }),
        async (cuts) => {
          const starts = [0, ...cuts.toSorted((a, b) => a - b)]
          let joined = ''
          for (const [index, start] of starts.entries()) {
            const end = (starts[index + 1] ?? size) - 1
            const response = await world.app.request('/lines.txt', {
              headers: { Range: `bytes=${start}-${end}` },
            })
            expect(response.status).toBe(206)
            expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`)
            expect(response.headers.get('content-length')).toBe(String(end - start + 1))
            joined += await response.text()
          }
          expect(joined).toBe(whole)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('the end is to be had without knowing the length', async () => {
    expect(await (await world.get('/lines.txt', { Range: 'bytes=-8' })).text()).toBe('the end\n')
  })

  test('what lies behind the end is refused with the length', async () => {
    const size = Buffer.byteLength(await world.text('/lines.txt'))
    const response = await world.get('/lines.txt', { Range: `bytes=${size}-` })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
  })

  test('several at once, and a range of another file, are answered with the whole', async () => {
    const whole = await world.text('/lines.txt')
    const asked: Array<Record<string, string>> = [
      { Range: 'bytes=0-1,4-5' },
      { Range: 'bytes=0-1', 'If-Range': '"other"' },
      { Range: 'bytes=0-1', 'If-Range': 'Sun, 01 Nov 2026 12:00:00 GMT' },
    ]
    for (const headers of asked) {
      const response = await world.get('/lines.txt', headers)
      expect([response.status, await response.text()]).toEqual([200, whole])
    }
    const same = await world.get('/lines.txt', { Range: 'bytes=0-1', 'If-Range': await etagOf() })
    expect(same.status).toBe(206)
  })
})

describe('a listing that is cut in parts', () => {
  test('is one file while it fits, and then there are no parts', async () => {
    const fits = await createListingsWorld({ database: world.database, listings: [smallSplit(73)] })
    expect(slugsIn(await fits.text('/map.txt'))).toEqual(await expectedSlugs(world))
    expect((await fits.get('/maps/1.txt')).status).toBe(404)
    expect((await fits.get('/map.txt')).headers.get('x-robots-tag')).toBeNull()
  })

  test('beyond that is an index of whole files that hold every product once, none too large', async () => {
    const cut = await createListingsWorld({ database: world.database, listings: [MAP] })
    const [first, ...paths] = (await cut.text('/map.txt')).trim().split('\n')
    expect(first).toBe('index')
    expect(paths.length).toBeGreaterThan(3)
    const parts = await Promise.all(paths.map((path) => cut.text(path)))
    expect(parts.flatMap(slugsIn)).toEqual(await expectedSlugs(world))
    for (const [index, part] of parts.entries()) {
      expect(part.startsWith(index === 0 ? '70 products' : 'continued\n')).toBe(true)
      expect(part.endsWith('the end\n')).toBe(true)
      // The first line of each, its head, counts for one in the first only.
      expect(part.split('\n').length - 3 + (index === 0 ? 1 : 0)).toBeLessThanOrEqual(20)
    }
    expect(parts.join('').match(/^# /gm)).toHaveLength(2)
    for (const path of ['/maps/0.txt', '/maps/01.txt', `/maps/${paths.length + 1}.txt`, '/maps/x.txt'])
      expect((await cut.get(path)).status).toBe(404)
  })

  test('no part has more bytes than allowed', async () => {
    const cut = await createListingsWorld({ database: world.database, listings: [smallSplit(1e6, 1_200)] })
    const paths = (await cut.text('/map.txt')).trim().split('\n').slice(1)
    const parts = await Promise.all(paths.map((path) => cut.text(path)))
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(1_200)
    expect(parts.flatMap(slugsIn)).toEqual(await expectedSlugs(world))
  })

  test('waits for all of it even when much is missing, because its cuts are known only then', async () => {
    const cut = await createListingsWorld({ database: world.database, listings: [MAP], mostMissing: 0 })
    expect(await cut.text('/map.txt')).toMatch(/^index\n/)
  })
})
