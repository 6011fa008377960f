/** Asking for quotes as people do: a form that forgives and asks once, and a list of one's own requests. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { TWICE_MS } from '../../src/web/quotes/ask-once.ts'
import { signIn } from '../accounts.ts'
import { textOf } from '../html.ts'
import { createQuotesWorld, FORM } from './quotes.page.world.ts'
import { PRODUCT } from './rfq.world.ts'

const { world, stranger, countRfqs, asked, read } = await createQuotesWorld()

describe('whose request it is', () => {
  test('a person’s own is not there for anybody else', async () => {
    const [ada, bob] = [await signIn(world), await signIn(world)]
    const path = await asked(ada.browser)
    await sleep(50)
    expect(await read(path, ada.browser)).toContain('All your requests')
    for (const other of [bob.browser, stranger()]) {
      const response = await other.get(path)
      expect(response.status).toBe(404)
      expect(await response.text()).not.toContain('Lume One')
    }
    expect((await stranger().get('/quotes/nothing')).status).toBe(404)
  })

  test('a stranger’s is read by anyone who has its address, and is in no list', async () => {
    const ada = await signIn(world)
    const path = await asked()
    expect(await read(path, ada.browser)).toContain('the only way back.')
    expect(await read('/quotes', ada.browser)).not.toContain(path)
  })

  test('a person finds their own, newest first, with the best price, page by page', async () => {
    const { browser } = await signIn(world)
    expect(textOf(await read('/quotes', browser))).toContain('No requests yet.')
    const first = await asked(browser)
    await vi.waitFor(async () => expect(await read('/quotes', browser)).toContain('best of 3 quotes'), 10_000)
    const later: string[] = []
    for (let quantity = 1; quantity <= 20; quantity++) {
      world.clock.advance(1_000)
      later.unshift(await asked(browser, { product_slug: 'desk-lamps/unsold', quantity: String(quantity) }))
    }
    await vi.waitFor(
      async () => expect(await read('/quotes', browser)).not.toContain('Asking sellers'),
      10_000,
    )
    const html = await read('/quotes', browser)
    const shown = [...html.matchAll(/<a href="(\/quotes\/[0-9a-f-]{36})">/g)].map(([, path]) => path)
    expect(shown).toHaveLength(20)
    expect(new Set(shown)).toEqual(new Set(later))
    const [, older = ''] = /<a[^>]* href="([^"]+)" rel="next">/.exec(html) ?? []
    const rest = await read(older, browser)
    expect(rest).toContain(first)
    expect(textOf(rest)).toContain('$225 best of 3 quotes, in total')
    expect(rest).not.toContain('rel="next"')
  })

  test('a stranger is told what an account is good for here', async () => {
    const html = await read('/quotes')
    expect(html).toContain('/auth/signin?return_to=%2Fquotes')
    expect(textOf(html)).toContain('You can also ask without an account')
  })
})

describe('the form', () => {
  test('stands on the page of a product, and holds nothing of its reader', async () => {
    const { browser } = await signIn(world)
    const path = `/p/${PRODUCT}`
    const html = await read(path, browser)
    expect(html).toMatch(/<form[^>]* method="post" action="\/quotes"/)
    expect(html).toContain(`name="product_slug" value="${PRODUCT}"`)
    expect(await read(path)).toBe(html)
  })

  test('pressed twice asks once, also across the edge of a moment, and later asks again', async () => {
    const before = await countRfqs()
    const browser = stranger()
    const [one, two] = await Promise.all([asked(browser), asked(browser)])
    expect(two).toBe(one)
    world.clock.advance(TWICE_MS - 1)
    expect(await asked(browser)).toBe(one)
    expect(await countRfqs()).toBe(before + 1)
    expect(await asked(browser, { quantity: '3' })).not.toBe(one)
    expect(await asked(stranger('192.0.2.99'))).not.toBe(one)
    world.clock.advance(1)
    expect(await asked(browser)).not.toBe(one)
    expect(await countRfqs()).toBe(before + 4)
  })

  test.each([
    ['a day that is past', { deadline_iso: '2026-10-01' }, 'deadline_iso', 'This day is past.'],
    ['no day', { deadline_iso: '2026-02-30' }, 'deadline_iso', 'Enter a date as year, month and day'],
    ['none', { quantity: '0' }, 'quantity', 'Enter a whole number from 1 to 100,000.'],
    ['a half', { quantity: '1.5' }, 'quantity', 'Enter a whole number'],
    ['a place nobody knows', { delivery_region: 'Atlantis' }, 'delivery_region', 'Write a state or country'],
  ])(
    'with %s is shown again, the reason beside the field and what was typed kept',
    async (_, change, field, why) => {
      const before = await countRfqs()
      const form = { ...FORM, ...change }
      const response = await stranger().post('/quotes', form)
      const html = await response.text()
      expect(response.status).toBe(400)
      const [, error = ''] = new RegExp(`id="field-${field}-error">([^<]*)<`).exec(html) ?? []
      expect(error).toContain(why)
      for (const [name, value] of Object.entries(form))
        expect(html).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`))
      expect(textOf(html)).toContain('Ask for quotes: Lume One')
      expect(await countRfqs()).toBe(before)
    },
  )

  test('with a place of two meanings is a question with both, and an answer to it is a request', async () => {
    const before = await countRfqs()
    const browser = stranger()
    const response = await browser.post('/quotes', { ...FORM, delivery_region: 'ca' })
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toContain('“ca” can mean California, United States or Canada. Choose one.')
    const [, options = ''] = /<select[^>]* name="delivery_region"[^>]*>(.*?)<\/select>/.exec(html) ?? []
    expect([...options.matchAll(/value="([^"]*)"/g)].map(([, value]) => value)).toEqual([
      '',
      'CA-US',
      'Canada',
    ])
    expect(await countRfqs()).toBe(before)
    const answered = await browser.post('/quotes', { ...FORM, delivery_region: 'Canada' })
    expect(answered.status).toBe(303)
    const page = await (await browser.get(answered.headers.get('location') ?? '')).text()
    expect(textOf(page)).toContain('Deliver to Canada')
  })

  test('for a product that is not there says so and offers to search', async () => {
    for (const product_slug of ['desk-lamps/nothing', '../../account', '']) {
      const response = await stranger().post('/quotes', { ...FORM, product_slug })
      expect([400, 404]).toContain(response.status)
      expect(await response.text()).toContain('<a class="button" href="/search">')
    }
    expect((await stranger().get('/quotes/new?product_slug=nothing')).status).toBe(404)
    expect((await stranger().get('/quotes/new')).status).toBe(200)
  })

  test('sent from another site asks nobody', async () => {
    const before = await countRfqs()
    const response = await stranger().post('/quotes', FORM, { origin: 'https://elsewhere.example' })
    expect(response.status).toBe(403)
    expect(await countRfqs()).toBe(before)
  })

  test('over the hour’s limit is 429 in words, keeps what was typed, and spares a second press', async () => {
    const browser = stranger('198.51.100.7')
    const first = await asked(browser)
    await world.database.pool.query('update a2a_hours set messages = 60')
    expect(await asked(browser)).toBe(first)
    const response = await browser.post('/quotes', { ...FORM, quantity: '7' })
    const html = await response.text()
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(textOf(html)).toMatch(
      /Your network has asked 60 times this hour\. Try again in \d+ minutes?, or sign in/,
    )
    expect(html).toContain('value="7"')
  })
})
