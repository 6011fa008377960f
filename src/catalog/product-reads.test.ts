/** Counts of reads on a real database: all of them written, none held up by one that cannot be. */
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestApp } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { AGENT_FAMILIES, agentFamily, createProductReads, createProductReadsSweep } from './product-reads.ts'

const souk = await createTestApp()
const { pool, db } = souk.database
const lamp = await addProduct(souk, { slug: 'lamp', category: 'lamps', title: 'Lamp' })
const chair = await addProduct(souk, { slug: 'chair', category: 'chairs', title: 'Chair' })

beforeEach(async () => void (await pool.query('truncate product_reads')))

function counting(bounds?: { mostWaiting: number }) {
  const logged = captureLog()
  return { logged, reads: createProductReads({ db, clock: souk.clock, log: logged.log }, bounds) }
}

const rows = async () =>
  (
    await pool.query(
      'select product_id, day::text, face, agent, reads from product_reads order by agent, face, reads',
    )
  ).rows

test('reads of a day are one row by product, face and agent, over flushes and nodes', async () => {
  const [{ reads: here }, { reads: there }] = [counting(), counting()]
  const read = { productId: lamp, face: 'tools' as const, agent: 'Claude' }
  here.count(read)
  here.count(read)
  await here.settled()
  here.count(read)
  there.count(read)
  there.count({ ...read, face: 'a2a' })
  await Promise.all([here.settled(), there.settled()])
  const day = souk.clock.now().toISOString().slice(0, 10)
  expect(await rows()).toEqual([
    { product_id: lamp, day, face: 'a2a', agent: 'Claude', reads: 1 },
    { product_id: lamp, day, face: 'tools', agent: 'Claude', reads: 4 },
  ])
})

test('a product that was deleted meanwhile is passed over, and the others are counted', async () => {
  const { reads, logged } = counting()
  reads.count({ productId: newId(), face: 'tools', agent: 'Claude' })
  reads.count({ productId: chair, face: 'tools', agent: 'Claude' })
  await reads.settled()
  expect((await rows()).map(({ product_id }) => product_id)).toEqual([chair])
  expect(logged.text()).toBe('')
})

test('whatever a client calls itself, it is counted under a family that is known', async () => {
  const { reads } = counting()
  const made = [`<b>Bot</b>\n\0\u202eone`, '\ud800', 'x '.repeat(500), ' \n ', `${'x'.repeat(400)} Claude`]
  for (const agent of [...made, 'claude-code/2.1', 'Claude'])
    reads.count({ productId: lamp, face: 'tools', agent })
  await reads.settled()
  expect((await rows()).map(({ agent, reads: times }) => [agent, times])).toEqual([
    ['Claude', 2],
    ['other', made.length],
  ])
})

test('a family stays what it is when it is read again', () => {
  for (const family of AGENT_FAMILIES) expect(agentFamily(family)).toBe(family)
})

test('what is beyond the bound is dropped, what is counted already goes on, and the log says how many', async () => {
  const { reads, logged } = counting({ mostWaiting: 100 })
  const products = [lamp]
  while (products.length < 103)
    products.push(
      await addProduct(souk, { slug: `many-${products.length}`, category: 'lamps', title: 'Lamp' }),
    )
  for (const productId of [...products, lamp]) reads.count({ productId, face: 'web', agent: 'an agent' })
  await reads.settled()
  const { rows: counted } = await pool.query(
    'select count(*)::int as rows, sum(reads)::int as reads from product_reads',
  )
  expect(counted[0]).toEqual({ rows: 100, reads: 101 })
  expect(logged.lines()).toMatchObject([{ reads: 3 }])
})

test('a database that refuses costs the counts and nothing else, and the next ones are written', async () => {
  const { reads, logged } = counting()
  await pool.query('alter table product_reads rename to away')
  reads.count({ productId: lamp, face: 'tools', agent: 'Claude' })
  await reads.settled()
  await pool.query('alter table away rename to product_reads')
  expect(logged.text()).toContain('were not counted')
  reads.count({ productId: lamp, face: 'tools', agent: 'Claude' })
  await reads.settled()
  expect((await rows()).map((row) => row.reads)).toEqual([1])
})

test('counts are written without anybody waiting for them', async () => {
  const { reads } = counting()
  reads.count({ productId: lamp, face: 'ucp', agent: 'Claude' })
  await expect.poll(rows, { timeout: 20_000, interval: 100 }).toHaveLength(1)
})

test('after four hundred days a count is forgotten', async () => {
  const day = (daysAgo: number) => new Date(souk.clock.now().getTime() - daysAgo * 86_400_000)
  for (const [agent, ago] of [
    ['curl', 401],
    ['Claude', 400],
  ] as const)
    await pool.query('insert into product_reads values ($1, $2, $3, $4, 1)', [lamp, day(ago), 'tools', agent])
  await createProductReadsSweep({ db, clock: souk.clock }).run({}, { log: captureLog().log } as never)
  expect((await rows()).map(({ agent }) => agent)).toEqual(['Claude'])
})
