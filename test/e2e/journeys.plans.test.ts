/**
 * What somebody with a project comes here for, in a real browser, each way once with scripts and once without: from the
 * plan of the day to a plan of their own, and from there to the one they want.
 */
import { describe, expect, test } from 'vitest'
import { seen, signUp, useTravelers } from '../journeys.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)

describe.each([
  { way: 'with scripts', scripts: true },
  { way: 'without scripts', scripts: false },
])('$way', ({ scripts }) => {
  const name = scripts ? 'wishful' : 'plain-wishful'

  test('a stranger sees the plan of the day, types a wish of their own, signs up by mail, and finds its plan', async () => {
    const visitor = await travel({ at: '/', scripts })
    const { page } = visitor
    const day = page.getByRole('region', { name: /under \$|for \$/ })
    expect(await day.getByRole('listitem').count()).toBeGreaterThanOrEqual(3)
    expect(await seen(day)).toMatch(/Budget\s*\$[\d,]+\s*Total\s*\$[\d,]+\s*Left over\s*\$[\d,]+/)
    const wish = await day.getByRole('heading', { level: 2 }).textContent()
    await visitor.follow('Make it yours')
    const field = page.getByLabel('What do you need, and what’s your budget?')
    expect((await field.inputValue()).toLowerCase()).toBe(wish?.toLowerCase())

    const own = `espresso machine and coffee grinder for $${scripts ? 700 : 750}`
    await field.fill(own)
    await visitor.press('Plan my bundle')
    await page.getByText('Sign in to plan this as a bundle').waitFor()
    await signUp(world, visitor, `${name}@people.example`)
    const plan = page.getByRole('region', { name: 'Your plan' })
    await plan.waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe(own)
    expect(await seen(plan)).toContain('Espresso machines')
  })

  test('a plan is changed line by line: kept, replaced, removed, put back, added to, and its money', async () => {
    const owner = await travel({ at: '/account', as: world.people.ada, scripts, refused: [400, 400, 409] })
    const { page, press, told } = owner
    await owner.follow('See your plans')
    const before = await page.getByRole('link', { name: /^Home office setup/ }).count()
    expect(before).toBeGreaterThan(0)
    await owner.go(`/sets?q=${encodeURIComponent(`home office setup under $1,2${scripts ? 10 : 20}`)}`)
    await press('Plan my bundle')
    await owner.follow('Edit this plan')
    await page.getByRole('heading', { level: 2, name: /things in your plan/ }).waitFor()
    const row = (label: string) =>
      page.getByRole('listitem').filter({ has: page.getByText(`Replace ${label}`) })
    const titles = () => page.locator('.plan-editor .card-title').allTextContents()
    const total = async () => cents(await page.locator('.sums').textContent(), 'Total')
    const costs = async () =>
      (await page.locator('.plan-editor .plan-price .price').allTextContents()).reduce(
        (sum, text) => sum + cents(text),
        0,
      )
    const start = await titles()

    await page.getByText('Change the budget').click()
    await page.getByLabel('Budget in US dollars').fill('plenty')
    await press('Change budget')
    await page.getByText('Enter an amount in US dollars').first().waitFor()
    expect(await page.getByLabel('Budget in US dollars').inputValue()).toBe('plenty')
    await page.getByLabel('Budget in US dollars').fill('$2,500')
    await press('Change budget')
    await told('The budget is $2,500 now')
    // More money changes nothing by itself.
    expect(await titles()).toEqual(start)
    await press('Keep Office chairs')
    await told('stays, whatever else you change')
    await page.getByText('Replace Office chairs').click()
    await page.getByText('Replace Standing desks').click()
    const desk = row('Standing desks').locator('.alternatives > li').first()
    const said = await desk.locator('.alternative-end').textContent()
    const named = await desk.getByRole('link').textContent()
    await desk.getByRole('button', { name: /^Choose/ }).click()
    await told(/Standing desks: now .+\. The total /)
    expect(await titles()).toContain(named)
    expect(said).toContain(dollars(await total()))
    expect(await total()).toBe(await costs())

    await press('Remove Desk lamps')
    await told('Removed desk lamps')
    await press('Put back Desk lamps')
    await told('Added desk lamps')
    await page.getByLabel('Quantity of Monitors').fill('2')
    await press('Set quantity of Monitors')
    await told('Changed the quantity of monitors')
    expect(await total()).toBe(await costs())
    expect(await row('Monitors').textContent()).toContain('2 items')

    await page.getByLabel('What else do you need?').fill('something to see my face in calls')
    await press('Add')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('What else do you need?').inputValue()).toBe(
      'something to see my face in calls',
    )
    await page
      .getByRole('list', { name: 'Products like what you typed' })
      .getByRole('button', { name: /^Add / })
      .first()
      .waitFor()
    await page.getByLabel('What else do you need?').fill('Webcams')
    await press('Add')
    await told('Added webcams')

    const other = await travel({ at: new URL(page.url()).pathname, as: world.people.ada, scripts })
    await other.press('Remove Webcams')
    await other.told('Removed webcams')
    await press('Remove Mechanical keyboards')
    await page.getByText('changed in another window').waitFor()
    expect(await titles()).toEqual(expect.not.arrayContaining([expect.stringContaining('Webcam')]))
    await press('Remove Mechanical keyboards')
    await told('Removed mechanical keyboards')
    expect(await titles()).toContain(start[1])

    await page.getByText('Delete this plan').click()
    await press('Delete plan')
    await told('The plan is deleted.')
    expect(await page.getByRole('link', { name: /^Home office setup/ }).count()).toBe(before)
  })

  test('a plan is shared without its words, read by a stranger, and the link revoked', async () => {
    const id = await world.planCoffee(world.people.ada.userId)
    const owner = await travel({ at: `/plans/${id}`, as: world.people.ada, scripts })
    await owner.press('Create link')
    await owner.told('The link is ready')
    const link = owner.page.getByRole('link', { name: /\/shared-plans\// })
    const path = new URL((await link.getAttribute('href')) ?? '', world.baseUrl).pathname
    const stranger = await travel({ at: path, scripts })
    const read = await stranger.read('2 things in this plan')
    expect(read).toMatch(/prices are from November 1, 2026/)
    expect(read).toContain('Brasswick Solo V2')
    expect(await stranger.page.content()).not.toMatch(
      new RegExp(`for \\$900|${id}|${world.people.ada.email}`),
    )
    await stranger.follow('Make your own')
    await stranger.page.getByRole('heading', { level: 1, name: 'Plan a bundle' }).waitFor()
    await owner.press('Revoke link 1')
    await owner.told('The link no longer works')
    const late = await travel({ at: path, scripts, refused: [404] })
    await late.read('This link no longer works')
  })

  test('all sellers are asked for the whole plan, followed live, and the best quotes stand beside it', async () => {
    const id = await world.planCoffee(world.people.ada.userId)
    const owner = await travel({ at: `/plans/${id}`, as: world.people.ada, scripts })
    const { page } = owner
    expect(await owner.read('Ask all sellers')).toContain('We send 2 requests')
    world.slow.hold()
    const asked = page.getByRole('button', { name: 'Ask all sellers' }).click({ noWaitAfter: true })
    await page.getByRole('heading', { name: 'Asking every seller' }).waitFor()
    world.slow.release()
    await asked
    await page.getByRole('heading', { name: 'Quotes for 1 of 2 things' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Asking every seller' }).isVisible()).toBe(false)
    const text = await seen(page.getByRole('main'))
    expect(text).toMatch(/Best quotes for 1 of 2 things\s*\$405/)
    expect(text).toContain('Nobody sells this here yet')
    await owner.follow('All quotes for Brasswick Solo V2')
    await owner.read('3 quotes from 3 sellers')
    await owner.go(`/plans/${id}`)
    expect(await owner.read('Ask all sellers')).toMatch(/You save\s*\$54/)
    await owner.follow('See the quotes')
    await owner.read('Quotes for 1 of 2 things')
  })
})

function cents(text: string | null, after = ''): number {
  const [, amount = ''] = new RegExp(`${after}\\s*\\$([\\d,]+(?:\\.\\d\\d)?)`).exec(text ?? '') ?? []
  return Math.round(Number(amount.replaceAll(',', '')) * 100)
}

function dollars(amount: number): string {
  return (amount / 100).toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    trailingZeroDisplay: 'stripIfInteger',
  })
}
