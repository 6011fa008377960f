/** The operator tidies the catalog by command, beside a service that runs: what shoppers and agents get then. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { importProducts } from '../../src/catalog/import.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { runCatalog } from '../admin-command.ts'
import { addProduct } from '../products.ts'
import { createSkillsWorld, GOOSENECK } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'

type World = Awaited<ReturnType<typeof createWorld>>
let souk: World
let ada: ToolPerson

async function createWorld() {
  return withTools(await createSkillsWorld())
}

beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
})

/** What it prints, after every node knows. */
async function tidy(...args: string[]): Promise<string> {
  const { code, err } = await runCatalog(souk, ...args)
  expect([code, err]).toEqual([0, err])
  await souk.catchUp()
  return err.trim()
}

const get = (address: string, accept = 'text/html') =>
  souk.app.request(`http://souk.test${address}`, { headers: { accept } })
const statusOf = async (address: string) => (await get(address)).status
const textOf = async (address: string) => (await get(address)).text()

async function found(query: string): Promise<string[]> {
  const answer = await souk.app.request('http://souk.test/api/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { results } = (await answer.json()) as { results: Array<{ slug: string }> }
  return results.map(({ slug }) => slug)
}

const FORMS = ['', '.json', '.md']
const add = async (row: { slug: string; category: string; title: string } & Record<string, unknown>) => {
  await addProduct(souk, row)
  await souk.catchUp()
}

describe('a product that is hidden', () => {
  const FACES = ['/sitemap.xml', '/llms-full.txt', '/c/kettles', '/c/kettles.md', '/p/kettles/whistler']

  test('is nowhere at once, and everywhere again when it is shown', async () => {
    const before = await Promise.all(FACES.map(textOf))
    expect(before.every((text) => text.includes('gooseneck'))).toBe(true)
    await souk.call(ada, 'save_product', { category: 'kettles', slug: 'gooseneck' })

    expect(await tidy('hide', 'gooseneck')).toBe('1 product hidden')
    for (const form of FORMS) expect(await statusOf(`/p/kettles/gooseneck${form}`)).toBe(404)
    expect(await statusOf('/offers/gooseneck.json')).toBe(404)
    for (const [at, text] of (await Promise.all(FACES.map(textOf))).entries())
      expect([FACES[at], text.includes('gooseneck')]).toEqual([FACES[at], false])
    expect(await found('gooseneck kettle')).not.toContain('gooseneck')
    expect((await souk.call(ada, 'list_saved_products', {})).data).toMatchObject({ total: 0 })
    await expect(
      souk.call(ada, 'get_product', { category: 'kettles', slug: 'gooseneck' }),
    ).resolves.toMatchObject({ isError: true })
    const same = await get('/p/kettles/never-was.json')
    const hidden = await get('/p/kettles/gooseneck.json')
    expect(await hidden.text()).toBe(await same.text())

    expect(await tidy('show', 'gooseneck')).toBe('1 product shown')
    for (const form of FORMS) expect(await statusOf(`/p/kettles/gooseneck${form}`)).toBe(200)
    expect((await found('gooseneck kettle'))[0]).toBe('gooseneck')
    for (const text of await Promise.all(FACES.slice(0, 4).map(textOf))) expect(text).toContain('gooseneck')
    expect((await souk.call(ada, 'list_saved_products', {})).data).toMatchObject({ total: 1 })
  })

  test('is hidden by its category too, which is in no list then', async () => {
    await tidy('category', 'hide', 'kettles')
    expect(await statusOf('/c/kettles')).toBe(404)
    expect(await statusOf('/p/kettles/gooseneck')).toBe(404)
    expect(await found('gooseneck kettle')).not.toContain('gooseneck')
    for (const address of ['/', '/sitemap.xml', '/llms.txt'])
      expect([address, (await textOf(address)).includes('kettles')]).toEqual([address, false])
    const listed = await souk.call(ada, 'list_categories', {})
    expect(JSON.stringify(listed.data)).not.toContain('kettles')

    await tidy('category', 'show', 'kettles')
    expect(await statusOf('/c/kettles')).toBe(200)
    expect(await found('gooseneck kettle')).toContain('gooseneck')
    expect(JSON.stringify((await souk.call(ada, 'list_categories', {})).data)).toContain('kettles')
  })
})

test('a merged product leads on from each of its forms, and search has the one that stays', async () => {
  await add({ ...GOOSENECK, slug: 'gooseneck-copy', title: 'Spout Gooseneck Kettle' })
  expect(await tidy('twins')).toContain('Spout · Spout Gooseneck Kettle: gooseneck, gooseneck-copy')
  expect(await statusOf('/p/kettles/gooseneck-copy')).toBe(200)
  await tidy('merge', 'gooseneck-copy', 'gooseneck')
  for (const form of FORMS) {
    const answer = await get(`/p/kettles/gooseneck-copy${form}?from=mail`)
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      301,
      `/p/kettles/gooseneck${form}?from=mail`,
      'no-store',
    ])
  }
  expect((await get('/offers/gooseneck-copy.json')).headers.get('location')).toBe('/offers/gooseneck.json')
  expect((await get('/offers/kettles/gooseneck-copy.json')).headers.get('location')).toBe(
    '/offers/kettles/gooseneck.json',
  )
  expect(await found('gooseneck kettle')).not.toContain('gooseneck-copy')
})

test('a deleted product has a page that says so, its other forms are unknown, and it comes back only when the operator says so', async () => {
  const row = { slug: 'short-lived', category: 'kettles', title: 'Short-lived Kettle' }
  await add(row)
  expect(await found('short-lived kettle')).toContain('short-lived')
  expect(await tidy('delete', 'kettles/short-lived', '--dry-run')).toBe('1 product:\n  kettles/short-lived')
  expect(await tidy('delete', 'kettles/short-lived')).toBe('1 product deleted')
  const page = await get('/p/kettles/short-lived')
  expect([page.status, page.headers.get('cache-control')]).toEqual([410, 'no-store'])
  const text = await page.text()
  for (const said of ['This product was removed', 'href="/c/kettles"', 'href="/search"'])
    expect(text).toContain(said)
  const line = await get('/p/kettles/short-lived', '*/*')
  expect([line.status, await line.text()]).toEqual([410, 'Removed.\n'])
  for (const form of ['.json', '.md']) {
    const [gone, never] = [
      await get(`/p/kettles/short-lived${form}`),
      await get(`/p/kettles/never-was${form}`),
    ]
    expect([gone.status, await gone.text()]).toEqual([404, await never.text()])
  }
  expect((await get('/p/kettles/short-lived', 'text/markdown')).status).toBe(404)
  expect(await found('short-lived kettle')).not.toContain('short-lived')
  await expect(add(row)).rejects.toThrow('was not taken')
  expect(await statusOf('/p/kettles/short-lived')).toBe(410)
  const bytes = Readable.from([Buffer.from(JSON.stringify(row))])
  const options = { format: 'jsonl', source: 'feed', fingerprint: newId(), restoreDeleted: true } as const
  await importProducts(souk.ctx, bytes, options)
  await souk.catchUp()
  expect(await statusOf('/p/kettles/short-lived')).toBe(200)
  expect(await found('short-lived kettle')).toContain('short-lived')
})

test('a merged category leads on, with the pages of its products; a deleted one says so', async () => {
  await add({ slug: 'tea-urn', category: 'urns', title: 'Tea Urn' })
  expect(await statusOf('/c/urns')).toBe(200)
  expect(await tidy('category', 'merge', 'urns', 'kettles')).toContain('1 product moved to kettles')
  for (const form of ['', '.md'])
    expect((await get(`/c/urns${form}`)).headers.get('location')).toBe(`/c/kettles${form}`)
  expect((await get('/p/urns/tea-urn')).headers.get('location')).toBe('/p/kettles/tea-urn')
  expect(await textOf('/c/kettles')).toContain('tea-urn')
  await tidy('category', 'edit', 'kettles', 'slug=boilers', 'label=Boilers')
  expect((await get('/c/urns')).headers.get('location')).toBe('/c/boilers')
  expect((await get('/p/kettles/gooseneck.md')).headers.get('location')).toBe('/p/boilers/gooseneck.md')
  expect(await found('gooseneck')).toContain('gooseneck')
  expect(JSON.stringify((await souk.call(ada, 'list_categories', {})).data)).not.toContain('kettles')
  await tidy('category', 'edit', 'boilers', 'slug=kettles', 'label=Kettles')

  await add({ slug: 'lone', category: 'lonely', title: 'Lone Thing' })
  await tidy('delete', '--category', 'lonely')
  await tidy('category', 'delete', 'lonely')
  expect((await get('/c/lonely')).status).toBe(410)
  expect((await get('/c/lonely.md')).status).toBe(404)
})

describe('the command', () => {
  test('takes slugs from a file, says which name nothing, and ends with 1 then', async () => {
    await add({ slug: 'listed', category: 'kettles', title: 'Listed Kettle' })
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'souk-slugs-')), 'slugs.txt')
    fs.writeFileSync(file, '# those of last year\nlisted\n\nnowhere\n')
    const { code, err } = await runCatalog(souk, 'archive', '--file', file)
    expect([code, err]).toEqual([1, '1 slug matched no product\n1 product archived\n'])
    await souk.catchUp()
    expect(await statusOf('/p/kettles/listed')).toBe(200)
    const { text } = await souk.call(ada, 'search_products', { query: 'listed kettle' })
    expect(text).not.toContain('kettles/listed')
    fs.rmSync(path.dirname(file), { recursive: true })
  })

  test('reads numbers as numbers and titles as they are, and an empty value takes one away', async () => {
    await tidy('edit', 'dome', 'title=1984', 'price=49', 'released=2025')
    expect(await textOf('/p/tents/dome.json')).toContain('"name": "1984"')
    await tidy('edit', 'dome', 'title=Dome Tent', 'price=')
    expect(await textOf('/p/tents/dome.json')).not.toContain('"price"')
  })

  test('does not delete what is in use, says what to do, and ends with 1', async () => {
    const { code, err } = await runCatalog(souk, 'delete', 'gooseneck')
    expect([code, err]).toEqual([
      1,
      '  gooseneck was kept: 1 claim, 1 save\nHide them, merge them into another product, or use --force to delete everything attached to them.\n0 products deleted, 1 kept\n',
    ])
  })

  test.each([
    [],
    ['hide'],
    ['move', 'dome'],
    ['merge', 'dome'],
    ['category', 'hide'],
    ['edit', 'dome', 'title'],
  ])('says how it is used for %j %j %j', async (...args) => {
    const { code, err } = await runCatalog(souk, ...args)
    expect([code, err.includes('usage: ')]).toEqual([2, true])
  })

  test('sets and lists rates', async () => {
    expect(await tidy('rates')).toContain('No rates yet')
    expect(await tidy('rates', 'EUR=1.08')).toMatch(/^1 EUR = 1.08 USD, since \d{4}-/)
  })
})
