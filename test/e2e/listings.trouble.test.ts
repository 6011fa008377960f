/** Listings when something around them is stuck, full or gone: the database, the disk, a client. */
import net from 'node:net'
import { expect, test, vi } from 'vitest'
import { openScratchFile } from '../../src/lib/scratch-file.ts'
import {
  addProducts,
  changeProduct,
  createListingsWorld,
  expectedSlugs,
  LINES,
  type ListingsWorld,
  LONG_LINES,
  listenOn,
  slugsIn,
  smallSplit,
} from '../listings.world.ts'

const OTHER = { ...LINES, path: '/other.txt' }

async function catalogOf(count: number, options: Parameters<typeof createListingsWorld>[0] = {}) {
  const world = await createListingsWorld(options)
  await addProducts(world, { category: 'lamps', count })
  await world.catchUp()
  return world
}

/** Anyone who reads products waits until `work` is over. */
async function whileLocked<T>({ database }: ListingsWorld, work: () => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query('lock table products in access exclusive mode')
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A read that waits for the lock. */
async function stuckReads({ database }: ListingsWorld): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}

const untilStuck = (world: ListingsWorld) =>
  expect.poll(() => stuckReads(world), { timeout: 15_000, interval: 10 }).toBe(1)

test('a read that is stuck holds up no file that is whole, and is ended', async () => {
  const world = await catalogOf(30, { listings: [LINES, OTHER], longestReadMs: 1_500 })
  const whole = await world.text('/lines.txt')
  await whileLocked(world, async () => {
    let isEnded = false
    const stuck = Promise.resolve(world.app.request('/other.txt')).finally(() => {
      isEnded = true
    })
    await untilStuck(world)
    expect(await (await world.app.request('/lines.txt')).text()).toBe(whole)
    const etag = (await world.app.request('/lines.txt', { method: 'HEAD' })).headers.get('etag') ?? ''
    const same = await world.app.request('/lines.txt', { headers: { 'If-None-Match': etag } })
    expect(same.status).toBe(304)
    expect(isEnded).toBe(false)
    const refused = await stuck
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    expect(await stuckReads(world)).toBe(0)
  })
  expect(await world.text('/other.txt')).toBe(whole)
})

test('an answer that cannot begin in time says when to come back, and what it waited for serves the next', async () => {
  const world = await catalogOf(30, { beginMs: 200 })
  await whileLocked(world, async () => {
    const refused = await world.app.request('/lines.txt')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
  })
  await expect.poll(async () => (await world.app.request('/lines.txt')).status).toBe(200)
  expect(slugsIn(await world.text('/lines.txt'))).toEqual(await expectedSlugs(world))
})

test('changes that cannot be looked up in time are looked up by the next', async () => {
  const world = await catalogOf(30, { longestReadMs: 200 })
  await world.text('/lines.txt')
  await changeProduct(world, 'lamps-3', { title: 'Later' })
  await world.catchUp()
  const refused = await whileLocked(world, () => Promise.resolve(world.app.request('/lines.txt')))
  expect(refused.status).toBe(503)
  expect(await world.text('/lines.txt')).toContain('lamps-3 | Later')
})

test('stopping does not wait for a read that is stuck', async () => {
  const world = await catalogOf(30, { longestReadMs: 60_000, beginMs: 200, stopMs: 100 })
  await whileLocked(world, async () => {
    const stuck = world.app.request('/lines.txt')
    await untilStuck(world)
    await world.listings.stop()
    expect(await stuckReads(world)).toBe(1)
    expect((await world.app.request('/lines.txt')).status).toBe(503)
    expect((await stuck).status).toBe(503)
  })
})

test('a whole file does not wait for a stream that somebody else began', async () => {
  const made: string[] = []
  const cold = {
    ...LONG_LINES,
    entry: (...args: Parameters<typeof LONG_LINES.entry>) => {
      made.push(args[1].slug)
      return LONG_LINES.entry(...args)
    },
  }
  const world = await catalogOf(200, { listings: [LINES, cold], mostMissing: 0 })
  await (await world.get('/lines.txt')).text()
  const stream = await world.get('/long.txt')
  const reader = stream.body?.getReader()
  await reader?.read()
  await reader?.read()
  expect((await world.app.request('/lines.txt', { method: 'HEAD' })).headers.get('etag')).not.toBeNull()
  expect(made.length).toBeLessThan(200)
  await reader?.cancel()
})

test('a full disk is answered with 503 and told once, and all is well when there is room again', async () => {
  let room = 1_500
  const opened: Array<{ closed(): boolean }> = []
  const openFile = async (dir: string) => {
    const file = await openScratchFile(dir)
    let holders = 1
    opened.push({ closed: () => holders === 0 })
    return {
      ...file,
      async append(bytes: Uint8Array) {
        if (file.size() + bytes.length > room) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        return file.append(bytes)
      },
      hold() {
        holders++
        file.hold()
      },
      letGo() {
        holders--
        file.letGo()
      },
    }
  }
  const world = await catalogOf(60, { openFile })
  for (let n = 0; n < 3; n++) {
    const refused = await world.get('/lines.txt')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
    expect(await refused.text()).not.toContain('space')
  }
  expect(opened.length).toBeGreaterThan(1)
  expect(opened.every((file) => file.closed())).toBe(true)
  const told = () => world.logged.lines().filter(({ level }) => level === 'error')
  expect(told()).toHaveLength(1)
  room = 1e9
  expect(slugsIn(await world.text('/lines.txt'))).toEqual(await expectedSlugs(world))
  await addProducts(world, { category: 'chairs', count: 30 })
  room = 0
  expect((await world.get('/lines.txt')).status).toBe(503)
  expect(told()).toHaveLength(2)
  room = 1e9
  expect(slugsIn(await world.text('/lines.txt'))).toEqual(await expectedSlugs(world))
})

test('a stream that finds the disk full breaks off', async () => {
  let room = true
  const openFile = async (dir: string) => {
    const file = await openScratchFile(dir)
    const full = () => Promise.reject(new Error('no space'))
    return { ...file, append: (bytes: Uint8Array) => (room ? file.append(bytes) : full()) }
  }
  const world = await catalogOf(60, { openFile, mostMissing: 0, listings: [LONG_LINES] })
  const reader = (await world.get('/long.txt')).body?.getReader()
  await reader?.read()
  room = false
  const rest = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return
  }
  await expect(rest()).rejects.toThrow('temporarily unavailable')
  room = true
  expect((await world.text('/long.txt')).endsWith('the end\n')).toBe(true)
})

test('a folder that cannot be used is a 503 on every listing, told once', async () => {
  const world = await catalogOf(5, { dir: '/nowhere/at/all', listings: [LINES, OTHER] })
  for (const path of ['/lines.txt', '/other.txt']) expect((await world.get(path)).status).toBe(503)
  const told = world.logged.lines().filter(({ level }) => level === 'error')
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ dir: '/nowhere/at/all' })
})

test('tidying up that failed is not tried again at once, and disturbs nobody', async () => {
  let files = 0
  const openFile = async (dir: string) => {
    if (++files > 1) throw new Error('no room for a second file')
    return openScratchFile(dir)
  }
  const world = await catalogOf(20, { openFile, listings: [LONG_LINES], compactBytes: 1_000 })
  for (let round = 0; round < 8; round++) {
    for (const slug of await expectedSlugs(world)) await changeProduct(world, slug, { title: `R ${round}` })
    expect((await world.text('/long.txt')).endsWith('the end\n')).toBe(true)
  }
  const told = () => world.logged.lines().filter(({ level }) => level === 'warn')
  await expect.poll(() => told().length).toBe(1)
  expect(files).toBe(2)
  world.clock.advance(11 * 60_000)
  await world.text('/long.txt')
  await expect.poll(() => told().length).toBe(2)
})

test('a client that takes nothing is let go, one that reads slowly is not', async () => {
  // The adapter tells the console of streams that failed.
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const world = await catalogOf(800, { listings: [LONG_LINES], patienceMs: 400 })
  const { port } = new URL(await listenOn(world))
  const connect = async () => {
    const socket = net.connect(Number(port), '127.0.0.1')
    const over = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.write('GET /long.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return { socket, over }
  }
  const stalled = await connect()
  stalled.socket.pause()
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), { timeout: 20_000 })
  let bytes = 0
  stalled.socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  stalled.socket.resume()
  await stalled.over
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(15e6)
  const slow = await connect()
  let [text, chunks] = [0, 0]
  slow.socket.on('data', (chunk: Buffer) => {
    text += chunk.length
    if (++chunks % 40 !== 0) return
    slow.socket.pause()
    setTimeout(() => slow.socket.resume(), 20)
  })
  await slow.over
  expect(text).toBeGreaterThan(16e6)
})

test('a HEAD of what is cut in parts, and parts that cannot be, make nothing', async () => {
  let made = 0
  const map = { ...smallSplit(20), entry: () => `entry ${++made}\n` }
  const world = await catalogOf(60, { listings: [map], mostMissing: 0 })
  expect((await world.app.request('/map.txt', { method: 'HEAD' })).status).toBe(200)
  for (const path of ['/maps/0.txt', '/maps/007.txt', '/maps/999999.txt'])
    expect((await world.get(path)).status).toBe(404)
  expect(made).toBe(0)
  expect((await world.get('/maps/1.txt')).status).toBe(200)
  expect(made).toBe(60)
})
