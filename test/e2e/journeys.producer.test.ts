/**
 * What producers come here for, in a real browser, from the HTTP interface to the end: a new organization's first ranked
 * quote, by its own agent and by rules that the service applies for it; the life of an offer; and a colleague who joins.
 */
import { expect, test } from 'vitest'
import { askSellers, seen, signUp, type Traveler, useTravelers } from '../journeys.ts'
import { addMember } from '../orgs.ts'
import { ASKED, OFFERED } from '../pages.people.ts'
import { createPagesWorld, linkIn } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const MACHINE = 'Brasswick Solo V2 Espresso Machine'

/** From nothing to an organization whose domain is proved by the owner's own address. */
async function register(traveler: Traveler, { name, domain }: { name: string; domain: string }) {
  const { page, press, follow, read } = traveler
  await signUp(world, traveler, `owner@${domain}`)
  const start = await read('Sell to shopping agents')
  expect(start).toContain('1 of 6 steps done')
  expect(start).toMatch(/Done\s+Confirm your email/)
  expect(start).toMatch(/Next\s+Register your organization/)
  await follow('Register an organization')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Domain (optional)').fill(domain)
  await press('Register')
  expect(await read('How do you want to answer requests?')).toMatch(
    /Let Souk answer by your prices\s+Recommended/,
  )
  await traveler.go('/dashboard')
  const overview = await read('Overview')
  expect(overview).toContain('3 of 6 steps done')
  expect(overview).toMatch(/Done\s+Verify your domain/)
}

/** Found by its name, claimed, and verified by the operator, since no domain proves it. */
async function claim({ page, press, follow, read, told, go }: Traveler, name: string) {
  await follow('Claim products')
  await follow('Find a product to claim')
  await page.getByLabel('Which product?').fill('brasswick solo v2')
  await press('Find')
  await follow(MACHINE)
  await page.getByLabel('Evidence').fill('https://shop.example/solo-v2')
  await press('Claim this product')
  await told('Product claimed.')
  expect(await read(MACHINE)).toContain('Not verified yet')

  const operator = await travel({ at: '/admin/claims', as: world.people.admin })
  await operator.press(`Verify the claim of ${name} to ${MACHINE}`)
  await operator.told('Verified.')
  await page.reload()
  expect(await read(MACHINE)).toContain('the operator checked it')
  await go('/dashboard')
  expect(await read('Overview')).toContain('4 of 6 steps done')
}

test('a new producer is led from signing up to the first place among ranked quotes, by their own agent', async () => {
  const producer = await travel({ at: '/dashboard' })
  const { page, go, press, follow, read, told } = producer
  await register(producer, { name: 'Tidewater', domain: world.free.host })
  await claim(producer, 'Tidewater')

  await follow('Choose who answers')
  await follow('Set up your agent')
  await page.getByLabel('Agent card URL').fill(`https://${world.free.host}/.well-known/agent-card.json`)
  await page.getByLabel('Authentication').selectOption({ label: 'Bearer token' })
  await page.getByLabel('Secret').fill(world.free.token)
  await press('Save')
  await told('Agent card saved')
  expect(await page.content()).not.toContain(world.free.token)
  await press('Test now')
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByText('Quoted', { exact: true }).waitFor()
  expect(await seen(result)).toContain('399')
  await go('/dashboard')
  expect(await read('Overview')).toContain('All 6 steps to start selling are done')

  const shopper = await travel({ at: `/p/${ASKED}` })
  const { ranked, best } = await askSellers(shopper, 1)
  expect(ranked).toEqual(['1. Tidewater', '2. Brasswick', '3. Fernhill Supply', '4. Harbor & Hearth'])
  expect(best).toContain('$399')

  await follow('Requests for quotes')
  const row = page.getByRole('row', { name: MACHINE })
  expect(await seen(row)).toMatch(/Ranked first[\s\S]*\$399[\s\S]*1 of 4/)
  await row.getByRole('link').click()
  expect(await read('Outcome')).toContain('You rank first of 4 quotes.')
})

test('without a server of their own and without scripts, a producer sets rules, simulates a price and is ranked by it', async () => {
  const producer = await travel({ at: '/dashboard', scripts: false, refused: [400] })
  const { page, press, follow, read, told } = producer
  await register(producer, { name: 'Saltmarsh Goods', domain: 'saltmarsh.example' })
  await claim(producer, 'Saltmarsh Goods')

  await follow('Pricing')
  await press('Turn on managed pricing')
  await told('Souk now answers buyers for you')
  await page.getByLabel('From quantity, row 1').fill('2')
  await page.getByLabel('Discount (%), row 1').fill('40')
  await press('Save discounts')
  await told('Volume discounts saved')
  await follow(MACHINE)
  await page.getByLabel('Maximum discount (%)').fill('25')
  await page.getByLabel('Delivery time (business days)').fill('3')
  await page.getByLabel('Shipping per order (USD)').fill('0')
  await page.getByLabel('Minimum price (USD)').fill('about 300')
  await press('Save rules')
  // Refused beside its field; what was typed is kept, but for the limit, which is never shown.
  expect(await seen(page.getByRole('alert'))).toContain('Minimum price (USD)')
  expect(await page.getByLabel('Maximum discount (%)').inputValue()).toBe('25')
  expect(await page.getByLabel('Minimum price (USD)').inputValue()).toBe('')
  await page.getByLabel('Minimum price (USD)').fill('300')
  await press('Save rules')
  await told('Rules saved')

  const simulator = page.getByRole('region', { name: 'Simulator' })
  await simulator.getByLabel('Quantity').fill('2')
  await press('Simulate')
  await simulator.getByRole('heading', { name: '2 units' }).waitFor()
  // The list price of $499, less the 25% that the product's own rule leaves of the 40%.
  expect(await seen(simulator)).toMatch(/\$374\.25\s+per unit[\s\S]*\$748\.50 total, with free shipping/)

  await follow('Agent')
  await press('Test now')
  expect(await read('Result')).toContain('Souk answers for you')
  await follow('Overview')
  expect(await read('Overview')).toContain('All 6 steps to start selling are done')

  const shopper = await travel({ at: `/p/${ASKED}`, scripts: false })
  const { ranked, best } = await askSellers(shopper, 2)
  expect(ranked[0]).toBe('1. Saltmarsh Goods')
  expect(ranked).toContain(`${ranked.length}. Harbor & Hearth`)
  expect(best).toContain('$374.25')
})

test('an offer is seen by strangers while it is shown and never else, and two who edit it do not overwrite each other', async () => {
  const { managed } = world.sellers
  const colleague = await addMember(world, managed, 'editor')
  const owner = await travel({ at: `/dashboard/offers/new?product=${OFFERED}`, as: managed.session })
  const stranger = await travel({ at: `/p/${OFFERED}` })
  const { page, press, told } = owner
  const publicly = async () => {
    await stranger.page.reload()
    return stranger.page.getByRole('link', { name: /^Weekend/ }).allInnerTexts()
  }

  await page.getByLabel('Headline').fill('Weekend price')
  await page.getByLabel('Destination').fill('https://harborhearth.example/weekend')
  await page.getByLabel('Price', { exact: true }).fill('99')
  await press('Save draft')
  await told('Publish it when you are ready')
  expect(await publicly()).toEqual([])
  await press('Publish “Weekend price”')
  await told('Buyers see it now.')
  expect(await publicly()).toEqual(['Weekend price'])

  const other = await travel({ at: new URL(page.url()).pathname, as: colleague, refused: [409] })
  await page.getByLabel('Headline').fill('Weekend price with beans')
  // While one types, buyers see what was saved.
  await page.locator('#offer-preview').getByText('Weekend price with beans').waitFor()
  expect(await publicly()).toEqual(['Weekend price'])
  await press('Save')
  await told('Saved.')
  expect(await publicly()).toEqual(['Weekend price with beans'])

  await other.page.getByLabel('Promo code').fill('BEANS')
  await other.press('Save')
  const clash = other.page.getByRole('alert')
  expect(await seen(clash)).toMatch(/changed this offer since you opened it/)
  expect(await seen(clash.getByRole('row', { name: 'Headline' }))).toMatch(/with beans\s+Weekend price$/)
  expect(await other.page.getByLabel('Promo code').inputValue()).toBe('BEANS')
  await other.follow('Take theirs')
  await other.read('Weekend price with beans')
  expect(await other.page.getByLabel('Promo code').inputValue()).toBe('')

  await other.press('Pause “Weekend price with beans”')
  await other.told('Paused. Buyers no longer see it.')
  expect(await publicly()).toEqual([])
  await other.press('Resume “Weekend price with beans”')
  await other.told('Buyers see it now.')
  expect(await publicly()).toEqual(['Weekend price with beans'])
  await page.reload()
  await page.getByText('End “Weekend price with beans”').click()
  await press('End it now')
  await told('Ended. Buyers no longer see it.')
  expect(await publicly()).toEqual([])
})

test('somebody who is invited by mail looks without changing, until the owner makes them an editor', async () => {
  const email = 'kit@people.example'
  const owner = await travel({ at: '/dashboard/team', as: world.sellers.managed.session, scripts: false })
  await owner.page.getByLabel('Email').fill(email)
  await owner.page.getByLabel('Role', { exact: true }).selectOption({ label: 'Viewer' })
  await owner.press('Send invite')
  await owner.told('Invite sent.')

  const at = linkIn(await world.mailTo(email, /\/org\/join/))
  const kit = await travel({ at, scripts: false, refused: [403] })
  expect(await kit.read('Join Harbor & Hearth?')).toContain('Verified domain: harborhearth.example')
  await signUp(world, kit, email)
  await kit.press('Join Harbor & Hearth')
  await kit.read('Overview')
  expect(await kit.page.getByText('You are a viewer').isVisible()).toBe(true)
  await kit.follow('Offers')
  expect(await kit.read('Offers')).toContain('$20 off the list price')
  expect(await kit.page.getByRole('link', { name: 'New offer' }).count()).toBe(0)
  expect(await kit.page.getByRole('button', { name: /^(Pause|Publish|Resume|End)/ }).count()).toBe(0)
  expect(await kit.page.getByRole('link', { name: 'Link tokens' }).count()).toBe(0)
  await kit.go('/dashboard/tokens')
  expect(await kit.read('Not for your role')).toContain('You are a viewer')

  await owner.page.reload()
  await owner.page.getByLabel(`Role of ${email}`).selectOption({ label: 'Editor' })
  await owner.press(`Change the role of ${email}`)
  await owner.told('Role changed.')
  await kit.go('/dashboard/offers')
  expect(await kit.page.getByText('You are an editor').isVisible()).toBe(true)
  await kit.press('Pause “$20 off the list price”')
  await kit.told('Paused. Buyers no longer see it.')
  const stranger = await travel({ at: `/p/${OFFERED}`, scripts: false })
  expect(await stranger.page.getByText('$20 off the list price').count()).toBe(0)
})
