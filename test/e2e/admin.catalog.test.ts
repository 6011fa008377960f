/** The operator tidies the catalog, tunes search and looks after the service by the pages of /admin. */

import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { takeBackup } from '../../src/backup/backup.service.ts'
import { createHealthJob } from '../../src/jobs/health.job.ts'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser, signIn } from '../accounts.ts'
import { SILENT } from '../harness.ts'
import { addProduct } from '../products.ts'
import { createSkillsWorld } from '../skills.world.ts'

let souk: Awaited<ReturnType<typeof createSkillsWorld>>
let operator: ReturnType<typeof createBrowser>

beforeAll(async () => {
  souk = await createSkillsWorld()
  const { email, cookie } = await signIn(souk, { email: 'op@example.com', verified: true })
  await souk.database.db.updateTable('users').set({ is_admin: true }).where('email_key', '=', email).execute()
  operator = createBrowser(souk)
  operator.setCookie(cookie)
})

const text = async (at: string) => (await operator.get(at)).text()
const row = async (slug: string) =>
  souk.database.db.selectFrom('products').selectAll().where('slug', '=', slug).executeTakeFirst()
const add = async (slug: string, more: Record<string, unknown> = {}) => {
  await addProduct(souk, { category: 'kettles', title: `Kettle ${slug}`, slug, ...more })
  await souk.catchUp()
}
const batchIn = (answer: Response) =>
  new URL(answer.headers.get('location') ?? '', 'http://x').searchParams.get('batch') ?? ''
type Result = {
  slug: string
  similarity: number
  explain?: { because: Array<{ feature: string; value: number }> }
}
async function search(
  query: string,
  filters = {},
): Promise<{ results: Result[]; match: string; explain: { understood: Array<{ meaning: string }> } }> {
  const body = JSON.stringify({ query, filters, include: ['explain'], limit: 20 })
  const headers = { 'content-type': 'application/json' }
  return (
    await souk.app.request('http://souk.test/api/search', { method: 'POST', headers, body })
  ).json() as never
}

describe('products', () => {
  test('are hidden, moved and marked many at a time, and each can be taken back', async () => {
    for (const slug of ['one', 'two']) await add(slug)
    await add('elsewhere', { category: 'pots' })
    const picked = { pick_one: 'on', pick_two: 'on' }
    const hidden = await operator.post('/admin/products/bulk', { act: 'hide', ...picked })
    expect((await row('one'))?.hidden_at).not.toBeNull()
    expect(await text(`/admin/undo/${batchIn(hidden)}`)).toContain('one, two')
    const undone = await operator.post(`/admin/undo/${batchIn(hidden)}`)
    expect(undone.headers.get('location')).toContain('done=undone&changed=2&kept=0')
    expect((await row('two'))?.hidden_at).toBeNull()
    // Once more there is nothing left, and it says so.
    expect((await operator.post(`/admin/undo/${batchIn(hidden)}`)).status).toBe(409)

    const before = (await row('one'))?.category_id
    const moved = await operator.post('/admin/products/bulk', { act: 'move', to: 'pots', ...picked })
    expect((await row('one'))?.category_id).not.toBe(before)
    await operator.post(`/admin/undo/${batchIn(moved)}`)
    expect([(await row('one'))?.category_id, (await row('two'))?.category_id]).toEqual([before, before])

    const archived = await operator.post('/admin/products/bulk', { act: 'archive', ...picked })
    await operator.post('/admin/products/bulk', { act: 'unarchive', pick_one: 'on' })
    await operator.post(`/admin/undo/${batchIn(archived)}`)
    expect((await row('two'))?.discontinued).toBe(false)
  })

  test('that match are all meant only after the operator has seen how many they are', async () => {
    await add('many-1')
    await add('many-2')
    const form = { act: 'hide', q: 'many-', all: 'on' }
    const asked = await operator.post('/admin/products/bulk', form)
    expect([asked.status, (await asked.text()).includes('Hide: 2 products')]).toEqual([200, true])
    expect((await row('many-1'))?.hidden_at).toBeNull()
    await operator.post('/admin/products/bulk', { ...form, sure: 'yes' })
    expect((await row('many-2'))?.hidden_at).not.toBeNull()
    expect((await row('gooseneck'))?.hidden_at).toBeNull()
    expect(await text('/admin/products?state=hidden&format=csv')).toMatch(/Kettle many-1,many-1,kettles/)
  })

  test('are edited with what was typed kept, never over a newer change, and back again', async () => {
    await add('edited', { price: 40, specs: { Volume: '1 l' } })
    const seen = (await row('edited'))?.updated_at.toISOString() ?? ''
    const form = { title: 'Edited', slug: 'edited', category: 'kettles', price_low: '45', seen }
    const refused = await operator.post('/admin/products/edited', { ...form, released: 'soon' })
    const page = await refused.text()
    expect([refused.status, page.includes('value="soon"'), page.includes('value="45"')]).toEqual([
      400,
      true,
      true,
    ])
    souk.clock.advance(1_000)
    const saved = await operator.post('/admin/products/edited', {
      ...form,
      'specs.0.name': 'Volume',
      'specs.0.value': '1 l',
    })
    expect(await row('edited')).toMatchObject({ title: 'Edited', price_low_cents: 4_500 })
    expect((await operator.post('/admin/products/edited', { ...form, title: 'Late' })).status).toBe(409)
    await operator.post(`/admin/undo/${batchIn(saved)}`)
    expect(await row('edited')).toMatchObject({ title: 'Kettle edited', price_low_cents: 4_000 })
  })

  test('that something depends on are kept, and what was deleted is said', async () => {
    await add('gone')
    const asked = await operator.post('/admin/products/bulk', { act: 'delete', pick_gone: 'on' })
    expect(await asked.text()).toContain('This can’t be undone')
    expect(await row('gone')).toBeDefined()
    const done = await operator.post('/admin/products/bulk', { act: 'delete', pick_gone: 'on', sure: 'yes' })
    expect([await row('gone'), (await done.text()).includes('1 product deleted')]).toEqual([undefined, true])
  })
})

test('a brand is renamed and merged with all its products, and shared part numbers are not lost', async () => {
  const brands = () => souk.database.pool.query<{ id: string; name: string }>('select id, name from brands')
  const idOf = async (name: string) => (await brands()).rows.find((one) => one.name === name)?.id ?? ''
  await add('acme-1', { brand: 'Acmee', mpn: 'K1' })
  await add('acme-2', { brand: 'Acme', mpn: 'K1' })
  const wrong = await idOf('Acmee')
  const taken = await operator.post(`/admin/brands/${wrong}`, { name: 'Acme', domain: '' })
  expect([taken.status, (await taken.text()).includes('merge the two instead')]).toEqual([409, true])
  expect((await operator.post(`/admin/brands/${wrong}/merge`, { into: 'acme' })).status).toBe(409)
  await operator.post('/admin/products/bulk', {
    act: 'delete',
    pick_acme_2: 'on',
    'pick_acme-2': 'on',
    sure: 'yes',
  })
  expect((await operator.post(`/admin/brands/${wrong}/merge`, { into: 'acme' })).status).toBe(303)
  expect(await idOf('Acmee')).toBe('')
  expect((await row('acme-1'))?.brand_id).toBe(await idOf('Acme'))
  expect(await text('/p/kettles/acme-1.json')).toContain('"Acme"')
})

describe('search rules', () => {
  const ruled = async (fields: Record<string, string>) => {
    const answer = await operator.post('/admin/tuning', fields)
    expect(answer.headers.get('location')).toBe('/admin/tuning?done=added')
    await souk.catchUp()
  }

  test('a pin comes first with its own similarity, says so, and gives way to filters and exclusions', async () => {
    const plain = await search('whistling kettle')
    const last = plain.results.at(-1)?.slug ?? ''
    const tried = await operator.post('/admin/tuning/try', {
      kind: 'pin',
      query: 'Whistling  kettles',
      name: last,
      place: '1',
    })
    expect(await tried.text()).toContain('operator_pin 1')
    expect((await search('whistling kettle')).results[0]?.slug).toBe(plain.results[0]?.slug)

    await ruled({ kind: 'pin', query: 'Whistling  kettles', name: last, place: '1' })
    const pinned = await search('whistling kettle')
    expect(pinned.results[0]?.slug).toBe(last)
    expect(pinned.results[0]?.similarity).toBeCloseTo(plain.results.at(-1)?.similarity ?? -1, 3)
    expect(pinned.results[0]?.explain?.because[0]).toEqual({ feature: 'operator_pin', value: 1 })
    expect(pinned.explain.understood.at(-1)?.meaning).toContain('the operator put')
    const other = await search('whistling kettle', { category: 'tents' })
    expect(other.results.map(({ slug }) => slug)).not.toContain(last)
    const unasked = await search('kettle')
    expect(unasked.results[0]?.explain?.because.map(({ feature }) => feature)).not.toContain('operator_pin')
  })

  test('a synonym finds what the words did not, and a boost is said and touches no similarity', async () => {
    expect((await search('flurbler')).results).toEqual([])
    await ruled({ kind: 'synonym', words: 'flurbler, gooseneck', strength: 'same' })
    const found = await search('flurbler')
    expect(found.results.map(({ slug }) => slug)).toContain('gooseneck')
    expect(found.explain.understood.map(({ meaning }) => meaning).join()).toContain(
      'by a rule of the operator',
    )

    const before = await search('kettle')
    // The last one is discontinued, and stays last whatever its score.
    const low = before.results.at(-2)
    await ruled({ kind: 'boost', target: 'product', name: low?.slug ?? '', weight: '5', query: '' })
    const after = await search('kettle')
    const boosted = after.results.find(({ slug }) => slug === low?.slug)
    expect(after.results.indexOf(boosted as Result)).toBeLessThan(before.results.length - 2)
    expect(boosted?.similarity).toBe(low?.similarity)
    expect(boosted?.explain?.because[0]).toEqual({ feature: 'operator_boost', value: 5 })
  })

  test('are measured by the queries that the operator judged, before they are saved', async () => {
    await operator.post('/admin/tuning/judged', { lines: 'blorp jug | gooseneck\nblorp jug | no-such | 2' })
    const tried = await operator.post('/admin/tuning/try', {
      kind: 'pin',
      query: 'blorp jug',
      name: 'gooseneck',
      place: '1',
    })
    expect(await tried.text()).toMatch(/1 query: 0\.0% now, 100\.0% with the rule/)
    expect((await operator.post('/admin/tuning/judged', { lines: 'no bars' })).status).toBe(400)
  })

  test('that are wrong are refused beside the field, and a rule that is removed ends', async () => {
    const refused = await operator.post('/admin/tuning/try', { kind: 'synonym', words: 'alone' })
    const page = await refused.text()
    expect([refused.status, page.includes('value="alone"'), page.includes('at least two words')]).toEqual([
      400,
      true,
      true,
    ])
    const { rows } = await sql<{ id: string }>`select id from search_rules where kind = 'synonym'`.execute(
      souk.database.db,
    )
    await operator.post('/admin/tuning/remove', { id: rows[0]?.id ?? newId() })
    await souk.catchUp()
    expect((await search('flurbler')).results).toEqual([])
  })
})

test('settings say where each value is from, and no secret', async () => {
  const page = await text('/admin/settings?format=csv')
  expect(page).toMatch(/SOUK_BASE_URL,[^,]+,(Environment|Default)/)
  expect(page).toMatch(/SOUK_SECRET,(set|not set),/)
  if (souk.a2a.config.secret) expect(page).not.toContain(souk.a2a.config.secret)
})

test('a rate is added with its day, changed and removed', async () => {
  const add = (fields: Record<string, string>) => operator.post('/admin/settings/rates', fields)
  expect((await add({ currency: 'EUR', rate: 'lots' })).status).toBe(400)
  await add({ currency: 'eur', rate: '1,08', of: '2026-10-01' })
  expect(await text('/admin/settings/rates?format=csv')).toMatch(/EUR,1\.08,2026-10-01T/)
  await operator.post('/admin/settings/rates/remove', { currency: 'EUR' })
  expect(await text('/rates.json')).toBe('{"rates":{}}')
})

test('a test email goes the way of all others', async () => {
  const sent = await operator.post('/admin/settings/mail', { to: 'somebody@people.example' })
  expect(sent.headers.get('location')).toBe('/admin/settings?done=outbox')
  expect((await operator.post('/admin/settings/mail', { to: 'nobody' })).status).toBe(400)
})

test('a backup lists itself, and whether it was read again', async () => {
  const folder = fs.mkdtempSync(path.join(souk.a2a.config.dataDir, 'backups-'))
  const config = { databaseUrl: souk.database.url, dataDir: souk.a2a.config.dataDir, secret: 's'.repeat(40) }
  const file = path.join(folder, 'monday.souk')
  const done = await takeBackup(config, {
    file,
    force: false,
    withSecret: true,
    check: true,
    listed: true,
    say: () => {},
  })
  expect(done.checked).toBe('whole')
  expect(await text('/admin/backups')).toMatch(/monday\.souk[\s\S]*Read again: whole/)
})

test('health is sampled once a minute, and what cannot be read is no 0', async () => {
  const job = createHealthJob(souk.database, {
    searches: () => 7,
    broken: () => Promise.reject(new Error('no')),
  })
  const context = { signal: new AbortController().signal, attempt: 1, jobId: newId(), log: SILENT }
  await job.run({}, context)
  await job.run({}, context)
  const { rows } = await sql<{ figures: unknown }>`select figures from health_samples`.execute(
    souk.database.db,
  )
  expect(rows).toEqual([{ figures: { searches: 7 } }])
  const page = await text('/admin/health/history')
  expect(page).toContain('23 of 24 hours have no samples')
  expect(page).toContain('No data')
})

test('the audit log is searched by person, action and day, with a way back where there is one', async () => {
  const page = await text('/admin/audit?q=op@example.com&action=product.')
  expect(page).toContain('/admin/undo/')
  expect(await text('/admin/audit?action=nothing.')).toContain('No actions match')
  expect(await text('/admin/audit?from=yesterday')).toContain('Write a day')
})

test('the palette finds pages and things, and the header leads to /admin for operators alone', async () => {
  const { groups } = (await (await operator.get('/admin/find.json?q=gooseneck')).json()) as {
    groups: Array<{ label: string; items: Array<{ href: string }> }>
  }
  expect(groups[0]).toMatchObject({ label: 'Products', items: [{ href: '/admin/products/gooseneck' }] })
  expect(await (await operator.get('/account/me.json')).json()).toMatchObject({ is_operator: true })
  const person = createBrowser(souk)
  person.setCookie((await signIn(souk, { verified: true })).cookie)
  expect(await (await person.get('/account/me.json')).json()).not.toHaveProperty('is_operator')
})

const listen = () => operator.get('/admin/jobs.events', { accept: 'text/event-stream' })

test('an open list is told of a change, and of no more than that; an account has six streams at most', async () => {
  const streams = await Promise.all(Array.from({ length: 6 }, () => listen()))
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect((await listen()).status).toBe(429)
  const reader = streams[0]?.body?.getReader()
  const next = async () => new TextDecoder().decode((await reader?.read())?.value)
  expect(await next()).toMatch(/^retry: \d+\n\ndata: [\w-]+\n\n$/)
  await sql`insert into jobs (id, kind, payload, max_attempts) values (${newId()}, 'told', '{}', 1)`.execute(
    souk.database.db,
  )
  souk.jobNews.tell('')
  expect(await next()).toMatch(/^data: [\w-]+\n\n$/)
  await reader?.cancel()
  await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()))
  const again = await listen()
  expect(again.status).toBe(200)
  await again.body?.cancel()
})
