/** Choosing, sharing and verifying quotes in a real browser, with and without scripts. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useBrowser } from '../browser.ts'
import { textOf } from '../html.ts'
import { listenFirst } from '../listen-first.ts'
import { audit, NARROW, WIDE, withAxe } from '../pages.audit.ts'
import { createQuotesWorld } from './quotes.page.world.ts'

const { world, stranger, asked, read } = await createQuotesWorld()
const { baseUrl, answerWith } = await listenFirst()
answerWith(withAxe(world.app))
const browser = useBrowser()

async function completed(change: Record<string, string> = {}): Promise<{ path: string; id: string }> {
  const path = await asked(stranger(), change)
  const id = path.slice('/quotes/'.length)
  await world.finish(id)
  return { path, id }
}

const card = (page: Page, name: string) =>
  page.locator('.quote', { has: page.getByRole('heading', { name: new RegExp(name) }) })
const choose = (page: Page, name: string) =>
  card(page, name).getByRole('button', { name: 'Choose this quote' }).click()
const chosenIn = async (id: string) =>
  (
    await world.database.pool.query<{ chosen_quote_id: string | null }>(
      'select chosen_quote_id from rfqs where id = $1',
      [id],
    )
  ).rows[0]?.chosen_quote_id

describe('choosing', () => {
  test.each([true, false])(
    'one click records it and shows the way to the seller; scripts: %s',
    async (on) => {
      const { path, id } = await completed()
      const { page, complaints } = await browser.open(`${baseUrl}${path}`, { javaScriptEnabled: on })
      expect(await page.getByRole('button', { name: 'Choose this quote' }).count()).toBe(3)
      expect(await page.getByRole('link', { name: 'Buy at' }).count()).toBe(3)
      await choose(page, 'Byrules')
      await page.getByText('Your choice is recorded. It is not an order').waitFor()
      const { quotes, chosenQuoteId } = await world.finish(id)
      expect(quotes.find(({ quote_id }) => quote_id === chosenQuoteId)?.org.name).toBe('Byrules')
      expect(await page.getByRole('button', { name: 'Choose this quote' }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'Buy at' }).allTextContents()).toEqual(['Buy at Byrules'])
      expect(await page.locator('.quote h3').first().textContent()).toContain('Byrules')
      expect(await page.getByText('This is not an order yet').count()).toBe(1)
      expect(complaints).toEqual([])
    },
  )

  test('two browsers that choose different quotes at the same time: one choice stands, and both see it', async () => {
    const { path, id } = await completed()
    const [one, two] = await Promise.all([
      browser.open(`${baseUrl}${path}`),
      browser.open(`${baseUrl}${path}`),
    ])
    const answered = (page: Page) =>
      page.waitForResponse((response) => response.url().includes('/choose')).then((one) => one.status())
    const statuses = Promise.all([answered(one.page), answered(two.page)])
    await Promise.all([choose(one.page, 'quick'), choose(two.page, 'Byrules')])
    expect((await statuses).toSorted()).toEqual([303, 409])
    const stands = await chosenIn(id)
    expect(stands).toEqual(expect.any(String))
    const refused = (await statuses)[0] === 409 ? one.page : two.page
    await refused.getByRole('alert').getByText('Another quote was already chosen').waitFor()
    expect(await refused.locator('.quote').count()).toBe(3)
    const names = await Promise.all(
      [one.page, two.page].map((page) => page.locator('.chosen .quote h3').textContent()),
    )
    expect(names[0]).toBe(names[1])
    const told = await world.database.pool.query(
      `select 1 from jobs where kind = 'rfq.accepted' and payload->>'quoteId' = $1`,
      [stands],
    )
    expect(told.rows).toHaveLength(1)
  })

  test('after it expired a quote is refused in words, and the page is still there', async () => {
    const { path, id } = await completed()
    const { page } = await browser.open(`${baseUrl}${path}`)
    world.clock.advance(25 * 3_600_000)
    await choose(page, 'quick')
    await page.getByRole('alert').getByText('This quote expired on November').waitFor()
    expect(await page.locator('.quote').count()).toBe(3)
    expect(await page.getByRole('button', { name: 'Choose this quote' }).count()).toBe(0)
    expect(await chosenIn(id)).toBeNull()
  })

  test('a total that was not the one shown is refused', async () => {
    const { path, id } = await completed()
    const { page } = await browser.open(`${baseUrl}${path}`)
    await card(page, 'quick')
      .locator('input[name=total_usd]')
      .evaluate((field: { value: string }) => {
        field.value = '1'
      })
    await choose(page, 'quick')
    await page.getByRole('alert').getByText('The total of this quote is $225').waitFor()
    expect(await chosenIn(id)).toBeNull()
  })

  test('the page sends nobody its address and is in no index, also when it is refused', async () => {
    const { path, id } = await completed()
    const { page, requested } = await browser.open(`${baseUrl}${path}`)
    const [head, other] = await Promise.all([
      fetch(`${baseUrl}${path}`),
      fetch(`${baseUrl}/quotes/0199f0a0-0000-7000-8000-0123456789ab`),
    ])
    for (const { headers } of [head, other])
      expect([
        headers.get('referrer-policy'),
        headers.get('x-robots-tag'),
        headers.get('cache-control'),
      ]).toEqual(['no-referrer', 'noindex, nofollow', 'no-store'])
    // The world's base URL is plain http, where a form is known as ours by its Origin alone.
    expect(await head.text()).toContain('<meta name="referrer" content="same-origin"/>')
    const leaving = page.waitForRequest((request) => request.url().includes('/go/'))
    await card(page, 'quick').getByRole('link', { name: 'Buy at' }).click({ noWaitAfter: true })
    expect((await (await leaving).allHeaders()).referer).toBeUndefined()
    expect(requested.length).toBeGreaterThan(1)
    const lines = JSON.stringify(world.logged.lines())
    expect(lines).toMatch(/"path":"\/quotes\/#[0-9a-f]{12}"/)
    expect(lines).not.toContain(id)
  })
})

test('who gave no quote and who lists it for less is there for everyone, in both themes and on a phone', async () => {
  const { path } = await completed({ product_slug: 'desk-lamps/dear-lamp', quantity: '1' })
  const { page, complaints } = await browser.open(`${baseUrl}${path}`)
  const text = (await page.locator('main').textContent()) ?? ''
  expect(text).toContain('Corner Shop lists $55, not confirmed, shipping not stated')
  expect(text).toContain('2 quotes from 3 sellers')
  expect(text).toMatch(/Asked, but no quotebroken · broken\.example, verifiedRetailerAnswered with an error/)
  expect(text.indexOf('Corner Shop')).toBeLessThan(text.indexOf('Choose this quote'))
  for (const [size, colorScheme] of [
    [WIDE, 'light'],
    [WIDE, 'dark'],
    [NARROW, 'light'],
    [NARROW, 'dark'],
  ] as const) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    expect(await audit(page, { name: 'quotes', path }, null)).toEqual([])
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(size.width)
  }
  expect(complaints).toEqual([])
})

describe('sharing', () => {
  /** As the owner makes it. */
  async function shared(path: string) {
    const { page } = await browser.open(`${baseUrl}${path}`)
    await page.getByLabel('The link works for').selectOption('1 day')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('The link is ready.').waitFor()
    const link = await page.locator('.share a').first().getAttribute('href')
    return { page, link: `${baseUrl}${link}` }
  }

  const verify = async (link: string) => {
    const { page, complaints } = await browser.open(link)
    await page.getByRole('button', { name: 'Verify signatures' }).click()
    await page.locator('[data-verify-result]:not(:empty)').waitFor()
    const result = await page.locator('[data-verify-result]').textContent()
    const each = await page.locator('[data-verdict]').allTextContents()
    return { page, result, each, complaints }
  }

  /** Somebody who can write to the database, or between it and the reader, tells something else. */
  const tamper = (link: string, change: string) =>
    world.database.pool.query(
      `update rfq_shares set shared = (${change})::json, revoked_at = null where id = $1`,
      [link.split('/').at(-1)],
    )

  test('others see the quotes by a link of its own, and their browser verifies them', async () => {
    const { path, id } = await completed()
    const { link } = await shared(path)
    expect(link).not.toContain(id)
    const { page, result, each, complaints } = await verify(link)
    expect(result).toBe('3 of 3 quotes verified. The order follows the rule.')
    expect(each).toEqual(['Verified', 'Verified', 'Verified'])
    expect(complaints).toEqual([])
    const html = await page.content()
    for (const secret of [id, 'California', 'December', '/go/', 'Free returns', 'Buy at'])
      expect(html).not.toContain(secret)
    for (const words of ['Quotes for Lume One', 'In stock first, then', 'quick.example, verified'])
      expect(textOf(html)).toContain(words)
    const { headers } = await fetch(link)
    expect([headers.get('referrer-policy'), headers.get('x-robots-tag')]).toEqual([
      'no-referrer',
      'noindex, nofollow',
    ])
  })

  test.each([
    [
      'a changed total',
      `replace(shared::text, '"total_usd":225', '"total_usd":205')`,
      'Does not match: the total on this page is not what was signed.',
    ],
    [
      'a changed quantity',
      `jsonb_set(shared::jsonb, '{quantity}', '3')::text`,
      'Does not match: the quantity on this page is not what was signed.',
    ],
    [
      'a changed name',
      `jsonb_set(shared::jsonb, '{quotes,0,org,name}', '"Quack"')::text`,
      'Does not match: the seller on this page is not what was signed.',
    ],
    [
      'a changed signature',
      `jsonb_set(shared::jsonb, '{quotes,0,signature}',
         to_jsonb(overlay(shared->'quotes'->0->>'signature' placing 'AAAA' from length(shared->'quotes'->0->>'signature') - 10)))::text`,
      'Does not match: the signature does not fit: the quote was changed.',
    ],
    [
      'quotes in another order',
      `jsonb_set(shared::jsonb, '{quotes}', jsonb_build_array(shared->'quotes'->1, shared->'quotes'->0, shared->'quotes'->2))::text`,
      'Does not match: its place is not the one that was signed.',
    ],
    ['no signature', `jsonb_set(shared::jsonb, '{quotes,0,signature}', '"a.b.c"')::text`, 'Does not match'],
  ])('%s is found out', async (_, change, words) => {
    const { path } = await completed()
    const { link } = await shared(path)
    await tamper(link, change)
    const { result, each } = await verify(link)
    expect(each.join('\n')).toContain(words)
    expect(result).toMatch(/^[0-2] of 3 quotes verified\. Do not rely on this page\.$/)
  })

  test('without scripts each quote has a form that checks it', async () => {
    const { path } = await completed()
    const { link } = await shared(path)
    const { page } = await browser.open(link, { javaScriptEnabled: false })
    expect(await page.getByRole('button', { name: 'Verify signatures' }).count()).toBe(0)
    await card(page, 'quick').locator('summary').click()
    await card(page, 'quick').getByRole('button', { name: 'Check signature' }).click()
    await page.getByText('This quote is genuine').waitFor()
  })

  test('a link that was revoked or has expired says so', async () => {
    const { path } = await completed()
    const { page, link } = await shared(path)
    world.clock.advance(1_000)
    const later = await shared(path)
    await page.reload()
    await page.getByRole('button', { name: 'Revoke link 2' }).click()
    await page.getByText('The link no longer works.').waitFor()
    expect(await page.locator('.share a').count()).toBe(1)
    const gone = async (address: string) => {
      const response = await fetch(address, { headers: { accept: 'text/html' } })
      return [response.status, textOf(await response.text()).includes('This link no longer works')]
    }
    expect(await gone(link)).toEqual([404, true])
    expect((await fetch(later.link)).status).toBe(200)
    world.clock.advance(24 * 3_600_000)
    expect(await gone(later.link)).toEqual([404, true])
    expect(await read(path)).not.toContain('Links that work now')
  })
})
