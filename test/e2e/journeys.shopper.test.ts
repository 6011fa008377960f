/**
 * What somebody without an account comes here for, in a real browser, each way once with scripts and once without: from
 * a wish to signed quotes, from a list to a comparison, and from the first press of a key to results.
 */
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type OpenPage, useBrowser } from '../browser.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const browser = useBrowser()
const WISH = 'first espresso machine for a narrow counter'
const MACHINE = 'Brasswick Solo V2 Espresso Machine'

const opened: OpenPage[] = []
afterEach(async () => {
  for (const { page } of opened.splice(0)) await page.context().close()
})

const cents = (text: string) =>
  Math.round(Number(/\$([\d,]+(?:\.\d\d)?)/.exec(text)?.[1]?.replaceAll(',', '')) * 100)
const columns = (page: Page) => page.getByRole('columnheader').allInnerTexts()

describe.each([
  { way: 'with scripts', javaScriptEnabled: true, quantity: 2, total: '$810' },
  { way: 'without scripts', javaScriptEnabled: false, quantity: 4, total: '$1,620' },
])('$way', ({ javaScriptEnabled, quantity, total }) => {
  async function open(path = '/'): Promise<OpenPage> {
    const one = await browser.open(world.baseUrl + path, { javaScriptEnabled })
    one.page.setDefaultTimeout(10_000)
    opened.push(one)
    return one
  }

  test('a wish leads to ranked and signed quotes, and the first answer is read while the slow seller is silent', async () => {
    const { page, complaints } = await open()
    await page.getByRole('searchbox', { name: 'Search the catalog' }).fill(WISH)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('heading', { level: 1, name: WISH }).waitFor()
    const cards = page.locator('main .cards > .card')
    const count = await cards.count()
    expect(count).toBeGreaterThan(5)
    const reasons = await cards.locator('.reason').allInnerTexts()
    expect(reasons.length).toBeGreaterThan(0)
    expect(reasons.filter((reason) => reason.trim().length < 5)).toEqual([])
    const prices = async () => (await cards.locator('.price').allInnerTexts()).map(cents)
    expect(Math.max(...(await prices()))).toBeGreaterThan(450_00)

    await page.locator('[name=max_price]').fill('450')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('link', { name: /^Remove filter: .*\$450/ }).waitFor()
    expect(await cards.count()).toBeGreaterThan(2)
    expect(Math.max(...(await prices()))).toBeLessThanOrEqual(450_00)

    await page.getByRole('link', { name: MACHINE, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: MACHINE }).waitFor()
    await page.getByLabel('Quantity').fill(String(quantity))
    await page.getByLabel('Deliver to').fill('California')
    world.slow.hold()
    await page.getByRole('button', { name: 'Ask every seller' }).click()
    await page.getByRole('heading', { name: 'Fernhill Supply' }).waitFor()
    expect(page.url()).toMatch(/\/quotes\/[0-9a-f-]{36}$/)
    expect(await page.getByRole('heading', { name: 'Brasswick', exact: true }).count()).toBe(0)
    expect(await page.getByRole('heading', { name: /quotes from/ }).count()).toBe(0)
    expect(await page.getByRole('progressbar').isVisible()).toBe(true)

    world.slow.release()
    await page.getByRole('heading', { name: '3 quotes from 3 sellers' }).waitFor()
    const ranked = page.getByRole('heading', { name: /^\d\. / })
    expect(await ranked.allInnerTexts()).toEqual(['1. Brasswick', '2. Fernhill Supply', '3. Harbor & Hearth'])
    // The cards of those that arrived have given way to the ranked ones.
    expect(await page.getByRole('heading', { name: 'Fernhill Supply', exact: true }).count()).toBe(0)
    expect(await page.getByRole('progressbar').isVisible()).toBe(false)

    await page.getByText('Signature of the quote by Brasswick', { exact: true }).click()
    await page.getByRole('button', { name: 'Check signature of the quote by Brasswick' }).click()
    await page.getByRole('heading', { name: 'This quote is genuine' }).waitFor()
    const promise = page.getByRole('table', { name: 'What Brasswick' })
    expect(await promise.getByRole('row', { name: /^Price/ }).textContent()).toContain('$405')
    expect(await promise.getByRole('row', { name: /^Total/ }).textContent()).toContain(total)
    expect(complaints).toEqual([])
  })

  test('two products are ticked, compared, one is taken out and another put in', async () => {
    const { page, complaints } = await open('/search?q=espresso+machine&category=espresso-machines')
    const boxes = page.getByRole('checkbox', { name: /^Compare / })
    const titles = await page.locator('main .card .card-title').allInnerTexts()
    const [first = '', second = ''] = titles
    for (const at of [0, 1]) await boxes.nth(at).check()
    await page.getByRole('button', { name: /^Compare (2 products|selected)$/ }).click()
    await page.getByRole('table').waitFor()
    expect(await columns(page)).toEqual([first, second])

    await page.getByRole('link', { name: `Remove ${first}` }).click()
    await page.getByRole('link', { name: `Remove ${first}` }).waitFor({ state: 'detached' })
    expect(await columns(page)).toEqual([second])

    await page.getByLabel('Product', { exact: true }).fill('copperfen handpull')
    await page.getByRole('button', { name: 'Find product' }).click()
    await page.getByRole('link', { name: /^Add Copperfen Handpull/ }).click()
    await page.getByRole('link', { name: /^Remove Copperfen/ }).waitFor()
    const [kept, added] = await columns(page)
    expect([kept, added]).toEqual([second, expect.stringContaining('Copperfen Handpull')])
    expect(complaints).toEqual([])
  })

  test('with the keyboard alone: the content is one key away, the search is reached, and the place is always seen', async () => {
    const { page } = await open()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toMatchObject({ text: 'Skip to content', seen: true })
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#main')
    await page.keyboard.press('Tab')
    // From within the content, the next stop is the first one of the content: the header was skipped.
    expect(await focused(page)).toMatchObject({ name: 'q', seen: true })

    await page.goto(`${world.baseUrl}/c/espresso-machines`)
    const walked: Focused[] = []
    do {
      await page.keyboard.press('Tab')
      walked.push(await focused(page))
    } while (walked.at(-1)?.name !== 'q' && walked.length < 10)
    expect(walked.at(-1)?.name).toBe('q')
    await page.keyboard.type('espresso for a narrow counter')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'espresso for a narrow counter' }).waitFor()
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab')
      walked.push(await focused(page))
    }
    expect(walked.filter(({ seen }) => !seen)).toEqual([])
    expect(new Set(walked.map(({ text }) => text)).size).toBeGreaterThan(25)
  })
})

type Focused = { tag: string; name: string | null; text: string; seen: boolean }

/**
 * Where the keyboard is, and whether somebody who looks at the screen can tell: an outline, within the window. A link that
 * stands for a whole card has it around the card.
 */
function focused(page: Page): Promise<Focused> {
  return page.evaluate(`(() => {
    const element = document.activeElement
    const isOutlined = (of, part) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(of, part)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
    }
    const card = element.matches('.card-title a') ? element.closest('.card') : null
    const outlined = isOutlined(element) || isOutlined(element, '::after') || (card && isOutlined(card))
    const box = element.getBoundingClientRect()
    const within = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
    return {
      tag: element.localName,
      name: element.getAttribute('name'),
      text: (element.innerText || element.value || element.getAttribute('aria-label') || '').trim(),
      seen: outlined && within,
    }
  })()`)
}
