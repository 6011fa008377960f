/** The simulator of managed pricing: its address asks, the page answers, and who sees how a price came about. */
import { expect, test } from 'vitest'
import { addMember } from '../orgs.ts'
import { read } from './dashboard.agent.world.ts'
import {
  BARE,
  createPricingWorld,
  discounts,
  errorOf,
  PERCH,
  quoted,
  VOLUME,
} from './dashboard.pricing.world.ts'

const world = await createPricingWorld()
const { acme, owner, browserOf, filled, pageOf } = world

test('answers by its address: the price, each step, and several quantities at a glance', async () => {
  await owner.post(VOLUME, filled(discounts(['5', '30'])))
  await owner.post(
    PERCH,
    filled({
      max_discount_pct: '20',
      lead_time_days: '3',
      shipping_cost_usd: '10',
      reserve_price_usd: '85',
    }),
  )
  const html = await pageOf(`${PERCH}?quantity=6&delivery_region=new+york&deadline_iso=2027-01-05`)
  expect(html).toContain('6 units to New York, United States by January 5, 2027')
  expect(quoted(html)).toBe('$86')
  expect(html).toContain('$526 total, with $10 shipping.')
  const steps = [...html.matchAll(/<li>([^<]*): <strong>([^<]*)<\/strong>[^<]*<\/li>/g)].map(([, a, b]) => [
    a,
    b,
  ])
  expect(steps).toEqual([
    ['Base price', '$100'],
    ['30% off from 5 units', '$70'],
    ['Discount capped at 20%', '$80'],
  ])
  expect(html).toContain('Raised or stopped by your price limit')
  expect(html).toContain('On time')
  const [, table = ''] = html.split('Unit price by quantity')
  expect(
    [...table.matchAll(/<th scope="row">(\d+)<\/th><td[^>]*>([^<]*)</g)].map(([, a, b]) => [a, b]),
  ).toEqual([
    ['1', '$100'],
    ['2', '$100'],
    ['5', '$86'],
    ['10', '$86'],
    ['50', '$86'],
  ])
  expect(html).toContain('14% less')
  expect(html).toContain('value="2027-01-05"')
})

test('says why it would decline, and where to fix it', async () => {
  await owner.post(PERCH, filled({ 'delivery_regions.0.value': 'CA-US' }))
  expect(await pageOf(`${PERCH}?delivery_region=NY-US`)).toContain('Not delivered to this region.')
  const html = await pageOf(BARE)
  expect(html).toContain('Would decline')
  expect(html).toContain('There is no base price')
  expect(html).toContain('href="/dashboard/offers"')
})

test('keeps what was typed wrongly, beside what is wrong with it', async () => {
  const { status, html } = await read(owner.get(`${PERCH}?quantity=none&delivery_region=Mars`))
  expect(status).toBe(400)
  expect(errorOf(html, 'quantity')).toContain('Quantity must be a number')
  expect(errorOf(html, 'delivery_region')).toContain('Write a state or country')
  expect(html).toContain('value="Mars"')
  expect(quoted(html)).toBeUndefined()
})

test('shows the steps to owners and admins only', async () => {
  await owner.post(VOLUME, filled(discounts(['5', '30'])))
  await owner.post(PERCH, filled({ reserve_price_usd: '80.4' }))
  for (const role of ['admin', 'editor', 'viewer'] as const) {
    const html = await pageOf(`${PERCH}?quantity=5`, browserOf(await addMember(world, acme, role)))
    expect(quoted(html)).toBe('$81')
    expect(html.includes('Base price')).toBe(role === 'admin')
    expect(html.includes('Raised or stopped by your price limit')).toBe(role === 'admin')
  }
})
