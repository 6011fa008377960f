/** The dashboard's stops about selling: offers, pricing, requests for quotes, and the agent that answers them. */
import { ASKED, OFFERED } from './pages.people.ts'
import type { TourWorld } from './pages.seeds.ts'
import { opening, type Stop, sending, submit } from './tour.stop.ts'

export function sellingTour(world: TourWorld): Stop[] {
  const parts = [offers, pricing, requests, agent]
  return parts.flatMap((part) => part(world))
}

function offers({ console: { offers } }: TourWorld): Stop[] {
  const list = '/dashboard/offers'
  const [create, calendar, draft] = [`${list}/new`, `${list}/calendar`, `${list}/${offers.draft}`]
  return [
    { name: 'dashboard-offers', as: 'owner', path: list, act: opening('.offer-actions .confirm') },
    { name: 'dashboard-offers-viewer', as: 'viewer', path: list },
    { name: 'dashboard-offers-import', as: 'owner', path: `${list}/import` },
    { name: 'dashboard-offers-empty', as: 'fresh', path: list },
    { name: 'dashboard-offers-none', as: 'owner', path: `${list}?product=${UNOFFERED}` },
    { name: 'dashboard-calendar', as: 'owner', path: `${calendar}?month=2026-11` },
    { name: 'dashboard-calendar-empty', as: 'fresh', path: calendar },
    { name: 'dashboard-offer-new', as: 'owner', path: `${create}?product=${OFFERED}` },
    {
      name: 'dashboard-offer-new-refused',
      as: 'owner',
      path: create,
      status: 400,
      act: sending(create, { destination_url: 'our shop', price_usd: 'cheap', list_price_usd: '1' }),
    },
    { name: 'dashboard-offer-new-none', as: 'fresh', path: create },
    { name: 'dashboard-offer', as: 'owner', path: `${list}/${offers.soon}` },
    { name: 'dashboard-offer-viewer', as: 'viewer', path: `${list}/${offers.soon}` },
    {
      name: 'dashboard-offer-clash',
      as: 'owner',
      path: draft,
      status: 409,
      act: async (page) => {
        // As of somebody who opened the form before the last change of another.
        await page.evaluate(`document.querySelector('[name=version]').value = '2026-10-01T00:00:00.000Z'`)
        await sending(draft, { headline: 'A brush and a spare burr', price_usd: '119' })(page)
      },
    },
  ]
}

/** Sold, and never offered. */
const UNOFFERED = 'desk-lamps/lumaro-arc-2'

function pricing(_world: TourWorld): Stop[] {
  const list = '/dashboard/pricing'
  const rules = `${list}/${OFFERED}`
  return [
    { name: 'dashboard-pricing', as: 'owner', path: list },
    { name: 'dashboard-pricing-viewer', as: 'viewer', path: list },
    { name: 'dashboard-price-table', as: 'owner', path: `${list}/table` },
    { name: 'dashboard-price-table-empty', as: 'fresh', path: `${list}/table` },
    {
      name: 'dashboard-price-table-refused',
      as: 'owner',
      path: `${list}/table`,
      status: 400,
      act: async (page) => {
        await page.locator('[name="p.0.price_usd"]').fill('cheap')
        await submit(page, `${list}/table`)
      },
    },
    { name: 'dashboard-pricing-import', as: 'owner', path: `${list}/import` },
    {
      name: 'dashboard-pricing-import-preview',
      as: 'owner',
      path: `${list}/import`,
      act: async (page) => {
        const sheet = `product_slug,price,stock,colour\n${OFFERED},80,4,red\nnone/such,1,1,blue\n`
        const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) }
        await page.locator('[name=file]').setInputFiles(file)
        await submit(page, `${list}/import`)
      },
    },
    { name: 'dashboard-pricing-empty', as: 'fresh', path: list },
    {
      name: 'dashboard-pricing-refused',
      as: 'owner',
      path: list,
      status: 400,
      act: sending(`${list}/volume`, {
        'volume_discounts.0.min_qty': '0',
        'volume_discounts.0.discount_pct': '120',
      }),
    },
    { name: 'dashboard-rules', as: 'owner', path: `${rules}?quantity=12&delivery_region=CA-US` },
    { name: 'dashboard-rules-viewer', as: 'viewer', path: `${rules}?quantity=1` },
    { name: 'dashboard-rules-declined', as: 'owner', path: `${rules}?quantity=1&delivery_region=ON-CA` },
    {
      name: 'dashboard-rules-unclear',
      as: 'owner',
      path: `${rules}?quantity=0&delivery_region=Atlantis`,
      status: 400,
    },
    {
      name: 'dashboard-rules-unconfirmed',
      as: 'owner',
      path: rules,
      status: 409,
      act: sending(rules, { price_usd: '5', reserve_price_usd: '90' }),
    },
    {
      name: 'dashboard-rules-refused',
      as: 'owner',
      path: rules,
      status: 400,
      act: sending(rules, { max_discount_pct: '140', 'delivery_regions.0.value': 'Atlantis' }),
    },
  ]
}

function requests({ console: { received, won } }: TourWorld): Stop[] {
  const list = '/dashboard/rfqs'
  return [
    { name: 'dashboard-rfqs', as: 'agentful', path: list },
    { name: 'dashboard-rfqs-empty', as: 'fresh', path: list },
    { name: 'dashboard-rfqs-refused', as: 'agentful', path: `${list}?product=nowhere/none`, status: 404 },
    {
      name: 'dashboard-rfq-lost',
      as: 'agentful',
      path: `${list}/${received.lost}`,
      act: opening('.panel details'),
    },
    { name: 'dashboard-rfq-failed', as: 'agentful', path: `${list}/${received.failed}` },
    { name: 'dashboard-rfq-managed', as: 'owner', path: `${list}/${won}` },
    { name: 'dashboard-rfq-viewer', as: 'viewer', path: `${list}/${won}` },
    {
      name: 'dashboard-rfq-tested',
      as: 'agentful',
      path: `${list}/${received.failed}`,
      act: (page) => submit(page, `${list}/${received.failed}/test`),
    },
  ]
}

function agent(_world: TourWorld): Stop[] {
  const path = '/dashboard/agent'
  return [
    { name: 'dashboard-agent', as: 'agentful', path, act: opening('#card details') },
    { name: 'dashboard-agent-managed', as: 'owner', path },
    { name: 'dashboard-agent-none', as: 'fresh', path },
    { name: 'dashboard-agent-viewer', as: 'viewer', path },
    {
      name: 'dashboard-agent-refused',
      as: 'owner',
      path,
      status: 400,
      act: sending(path, { agent_card_url: 'http://agent' }),
    },
    {
      name: 'dashboard-agent-tested',
      as: 'agentful',
      path,
      act: sending(`${path}/test`, { product_slug: ASKED }),
    },
    {
      name: 'dashboard-agent-test-refused',
      as: 'agentful',
      path,
      status: 400,
      act: sending(`${path}/test`, { quantity: '-1', delivery_region: 'Atlantis' }),
    },
  ]
}
