/**
 * Asking for quotes as people do: a form, a page that fills as sellers answer, a list of one's own. Sellers are real
 * servers on loopback that take their time, and one who lets the service answer by rules.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { TWICE_MS } from '../../src/web/quotes/ask-once.ts'
import { Outcome } from '../../src/web/quotes/outcome.tsx'
import { createBrowser, signIn } from '../accounts.ts'
import { useBrowser } from '../browser.ts'
import { listenFirst } from '../listen-first.ts'
import { call, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const HOSTILE = '"><img src=x onerror=alert(1)></li></ul><script>alert(2)</script>'
const delays = { quick: 0, slow: 0 }
const answered = { quick: 0, slow: 0 }

const after =
  (name: 'quick' | 'slow', change: Record<string, unknown>): Respond =>
  async (...args) => {
    await sleep(delays[name])
    answered[name] += 1
    answerWith(() => world.clock.now(), change)(...args)
  }

const world = await createRfqWorld({
  quick: {
    respond: after('quick', {
      price_usd: 110,
      list_price_usd: 150,
      terms: 'Free returns & "care" <for> 30 days',
    }),
  },
  slow: { respond: after('slow', { price_usd: 90, shipping_cost_usd: undefined }), verified: false },
  broken: { respond: (_received, response) => void response.writeHead(500).end('out of order') },
})
const managed = await createOrg(world, { name: 'Byrules' })
await relate(world, managed, world.product)
await call(world, managed.bearer, 'PATCH', '/api/org/agent-integration/', {
  is_managed: true,
  managed_rules: { volume_discounts: [] },
})
const decliner = await createOrg(world, { name: 'Declines' })
const nowhere = await addProduct(world, {
  category: 'desk-lamps',
  slug: 'far-lamp',
  title: 'Far Lamp',
  list_price: 40,
})
await relate(world, decliner, nowhere)
await call(world, decliner.bearer, 'PATCH', '/api/org/agent-integration/', {
  is_managed: true,
  managed_rules: { volume_discounts: [] },
})
await call(world, decliner.bearer, 'PATCH', '/api/org/pricing/', {
  product_slug: 'far-lamp',
  delivery_regions: ['NY-US'],
})
const odd = await addProduct(world, { category: 'desk-lamps', slug: 'odd-lamp', title: 'Odd Lamp' })
await relate(world, decliner, odd)
if (world.producers.broken) await relate(world, world.producers.broken.org, odd)
const shop = { name: 'Corner Shop', url: 'https://corner.example/lamp', price: 55 }
await addProduct(world, {
  category: 'desk-lamps',
  slug: 'unsold',
  title: 'Unsold Lamp',
  where_to_buy: [shop],
})
await world.catchUp()
const { baseUrl, answerWith: answerFrom } = await listenFirst()
answerFrom(world.app)

beforeEach(async () => {
  Object.assign(delays, { quick: 0, slow: 0 })
  // Each test asks anew.
  world.clock.advance(2 * TWICE_MS)
  await world.database.pool.query('delete from a2a_hours')
})

const FORM = {
  product_slug: PRODUCT,
  quantity: '2',
  delivery_region: 'California',
  deadline_iso: '2026-12-01',
}
const stranger = (ip?: string) => createBrowser(world, ip === undefined ? {} : { ip })
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ')
const countRfqs = async () =>
  Number((await world.database.pool.query<{ count: string }>('select count(*) from rfqs')).rows[0]?.count)

async function asked(browser = stranger(), change: Record<string, string> = {}): Promise<string> {
  const response = await browser.post('/quotes', { ...FORM, ...change })
  expect(response.status, textOf(await response.clone().text())).toBe(303)
  return response.headers.get('location') ?? ''
}

/** The whole page, when it has ended. */
async function read(path: string, browser = stranger()): Promise<string> {
  const response = await browser.get(path)
  expect(response.status).toBe(200)
  return response.text()
}

describe('answers on the page', () => {
  /** Reads a page as a browser gets it. */
  async function openPage(path: string) {
    const gone = new AbortController()
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { accept: 'text/html' },
      signal: gone.signal,
    })
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
    let html = ''
    const more = async () => {
      const { done, value } = await reader.read()
      html += value ?? ''
      return !done
    }
    return {
      response,
      leave: () => gone.abort(),
      until: async (words: string) => {
        while (!html.includes(words)) if (!(await more())) throw new Error(`the page ended without ${words}`)
        return html
      },
      rest: async () => {
        while (await more());
        return html
      },
    }
  }

  test('each is there when it comes, before the next seller has answered; then all are ranked', async () => {
    Object.assign(delays, { quick: 300, slow: 1_500 })
    const before = { ...answered }
    const path = await asked()
    const page = await openPage(path)
    expect(page.response.headers.get('cache-control')).toBe('no-store')
    const first = await page.until('<h3>quick</h3>')
    expect(answered.slow).toBe(before.slow)
    expect(first).toContain('<h3>Byrules</h3>')
    expect(first).not.toContain('<h3>slow</h3>')
    expect(first).not.toContain('class="ended"')
    expect(textOf(first)).toContain('Answers are taken until 12:')
    expect(first).toContain('<title>Asking for quotes: Lume One · Souk</title>')
    const whole = await page.rest()
    expect(answered.slow).toBe(before.slow + 1)
    expect(whole).toMatch(/<h3>slow<\/h3>.*<\/ul><\/section><section class="ended"/s)
    expect(whole.trimEnd().endsWith('</html>')).toBe(true)
    const ranked = whole.slice(whole.indexOf('class="ended"'))
    expect(
      [...ranked.matchAll(/<h3><span class="soft">(\d)\.<\/span> (\w+)<\/h3>/g)].map(([, n, name]) => [
        n,
        name,
      ]),
    ).toEqual((await world.finish(path.slice(8))).quotes.map(({ rank, org }) => [String(rank), org.name]))
    expect(textOf(ranked)).toContain('3 quotes, best first')
  })

  test('a reader who leaves early ends nothing: the request completes with every quote', async () => {
    Object.assign(delays, { quick: 300, slow: 900 })
    const path = await asked()
    const page = await openPage(path)
    await page.until('class="asking"')
    page.leave()
    await expect(page.rest()).rejects.toThrow('aborted')
    const task = await world.finish(path.slice(8))
    expect([task.state, task.quotes.length]).toEqual(['completed', 3])
    await vi.waitFor(() => expect(world.rfq.looks.watches.size).toBe(0))
  })

  test('a look at the headers alone does not follow anything', async () => {
    Object.assign(delays, { slow: 800 })
    const path = await asked()
    const response = await world.app.request(path, { method: 'HEAD' })
    expect(response.status).toBe(200)
    await world.finish(path.slice(8))
    expect(world.rfq.looks.watches.size).toBe(0)
  })

  test('opened later it is whole at once, and says how it stands in its title', async () => {
    const path = await asked()
    await world.finish(path.slice(8))
    const html = await read(path)
    expect(html).toContain('<title>3 quotes for Lume One · Souk</title>')
    expect(html).not.toContain('class="asking"')
    const text = textOf(html)
    for (const words of [
      'Quantity 2',
      'Deliver to California',
      'Needed by December 1, 2026',
      'Total for 2 $225',
      'Shipping $5',
      'instead of $150',
      'In 3 business days',
      'Retailer, verified',
      'Retailer, not verified',
      '$180 + shipping',
      'Time not stated',
      'Price holds until November 2, 2026',
    ])
      expect(text).toContain(words)
    expect(html).toContain('Free returns &amp; &quot;care&quot;')
    const links = [...html.matchAll(/href="([^"]+)" rel="nofollow noopener">Buy at/g)].map(([, href]) => href)
    expect(links).toHaveLength(3)
    for (const href of links) expect(href).toMatch(/^http:\/\/souk\.test\/go\/[0-9a-f-]{36}$/)
    const [, again = ''] = /href="([^"]+)">Ask again/.exec(html) ?? []
    const form = await read(again.replaceAll('&amp;', '&'))
    for (const value of ['2', 'California', '2026-12-01']) expect(form).toContain(`value="${value}"`)
  })

  test('past its end an offer is no longer for sale there', async () => {
    const path = await asked()
    await world.finish(path.slice(8))
    world.clock.advance(25 * 3_600_000)
    const html = await read(path)
    expect(html).not.toContain('Buy at')
    expect(html.match(/Offer ended/g)).toHaveLength(3)
  })

  test('nobody to ask: the page says so, and where else it is sold', async () => {
    const path = await asked(stranger(), { product_slug: 'desk-lamps/unsold' })
    await world.finish(path.slice(8))
    const html = await read(path)
    expect(html).toContain('<title>No quotes for Unsold Lamp · Souk</title>')
    expect(textOf(html)).toContain('Nobody sells this here yet')
    expect(html).toContain('<a href="https://corner.example/lamp" rel="nofollow noopener">Corner Shop</a>')
  })

  test('all declined: the page says that, and what may help', async () => {
    const path = await asked(stranger(), { product_slug: 'desk-lamps/far-lamp' })
    await world.finish(path.slice(8))
    const text = textOf(await read(path))
    expect(text).toContain('We asked 1 seller, and it declined. Another quantity, place or date may help.')
  })

  test('of those who gave no quote, who declined is told from who could not answer', async () => {
    const path = await asked(stranger(), { product_slug: 'desk-lamps/odd-lamp' })
    await world.finish(path.slice(8))
    expect(textOf(await read(path))).toContain(
      'We asked 2 sellers: 1 declined, and 1 gave no answer that we could use. Ask again later.',
    )
  })

  test('of very many quotes the best are shown, and how many are not', async () => {
    const path = await asked()
    const { quotes, ...task } = await world.finish(path.slice(8))
    const many = Array.from({ length: 60 }, (_, at) => ({ ...quotes[0], rank: at + 1 })) as typeof quotes
    const html = String(
      Outcome({ task: { ...task, quotes: many }, title: 'Lume One', nothing: null, now: world.clock.now() }),
    )
    expect(html.match(/<li class="quote/g)).toHaveLength(50)
    expect(textOf(html)).toContain('10 more quotes with a lower rank not shown.')
  })

  test.each([
    ['canceled', 'This request was canceled'],
    ['failed', 'This request could not be finished'],
  ])('a request that was %s is told as that', async (state, words) => {
    const path = await asked()
    const id = path.slice(8)
    await world.finish(id)
    await world.database.pool.query('update rfqs set state = $2 where id = $1', [id, state])
    expect(textOf(await read(path))).toContain(words)
  })

  test('names and terms of sellers are text, whatever they hold', async () => {
    const path = await asked()
    const id = path.slice(8)
    await world.finish(id)
    await world.database.pool.query(
      `update rfq_quotes set quote = (jsonb_set(jsonb_set(quote::jsonb, '{org,name}', to_jsonb($2::text)), '{terms}', to_jsonb($2::text)))::json
       where rfq_id = $1 and quote is not null`,
      [id, HOSTILE],
    )
    const html = await read(path)
    expect(html.match(/&lt;script&gt;alert\(2\)/g)?.length).toBeGreaterThanOrEqual(6)
    expect(html).not.toMatch(/<img src=x|<script>/)
  })
})

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

  test('a stranger’s is read by whoever has its address, and is in no list', async () => {
    const ada = await signIn(world)
    const path = await asked()
    expect(await read(path, ada.browser)).toContain('Keep the address of this page')
    expect(await read('/quotes', ada.browser)).not.toContain(path)
  })

  test('a person finds their own, newest first, with the best price, page by page', async () => {
    const { browser } = await signIn(world)
    expect(textOf(await read('/quotes', browser))).toContain('You have not asked for quotes yet')
    const first = await asked(browser)
    await vi.waitFor(async () => expect(await read('/quotes', browser)).toContain('best of 3 quotes'), 10_000)
    const later: string[] = []
    for (let quantity = 1; quantity <= 20; quantity++) {
      world.clock.advance(1_000)
      later.unshift(await asked(browser, { product_slug: 'desk-lamps/unsold', quantity: String(quantity) }))
    }
    await vi.waitFor(async () => expect(await read('/quotes', browser)).not.toContain('being asked'), 10_000)
    const html = await read('/quotes', browser)
    const shown = [...html.matchAll(/<a href="(\/quotes\/[0-9a-f-]{36})">/g)].map(([, path]) => path)
    expect(shown).toHaveLength(20)
    expect(new Set(shown)).toEqual(new Set(later))
    const [, older = ''] = /<a href="([^"]+)">Older requests/.exec(html) ?? []
    const rest = await read(older, browser)
    expect(rest).toContain(first)
    expect(textOf(rest)).toContain('$225 total of the best of 3 quotes')
    expect(rest).not.toContain('Older requests')
  })

  test('a stranger is told what an account is good for here', async () => {
    const html = await read('/quotes')
    expect(html).toContain('/auth/signin?return_to=%2Fquotes')
    expect(textOf(html)).toContain('You can ask without one too')
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
    ['no day', { deadline_iso: '2026-02-30' }, 'deadline_iso', 'Write the day as year, month and day'],
    ['none', { quantity: '0' }, 'quantity', 'Ask for a whole number from 1 to 100,000.'],
    ['a half', { quantity: '1.5' }, 'quantity', 'Ask for a whole number'],
    ['a place nobody knows', { delivery_region: 'Atlantis' }, 'delivery_region', 'Write a US state'],
    ['a place of two meanings', { delivery_region: 'ca' }, 'delivery_region', 'California or Canada'],
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
      /Your network has asked 60 times this hour\. Ask again in \d+ minutes?, or sign in/,
    )
    expect(html).toContain('value="7"')
  })
})

describe('in a browser', () => {
  const browser = useBrowser()
  const axe = readFileSync(projectFile('node_modules', 'axe-core', 'axe.min.js'), 'utf8')

  /** What axe finds, and how far the page is wider than its window. */
  async function faults(page: Page): Promise<{ violations: string[]; tooWide: number }> {
    await page.evaluate(axe)
    return page.evaluate(async () => {
      const { axe, document } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: Array<{ id: string; nodes: Array<{ html: string }> }> }> }
        document: { documentElement: { scrollWidth: number; clientWidth: number } }
      }
      const { violations } = await axe.run()
      const { scrollWidth, clientWidth } = document.documentElement
      return {
        violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
        tooWide: scrollWidth - clientWidth,
      }
    })
  }
  const NONE = { violations: [], tooWide: 0 }

  test('without scripts, from the product to the ranked quotes: they come one by one, then in order', async () => {
    Object.assign(delays, { quick: 300, slow: 2_500 })
    const { page, complaints } = await browser.open(`${baseUrl}/p/${PRODUCT}`, { javaScriptEnabled: false })
    await page.getByLabel('Quantity').fill('3')
    await page.getByLabel('Deliver to (optional)').fill('Texas')
    await page.getByRole('button', { name: 'Ask every seller' }).click({ noWaitAfter: true })
    await page.locator('.asking .quote', { hasText: 'quick' }).waitFor({ state: 'visible' })
    expect(await page.locator('progress').isVisible()).toBe(true)
    expect(await page.locator('.ended').count()).toBe(0)
    await page.locator('.ended .best').waitFor({ state: 'visible' })
    expect(await page.locator('.asking').isVisible()).toBe(false)
    expect(await page.locator('.ended .quote').count()).toBe(3)
    await page.getByText('Signature', { exact: false }).first().click()
    await page.getByRole('button', { name: 'Check the signature' }).first().click()
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('This quote is real')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test.each(['light', 'dark'] as const)(
    'nothing is in the way of anybody, %s and narrow',
    async (colorScheme) => {
      const path = await asked()
      await world.finish(path.slice(8))
      const { page, complaints } = await browser.open(`${baseUrl}${path}`, {
        colorScheme,
        viewport: { width: 360, height: 740 },
      })
      await page.locator('.proof summary').first().click()
      expect(await faults(page)).toEqual(NONE)
      await page.getByRole('button', { name: 'Check the signature' }).first().click()
      await page.locator('.verdict').waitFor()
      expect(await faults(page)).toEqual(NONE)
      for (const other of ['/quotes', `/quotes/new?product_slug=${PRODUCT}`, '/verify-quote']) {
        await page.goto(`${baseUrl}${other}`)
        expect(await faults(page), other).toEqual(NONE)
      }
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  test('a page under way has no faults either', async () => {
    Object.assign(delays, { quick: 100, slow: 6_000 })
    const path = await asked()
    const { page } = await browser.open('about:blank', { viewport: { width: 360, height: 740 } })
    await page.goto(`${baseUrl}${path}`, { waitUntil: 'commit' })
    await page.locator('.asking .quote', { hasText: 'quick' }).waitFor({ state: 'visible' })
    expect(await faults(page)).toEqual(NONE)
    await page.context().close()
  })
})
