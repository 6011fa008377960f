/** Streams that something comes upon: changes, other clients, failures, hang-ups, tidying up, and much to send. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Listing } from '../../src/agents/discovery/listings/listing.ts'
import {
  addProducts,
  changeProduct,
  createListingsWorld,
  expectedSlugs,
  LINES,
  LONG_LINES,
  listenOn,
  removeProduct,
  slugsIn,
} from '../listings.world.ts'

/** Tells which products were made, in their order. */
function counting(base: Listing): { listing: Listing; made: string[] } {
  const made: string[] = []
  return {
    made,
    listing: {
      ...base,
      entry(site, profile) {
        made.push(profile.slug)
        return base.entry(site, profile)
      },
    },
  }
}

async function catalogOf(count: number, options: Parameters<typeof createListingsWorld>[0] = {}) {
  const world = await createListingsWorld(options)
  await addProducts(world, { category: 'lamps', count })
  await world.catchUp()
  return world
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks).toString()
    chunks.push(value)
  }
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (!response.body) throw new Error('there is no body')
  return response.body.getReader()
}

test('when much is missing the answer begins at once without tag and length, and the next has both', async () => {
  const world = await catalogOf(60, { mostMissing: 3 })
  const first = await world.get('/lines.txt')
  expect([first.status, first.headers.get('etag'), first.headers.get('content-length')]).toEqual([
    200,
    null,
    null,
  ])
  const text = await first.text()
  expect(slugsIn(text)).toEqual(await expectedSlugs(world))
  const second = await world.get('/lines.txt')
  expect(second.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect(await second.text()).toBe(text)
})

test('the first answer is compressed for anyone who wants that, and a HEAD does no work', async () => {
  const { listing, made } = counting(LINES)
  const world = await catalogOf(60, { mostMissing: 3, listings: [listing] })
  const head = await world.app.request('/lines.txt', { method: 'HEAD' })
  expect([head.status, await head.text(), made.length]).toEqual([200, '', 0])
  const gzip = await world.get('/lines.txt', { 'Accept-Encoding': 'gzip' })
  const text = gunzipSync(await gzip.arrayBuffer()).toString()
  expect(slugsIn(text)).toEqual(await expectedSlugs(world))
})

test('two clients at once share the work', async () => {
  for (const mostMissing of [0, 1_000]) {
    const { listing, made } = counting(LINES)
    const world = await catalogOf(60, { mostMissing, listings: [listing] })
    const texts = await Promise.all([1, 2, 3].map(() => world.text('/lines.txt')))
    expect(new Set(texts).size).toBe(1)
    expect(made.toSorted()).toEqual((await expectedSlugs(world)).toSorted())
  }
})

test('an answer begun before a change is whole and true to its tag', async () => {
  const world = await catalogOf(100, { listings: [LONG_LINES] })
  const before = await world.get('/long.txt')
  const whole = await (await world.get('/long.txt')).text()
  const reader = readerOf(before)
  const start = await reader.read()
  await addProducts(world, { category: 'lamps', prefix: 'new', count: 20 })
  const after = await world.get('/long.txt')
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  expect(await after.text()).toContain('new-20 ')
  expect(Buffer.from(start.value ?? []).toString() + (await readAll(reader))).toBe(whole)
})

test('tidying up disturbs nobody who is reading', async () => {
  const world = await catalogOf(40, { listings: [LONG_LINES], compactBytes: 100_000 })
  const begun = await world.get('/long.txt')
  const whole = await (await world.get('/long.txt')).text()
  const reader = readerOf(begun)
  const start = await reader.read()
  const slugs = await expectedSlugs(world)
  for (let round = 0; round < 4; round++) {
    for (const slug of slugs) await changeProduct(world, slug, { title: `Round ${round}` })
    expect(await world.text('/long.txt')).toBe(whole)
  }
  await world.listings.stop()
  expect(Buffer.from(start.value ?? []).toString() + (await readAll(reader))).toBe(whole)
  expect(world.logged.lines().filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
})

test('a failure in the middle breaks the stream off, compressed or not, and the next request works', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const world = await catalogOf(40, { mostMissing: 0, listings: [LONG_LINES] })
    const response = await world.get('/long.txt', { 'Accept-Encoding': encoding })
    const reader = readerOf(response)
    await reader.read()
    await world.database.pool.query('alter view shown_products rename to elsewhere')
    await expect(readAll(reader)).rejects.toThrow()
    expect(world.logged.text()).toContain('a listing was interrupted')
    await world.database.pool.query('alter view elsewhere rename to shown_products')
    expect((await world.text('/long.txt')).endsWith('the end\n')).toBe(true)
  }
})

test('over a connection, a stream that failed never looks whole', async () => {
  let left = 25
  const failing: Listing = {
    ...LONG_LINES,
    entry(site, profile) {
      if (left-- === 0) throw new Error('this one cannot be shown')
      return LONG_LINES.entry(site, profile)
    },
  }
  const world = await catalogOf(60, { mostMissing: 0, listings: [failing] })
  // The adapter tells the console too.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const address = await listenOn(world)
  const response = await fetch(`${address}/long.txt`)
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  expect((await (await fetch(`${address}/long.txt`)).text()).endsWith('the end\n')).toBe(true)
})

test('a client that hangs up stops the work, before and after its answer began', async () => {
  for (const mostMissing of [0, 10_000]) {
    const { listing, made } = counting(LONG_LINES)
    const world = await catalogOf(500, { mostMissing, listings: [listing], segmentSize: 8 })
    const address = await listenOn(world)
    const going = request(`${address}/long.txt`)
    going.on('error', () => {})
    going.on('response', (response) =>
      response.on('error', () => {}).on('data', () => made.length > 0 && going.destroy()),
    )
    going.end()
    await expect.poll(() => made.length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(0)
    going.destroy()
    expect(await settled(() => made.length)).toBeLessThan(450)
    expect(world.logged.lines().filter(({ level }) => level === 'error')).toEqual([])
    expect((await (await fetch(`${address}/long.txt`)).text()).endsWith('the end\n')).toBe(true)
  }
})

/** What is being made at the moment is finished; then it stays at that. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); ) {
    before = count()
    await sleep(200)
  }
  return count()
}

test('a client that hangs up takes nothing from the others', async () => {
  for (const mostMissing of [0, 1_000]) {
    const world = await catalogOf(60, { mostMissing, listings: [LONG_LINES] })
    const leaving = new AbortController()
    const left = world.app.request('/long.txt', { signal: leaving.signal })
    const staying = world.app.request('/long.txt')
    leaving.abort()
    await (await left).text().catch(() => '')
    const text = await (await staying).text()
    expect(text.endsWith('the end\n')).toBe(true)
    expect(text.match(/^lamps-/gm)).toHaveLength(60)
  }
})

test('a product removed while its segment is being made is not kept', async () => {
  let removal: Promise<string> | null = null
  const listing: Listing = {
    ...LINES,
    entry(site, profile) {
      removal ??= removeProduct(world, profile.slug)
        .then(() => world.text('/lines.txt'))
        .then(() => profile.slug)
      return LINES.entry(site, profile)
    },
  }
  const world = await catalogOf(700, { listings: [listing], segmentSize: 60_000 })
  await world.text('/lines.txt')
  const slug = await removal
  expect(slugsIn(await world.text('/lines.txt'))).toEqual(await expectedSlugs(world))
  expect(await world.text('/lines.txt')).not.toContain(`${slug} |`)
})

test('the memory does not grow with the file', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const inUse = async () => {
    collect()
    // What was found dead is given back in the background; the next one waits for that.
    await sleep(0)
    collect({ type: 'minor' })
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 1e6
  }
  const world = await catalogOf(2_000, { mostMissing: 0, listings: [LONG_LINES], segmentSize: 32 })
  const before = await inUse()
  for (const path of ['/long.txt', '/long.txt']) {
    const reader = readerOf(await world.get(path))
    let [bytes, most, looks] = [0, 0, 0]
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length
      // A look takes half a second, because the heap of the whole worker is collected for it.
      if (bytes > (looks + 1) * 12e6) {
        looks++
        most = Math.max(most, (await inUse()) - before)
      }
    }
    expect(looks).toBeGreaterThanOrEqual(2)
    expect(bytes).toBeGreaterThan(38e6)
    expect(most).toBeLessThan(15)
  }
})
