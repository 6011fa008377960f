/**
 * What somebody without an account comes here for, in a real browser, each way once with scripts and once without: from
 * a wish to a chosen quote, in Firefox as in Chromium; from a list to a comparison; and from the first press of a key to
 * results.
 */
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type OpenPage, useBrowser } from '../browser.ts'
import { FIREFOX, useFirefox } from '../firefox.ts'
import { createPagesWorld } from '../pages.world.ts'
import { overflow, sees, texts, useChromium, type Visit } from '../visitor.ts'

const world = await createPagesWorld()
const browser = useBrowser()
// A journey is many pages long, and machines that run tests are often busy; what is waited for has its own time.
vi.setConfig({ testTimeout: 120_000 })

const opened: OpenPage[] = []
afterEach(async () => {
  for (const { page } of opened.splice(0)) await page.context().close()
})

const cents = (text: string) =>
  Math.round(Number(/\$([\d,]+(?:\.\d\d)?)/.exec(text)?.[1]?.replaceAll(',', '')) * 100)
const columns = (page: Page) => page.getByRole('columnheader').allInnerTexts()

const WISH = 'first espresso machine for a narrow counter'
const MACHINE = 'Brasswick Solo V2 Espresso Machine'
const CARD = 'main .cards > .card'

type Way = { way: string; scripts: boolean; quantity: number; total: string }

/** Who asks the same again soon gets the same answers, so each way has a quantity of its own. */
const inEveryWay = (visit: Visit, ways: Way[]) =>
  test.each(ways)(
    'a wish leads to ranked and signed quotes, one is chosen, and the first was read while the slow seller was silent, $way',
    async ({ scripts, quantity, total }) => {
      const visitor = await visit(world.baseUrl, { scripts })
      const { click, fill, evaluate } = visitor
      const address = () => evaluate<string>('location.href')
      const headings = () => texts(visitor, 'h1, h2, h3')
      // With scripts it is a combobox.
      await fill(scripts ? 'combobox' : 'searchbox', 'Search the catalog', WISH)
      await click('button', 'Search')
      await sees(visitor, 'h1', WISH)
      expect((await texts(visitor, CARD)).length).toBeGreaterThan(5)
      const reasons = await texts(visitor, `${CARD} .reason`)
      expect(reasons.length).toBeGreaterThan(0)
      expect(reasons.filter((reason) => reason.trim().length < 5)).toEqual([])
      const prices = async () => (await texts(visitor, `${CARD} .price`)).map(cents)
      expect(Math.max(...(await prices()))).toBeGreaterThan(450_00)
      expect(await overflow(visitor)).toBe(0)

      await fill('textbox', 'Max price', '450')
      // With scripts what is typed counts as soon as the field is left.
      if (scripts) await evaluate("document.querySelector('[name=max_price]').blur()")
      else await click('button', 'Apply')
      await sees(visitor, 'a', /\$450/)
      expect((await prices()).length).toBeGreaterThan(2)
      expect(Math.max(...(await prices()))).toBeLessThanOrEqual(450_00)

      await click('link', MACHINE)
      await sees(visitor, 'h1', MACHINE)
      expect(await overflow(visitor)).toBe(0)
      await fill('spinbutton', 'Quantity', String(quantity))
      await fill('combobox', 'Deliver to (optional)', 'California')
      world.slow.hold()
      await click('button', 'Ask every seller')
      await sees(visitor, 'h3', /^Fernhill Supply/)
      expect(await address()).toMatch(/\/quotes\/[0-9a-f-]{36}$/)
      expect((await headings()).filter((one) => /^Brasswick|quotes from/.test(one))).toEqual([])
      expect(await texts(visitor, 'progress')).toHaveLength(1)

      world.slow.release()
      await sees(visitor, 'h2', '3 quotes from 3 sellers')
      const ranked = (await headings()).filter((one) => /^\d\. /.test(one))
      expect(ranked).toEqual(['1. Brasswick', '2. Fernhill Supply', '3. Harbor & Hearth'])
      // The cards of those that arrived have given way to the ranked ones.
      expect((await headings()).filter((one) => /^Fernhill/.test(one))).toEqual([])
      expect(await texts(visitor, 'progress')).toEqual([])
      expect(await overflow(visitor)).toBe(0)

      await click('button', 'Choose this quote by Brasswick')
      await sees(visitor, 'main', /Your choice is recorded\. It is not an order/)
      const offered = (await texts(visitor, 'main button, main a')).filter((one) =>
        /^(Choose|Buy at)/.test(one),
      )
      expect(offered).toEqual(['Buy at Brasswick'])
      expect(await chosenIn(await address())).toBe('Brasswick')
      expect(await overflow(visitor)).toBe(0)

      await evaluate(`for (const folded of document.querySelectorAll('details')) folded.open = true`)
      await click('button', 'Check signature of the quote by Brasswick')
      await sees(visitor, 'h2', 'This quote is genuine')
      const promised = await texts(visitor, 'tr')
      expect(promised).toContainEqual(expect.stringMatching(/^Price\s+\$405/))
      expect(promised).toContainEqual(expect.stringMatching(new RegExp(`^Total\\s+\\${total}`)))
      expect(await overflow(visitor)).toBe(0)
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    },
  )

async function chosenIn(page: string): Promise<string | undefined> {
  const { rows } = await world.database.pool.query<{ name: string }>(
    `select o.name from rfqs r join rfq_quotes q on q.id = r.chosen_quote_id join orgs o on o.id = q.org_id
     where r.id = $1`,
    [new URL(page).pathname.split('/').at(-1)],
  )
  return rows[0]?.name
}

describe('in Chromium', () => {
  inEveryWay(useChromium(), [
    { way: 'with scripts', scripts: true, quantity: 2, total: '$810' },
    { way: 'without scripts', scripts: false, quantity: 4, total: '$1,620' },
  ])
})

describe('in Firefox', () => {
  if (FIREFOX === '') {
    test('Firefox is not here: install firefox-esr, or set SOUK_TEST_FIREFOX to the path of one', () => {
      expect(process.env.CI, 'CI must run these tests').not.toBe('true')
    })
    return
  }
  const { visit, outward } = useFirefox()
  inEveryWay(visit, [
    { way: 'with scripts', scripts: true, quantity: 3, total: '$1,215' },
    { way: 'without scripts', scripts: false, quantity: 5, total: '$2,025' },
  ])

  test.each([
    { scripts: true, title: 'on', heard: ['heard'] },
    { scripts: false, title: 'off', heard: [] },
  ])('pages run scripts only when they may, and complaints are heard: $scripts', async (one) => {
    const page = '<title>off</title><script>document.title = "on"; console.error("heard")</script>'
    const { evaluate, complaints, leave } = await visit(`data:text/html,${encodeURIComponent(page)}`, one)
    expect(await evaluate('document.title')).toBe(one.title)
    await vi.waitFor(() => expect(complaints).toEqual(one.heard))
    await leave()
  })

  test('it reaches nothing but this machine', async () => {
    await expect(visit('http://elsewhere.example/', { scripts: false })).rejects.toThrow()
    expect(outward).toContain('GET http://elsewhere.example/ HTTP/1.1')
  })
})

describe.each([
  { way: 'with scripts', javaScriptEnabled: true },
  { way: 'without scripts', javaScriptEnabled: false },
])('$way', ({ javaScriptEnabled }) => {
  async function open(path = '/'): Promise<OpenPage> {
    const one = await browser.open(world.baseUrl + path, { javaScriptEnabled })
    one.page.setDefaultTimeout(10_000)
    opened.push(one)
    return one
  }

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
