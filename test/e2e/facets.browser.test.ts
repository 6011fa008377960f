/**
 * Finding a product by typing and by filtering, in a real browser: suggestions with the keyboard alone, past searches that
 * stay in the browser, filters with scripts and without, back and forward, and filters as a sheet on a telephone.
 */
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type OpenPage, useBrowser } from '../browser.ts'
import { layoutShift } from '../pages.audit.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const browser = useBrowser()
const CATEGORY = '/c/espresso-machines'
const PHONE = { width: 360, height: 740 }

const opened: OpenPage[] = []
afterEach(async () => {
  for (const { page, complaints } of opened.splice(0)) {
    expect(complaints).toEqual([])
    await page.context().close()
  }
})

async function open(path: string, options: Parameters<typeof browser.open>[1] = {}): Promise<OpenPage> {
  const one = await browser.open(world.baseUrl + path, options)
  one.page.setDefaultTimeout(10_000)
  opened.push(one)
  return one
}

const optionTexts = (page: Page) => page.getByRole('option').allInnerTexts()
const cardCount = (page: Page) => page.locator('#found .card').count()
const heading = (page: Page, words: string) => page.locator('#results', { hasText: words }).waitFor()

describe('typing a search', () => {
  test('suggests the category first; arrow down and Enter lead there', async () => {
    const { page } = await open('/')
    await page.keyboard.press('/')
    const box = page.getByRole('combobox', { name: 'Search the catalog' })
    expect(await page.evaluate('document.activeElement.role')).toBe('combobox')
    await page.keyboard.type('esp')
    await page.getByRole('option').first().waitFor()
    expect((await optionTexts(page))[0]).toContain('Espresso machines')
    expect(await page.getByRole('option').count()).toBe(10)
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    const active = page.locator(`[id="${await box.getAttribute('aria-activedescendant')}"]`)
    expect(await active.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${CATEGORY}`)
  })

  test('Escape closes the list and keeps what was typed; Ctrl-K comes back; nothing moves', async () => {
    const { page } = await open('/compare')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('hedph')
    await page.getByRole('option', { name: /^Headphones/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    const box = page.getByRole('combobox')
    expect(await box.inputValue()).toBe('hedph')
    expect(await box.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option').first().waitFor()
    expect(await layoutShift(page)).toEqual({ sum: 0, moved: [] })
  })

  test('past searches stay in this browser, are offered first and can be cleared', async () => {
    const { page, requested } = await open('/')
    await page.getByRole('combobox').fill('espresso for camping')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'espresso for camping' }).waitFor()
    await page.goto(`${world.baseUrl}/`)
    requested.length = 0
    await page.getByRole('combobox').focus()
    await page.getByRole('option', { name: 'espresso for camping' }).waitFor()
    expect(await optionTexts(page)).toHaveLength(1)
    // What was searched for once goes nowhere by being shown.
    expect(requested.filter((address) => address.includes('camping'))).toEqual([])
    await page.getByRole('combobox').fill('esp')
    await page.getByRole('group', { name: 'Categories' }).waitFor()
    expect((await optionTexts(page))[0]).toContain('espresso for camping')
    await page.getByRole('combobox').fill('')
    await page.getByRole('button', { name: 'Clear past searches' }).click()
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })
})

describe('filtering a category', () => {
  test('with scripts the list follows at once, keeps the focus, says its count, and goes back', async () => {
    const { page } = await open(CATEGORY)
    const all = await cardCount(page)
    const option = page.getByRole('link', { name: /^58 mm/ })
    const count = Number(/\d+/.exec((await option.locator('.soft').textContent()) ?? ''))
    expect(count).toBeLessThan(all)
    await option.click()
    await heading(page, `${count} products`)
    expect(await cardCount(page)).toBe(count)
    expect(new URL(page.url()).searchParams.get('s.portafilter')).toBe('58 mm')
    expect(await page.locator('#live-said').textContent()).toBe(`${count} products`)
    expect(await page.evaluate('document.activeElement.textContent')).toContain('58 mm')
    expect(await option.getAttribute('aria-current')).toBe('true')

    await page.getByLabel('Sort by').selectOption('price_asc')
    await page.waitForURL(/sort=price_asc/)
    await page.getByLabel('Max price').fill('500')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Remove filter: Up to $500' }).waitFor()
    const fewer = await cardCount(page)
    expect(fewer).toBeLessThan(count)

    for (const [many, address] of [
      [count, /sort=price_asc$/],
      [count, /s\.portafilter=58\+mm$/],
      [all, /espresso-machines$/],
    ] as const) {
      await page.goBack()
      await page.waitForURL(address)
      await heading(page, `${many} products`)
      expect(await cardCount(page)).toBe(many)
    }
    await page.goForward()
    await heading(page, `${count} products`)
    // The same address, asked for anew, shows the same.
    await page.reload()
    expect(await cardCount(page)).toBe(count)
    await page.getByRole('link', { name: 'Remove filter: Portafilter: 58 mm' }).click()
    await heading(page, `${all} products`)
  })

  test('without scripts each value is a link, and prices have their button', async () => {
    const { page } = await open(CATEGORY, { javaScriptEnabled: false })
    const all = await cardCount(page)
    await page.getByRole('link', { name: /^58 mm/ }).click()
    await page.getByRole('link', { name: 'Remove filter: Portafilter: 58 mm' }).waitFor()
    const count = await cardCount(page)
    expect(count).toBeLessThan(all)
    await page.getByLabel('Max price').fill('500')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('link', { name: 'Remove filter: Up to $500' }).waitFor()
    expect(await cardCount(page)).toBeLessThan(count)
    await page.getByRole('link', { name: 'Clear all filters' }).click()
    await page.waitForURL(`**${CATEGORY}`)
    expect(await cardCount(page)).toBe(all)
  })

  test('a wrong price is said beside its field, which keeps what was typed', async () => {
    const { page } = await open(CATEGORY)
    await page.getByLabel('Max price').fill('cheap')
    await page.keyboard.press('Tab')
    await page.locator('#field-max_price-error').waitFor()
    expect(await page.getByLabel('Max price').inputValue()).toBe('cheap')
  })
})

describe.each([
  { way: 'with scripts', javaScriptEnabled: true },
  { way: 'without scripts', javaScriptEnabled: false },
])('on a telephone $way', ({ javaScriptEnabled }) => {
  test.each([CATEGORY, '/search?q=espresso&category=espresso-machines'])(
    'two cards stand in a row, and filters are a sheet: %s',
    async (path) => {
      const { page } = await open(path, { viewport: PHONE, javaScriptEnabled })
      const [first, second] = await Promise.all(
        [0, 1].map((at) => page.locator('#found .card').nth(at).boundingBox()),
      )
      expect(first?.y).toBe(second?.y)
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
      const sheet = page.locator('.filters > details')
      await page.locator('summary', { hasText: 'Filters' }).click()
      expect(await sheet.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE })
      const option = page.getByRole('link', { name: /^58 mm/ })
      const count = await option.locator('.soft').evaluate((one) => one.firstChild?.textContent ?? '')
      await option.click()
      if (javaScriptEnabled) {
        const close = page.locator('summary', { hasText: `Show ${count} products` })
        await close.click()
      }
      await heading(page, `${count} products`)
      expect(
        await page.evaluate(`getComputedStyle(document.querySelector('.filters > details')).position`),
      ).toBe('static')
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    },
  )
})
