/** Sellers are never asked for quotes of what is no longer made; anyone who asks gets a clear answer. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createA2aWorld, RFQ, VERSIONS } from '../e2e/a2a.world.ts'
import { relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { withTools } from '../tools.world.ts'

const world = withTools(await createA2aWorld())
const { pool } = world.database
const OLD = { category: 'desk-lamps', slug: 'old-lamp', title: 'Old Brass Lamp', list_price: 40 }
const id = await addProduct(world, { ...OLD, discontinued: true })
const acme = world.producers.acme
if (!acme) throw new Error('acme is missing')
await relate(world, acme.org, id)
await world.catchUp()
beforeEach(world.forgetHours)

const requests = async () =>
  Number((await pool.query<{ count: string }>('select count(*) from rfqs')).rows[0]?.count)

/** Nobody is asked and no request is stored. */
async function askingNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const [before, received] = [await requests(), acme?.received.length]
  const result = await work()
  expect([await requests(), acme?.received.length]).toEqual([before, received])
  return result
}

const CLEAR = /desk-lamps\/old-lamp is discontinued, so sellers cannot quote it/

test('find_retailers says so', async () => {
  const ada = await world.person()
  const answer = await askingNobody(() =>
    world.call(ada, 'find_retailers', { query: 'old lamp', product_slug: 'desk-lamps/old-lamp' }),
  )
  expect(answer.text).toMatch(CLEAR)
})

describe.each(VERSIONS)('A2A %s answers with a message', (version) => {
  test.each([
    ['a skill in the metadata', { text: 'x', metadata: { ...RFQ, product_slug: 'desk-lamps/old-lamp' } }],
    ['plain words', { text: 'Please get me quotes for 2 of desk-lamps/old-lamp' }],
  ])('to %s', async (_what, said) => {
    const { message, task, error } = await askingNobody(() => world.send(version, said))
    expect([task, error]).toEqual([undefined, undefined])
    const [words, data] = message?.parts ?? []
    expect(words?.text).toMatch(CLEAR)
    expect(data?.data).toEqual({ product_slug: 'desk-lamps/old-lamp', discontinued: true })
  })
})

test('pages show no form for it, and a form that is posted all the same is refused in words', async () => {
  const browser = createBrowser(world)
  for (const path of ['/p/desk-lamps/old-lamp', '/quotes/new?product_slug=old-lamp']) {
    const html = await (await browser.get(path)).text()
    expect(html).toContain('This product is discontinued, so you can&#39;t request quotes.')
    expect(html).not.toContain('action="/quotes"')
  }
  const form = { product_slug: 'desk-lamps/old-lamp', quantity: '1' }
  const posted = await askingNobody(() => browser.post('/quotes', form))
  expect(posted.status).toBe(409)
  expect(await posted.text()).toContain('sellers cannot quote it')
})

test('a request under way asks nobody once the product is discontinued', async () => {
  await pool.query('update products set discontinued = false where id = $1', [id])
  // In the transaction of the request: a runner that carries it out at once still finds the product discontinued.
  await pool.query(`
    create function end_product() returns trigger language plpgsql as
      'begin update products set discontinued = true where id = new.product_id; return null; end';
    create trigger end_product after insert on rfqs for each row execute function end_product()`)
  const before = acme.received.length
  const { task } = await world.send('1.0', { text: 'x', metadata: { ...RFQ, product_slug: 'old-lamp' } })
  await world.finish(task?.id ?? '')
  expect(acme.received.length).toBe(before)
  expect((await world.get('1.0', task?.id ?? '')).status.state).toBe('TASK_STATE_COMPLETED')
})
