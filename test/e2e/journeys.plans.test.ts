/**
 * What somebody with a project comes here for, in a real browser, each way once with scripts and once without: from the
 * plan of the day to a plan of their own.
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
})
