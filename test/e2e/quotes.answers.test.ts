import { describe, expect, test, vi } from 'vitest'
import { Outcome } from '../../src/web/quotes/outcome.tsx'
import { textOf } from '../html.ts'
import { listenFirst } from '../listen-first.ts'
import { createQuotesWorld } from './quotes.page.world.ts'

const { world, hold, answered, stranger, asked, read } = await createQuotesWorld()
const { baseUrl, answerWith: answerFrom } = await listenFirst()
answerFrom(world.app)
const HOSTILE = '"><img src=x onerror=alert(1)></li></ul><script>alert(2)</script>'

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
    const [answerQuick, answerSlow] = [hold('quick'), hold('slow')]
    const before = { ...answered }
    const path = await asked()
    const page = await openPage(path)
    answerQuick()
    expect(page.response.headers.get('cache-control')).toBe('no-store')
    const first = await page.until('<h3>quick</h3>')
    expect(answered.slow).toBe(before.slow)
    expect(first).toContain('<h3>Byrules</h3>')
    expect(first).not.toContain('<h3>slow</h3>')
    expect(first).not.toContain('class="ended"')
    expect(textOf(first)).toContain('They have until 12:')
    expect(first).toContain('<title>Asking for quotes: Lume One · Souk</title>')
    await page.until('<li class="answered">2 of 4 sellers answered.</li>')
    answerSlow()
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
    expect(textOf(ranked)).toContain('3 quotes from 4 sellers')
  })

  test('a reader who leaves early ends nothing: the request completes with every quote', async () => {
    const [answerQuick, answerSlow] = [hold('quick'), hold('slow')]
    const path = await asked()
    const page = await openPage(path)
    await page.until('class="asking"')
    page.leave()
    await expect(page.rest()).rejects.toThrow('aborted')
    answerQuick()
    answerSlow()
    const task = await world.finish(path.slice(8))
    expect([task.state, task.quotes.length]).toEqual(['completed', 3])
    await vi.waitFor(() => expect(world.rfq.looks.watches.size).toBe(0))
  })

  test('a look at the headers alone does not follow anything', async () => {
    const answerSlow = hold('slow')
    const path = await asked()
    const response = await world.app.request(path, { method: 'HEAD' })
    expect(response.status).toBe(200)
    answerSlow()
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
      'Deliver to California, United States',
      'Needed by December 1, 2026',
      'Total for 2 $225',
      'Shipping $5',
      'instead of $150',
      'In 3 business days',
      'Retailer, not verified',
      '$180 + shipping',
      'Delivery Not stated',
      'Price valid until November 2, 2026',
    ])
      expect(text).toContain(words)
    expect(text).toMatch(/Retailer, [\w-]+\.example, verified/)
    expect(html).toContain('Free returns &amp; &quot;care&quot;')
    const links = [...html.matchAll(/href="([^"]+)" rel="nofollow noopener noreferrer">Buy at/g)].map(
      ([, href]) => href,
    )
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
    expect(html).toContain(
      '<a href="https://corner.example/lamp" rel="nofollow noopener noreferrer">Corner Shop</a>',
    )
  })

  test('all declined: the page says that, and what may help', async () => {
    const path = await asked(stranger(), { product_slug: 'desk-lamps/far-lamp' })
    await world.finish(path.slice(8))
    const text = textOf(await read(path))
    expect(text).toContain(
      'We asked 1 seller, and it gave no quote. 1 of 1 seller answered. Try another quantity, place or date.',
    )
    expect(text).toMatch(
      /Asked, but no quote Declines · [\w-]+\.example, verified Retailer Does not deliver there/,
    )
  })

  test('of those who gave no quote, who declined is told from who could not answer', async () => {
    const path = await asked(stranger(), { product_slug: 'desk-lamps/odd-lamp' })
    await world.finish(path.slice(8))
    const text = textOf(await read(path))
    expect(text).toContain('We asked 2 sellers, and none gave a quote.')
    expect(text).toMatch(
      /Declines · \S+ verified Retailer Declined broken · \S+ verified Retailer Answered with/,
    )
  })

  test('of very many quotes the best are shown, and how many are not', async () => {
    const path = await asked()
    const { quotes, ...task } = await world.finish(path.slice(8))
    const many = Array.from({ length: 60 }, (_, at) => ({ ...quotes[0], rank: at + 1 })) as typeof quotes
    const html = String(
      Outcome({ task: { ...task, quotes: many }, title: 'Lume One', now: world.clock.now() }),
    )
    expect(html.match(/<li class="quote/g)).toHaveLength(50)
    expect(textOf(html)).toContain('10 more quotes with a lower rank not shown.')
  })

  test.each([
    ['canceled', 'This request was canceled'],
    ['failed', 'finish this request'],
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
