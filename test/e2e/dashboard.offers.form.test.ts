/** The form of an offer on pages: what is typed, what is refused and why, and what it will look like. */
import { beforeEach, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { MOST_OFFERS } from '../../src/offers/offers.service.ts'
import { createBrowser } from '../accounts.ts'
import { createOrg } from '../orgs.ts'
import { actionsOf, read } from './dashboard.agent.world.ts'
import { createOfferPagesWorld, formValues, LIST, NEW, wordsOf } from './dashboard.offers.world.ts'
import { clear, DEAL } from './offers.world.ts'

const world = await createOfferPagesWorld()
const { people, create, opened, setStatus, stored, fields } = world
beforeEach(() => clear(world))

const page = (path: string, browser = people.owner) => read(browser.get(path))

test('what is wrong stands at its field, what was typed stays, and nothing is made', async () => {
  const typed = fields({
    headline: 'x'.repeat(61),
    destination_url: 'javascript:alert(1)',
    price_usd: 'a lot',
    starts_at: '2026-12-02T00:00',
    expires_at: 'soon',
    detail: 'Only <b>this</b> week',
    offer_types_bogo: 'on',
  })
  const { status, html } = await read(people.owner.post(NEW, typed))
  expect(status).toBe(400)
  for (const words of [
    'Headline must be at most 60 characters.',
    'Destination must be an http or https URL without a user name or password.',
    'Price must be dollars, such as 24.99.',
    'Ends must be a date and time, such as 2026-11-30 23:59.',
  ])
    expect(html.split(words)).toHaveLength(3)
  const { headline, price_usd, starts_at, expires_at, offer_types_bogo, product_slug } = formValues(html)
  expect({ headline, price_usd, starts_at, expires_at, offer_types_bogo, product_slug }).toEqual({
    ...{ headline: 'x'.repeat(61), price_usd: 'a lot', starts_at: '2026-12-02T00:00' },
    ...{ expires_at: 'soon', offer_types_bogo: 'on', product_slug: 'kettles/gooseneck' },
  })
  expect(html).toContain('At most 60 characters: 1 character too many.')
  expect(html).not.toContain('<b>this</b>')
  expect(await stored()).toEqual([])
})

test('an end before the start is refused in words', async () => {
  const dates = { starts_at: '2026-12-02T00:00', expires_at: '2026-12-01T00:00' }
  const { status, html } = await read(people.owner.post(NEW, fields(dates)))
  expect(status).toBe(400)
  expect(html).toContain('Ends must be after Starts.')
})

test('every field is stored as typed, times in UTC, and saving the form untouched changes nothing', async () => {
  const id = await create({
    ...{ detail: 'While they last', price_usd: '1,048.50', list_price_usd: '$1,260' },
    ...{ starts_at: '2026-11-27T08:30', expires_at: '2026-11-30T23:59:59', promo_code: 'SPOUT' },
    ...{ offer_types_percentage_off: 'on', offer_types_free_gift: 'on' },
  })
  const [row] = await stored()
  expect(row).toMatchObject({
    ...{ headline: DEAL.headline, detail: 'While they last', destination_url: DEAL.destination_url },
    ...{ price_cents: 104_850, list_price_cents: 126_000, promo_code: 'SPOUT', status: 'draft' },
    ...{ starts_at: new Date('2026-11-27T08:30:00Z'), expires_at: new Date('2026-11-30T23:59:59Z') },
    offer_types: ['percentage_off', 'free_gift'],
  })
  const answer = await people.owner.post(`${LIST}/${id}`, await opened(id))
  expect(answer.headers.get('location')).toBe(`${LIST}/${id}?done=same`)
  expect(await stored()).toEqual([row])
})

test('"Preview" shows the offer as the product page would, keeps the form, and saves nothing', async () => {
  const typed = { headline: 'Half off <i>now</i>', price_usd: '30', list_price_usd: '60', preview: '1' }
  const { status, html } = await read(people.owner.post(NEW, fields(typed)))
  expect(status).toBe(200)
  const shown = wordsOf(html.slice(html.indexOf('id="offer-preview"')))
  expect(shown).toContain('Half off now $30 instead of $60')
  expect(shown).toContain('from Kettle Shop · ')
  expect(shown).toContain('marked “On sale”')
  expect(formValues(html)).toMatchObject({ price_usd: '30', product_slug: 'kettles/gooseneck' })
  expect(await stored()).toEqual([])
})

test('the preview that is asked for while one types is the same fragment, of whatever can be read yet', async () => {
  const typed = { headline: '', price_usd: '30.', destination_url: 'javascript:x', promo_code: 'SPOUT' }
  const ask = (browser = people.owner, more = {}) =>
    read(browser.post(`${LIST}/preview`, fields({ ...typed, ...more })))
  const { status, html, headers } = await ask()
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(html).toMatch(/^<div id="offer-preview"/)
  expect(html).not.toMatch(/javascript:|<html|<a /)
  expect(wordsOf(html)).toContain('Your headline')
  expect(wordsOf(html)).toContain('SPOUT')
  const reversed = { starts_at: '2026-12-02T00:00', expires_at: '2026-12-01T00:00' }
  expect((await ask(people.owner, reversed)).status).toBe(200)
  expect((await ask(people.viewer)).status).toBe(403)
  expect((await ask(createBrowser(world))).status).toBe(303)
  const elsewhere = { origin: 'https://elsewhere.example' }
  expect((await people.owner.post(`${LIST}/preview`, fields(typed), elsewhere)).status).toBe(403)
})

test('a link may name the product; one without a verified claim is refused with the way to claim it', async () => {
  const chosen = async (product: string) => (await page(`${NEW}?product=${product}`)).html
  expect(formValues(await chosen('whistler')).product_slug).toBe('kettles/whistler')
  expect(formValues(await chosen('kettles/whistler')).product_slug).toBe('kettles/whistler')
  expect(await chosen('samovar')).toContain('You have no verified claim to that product.')
  const { status, html } = await read(
    people.owner.post(NEW, fields({ product_slug: 'samovar', headline: 'Mine' })),
  )
  expect(status).toBe(403)
  expect(html).toContain('has no verified relationship to this product')
  expect(formValues(html).headline).toBe('Mine')
  expect(await stored()).toEqual([])
})

test('who has no product yet is shown the way to one', async () => {
  const fresh = world.browserOf((await createOrg(world, { name: 'Fresh' })).session)
  const { html } = await page(NEW, fresh)
  expect(html).toContain('href="/dashboard/products"')
  expect(actionsOf(html)).toEqual([])
  expect(wordsOf((await page(LIST, fresh)).html)).toContain('No offers yet.')
})

test('with as many offers as there may be, the limit is said in words', async () => {
  const [id] = [await create()]
  const [row] = await stored()
  if (!row) throw new Error('no offer')
  const more = Array.from({ length: MOST_OFFERS - 1 }, () => ({ ...row, id: newId() }))
  await world.database.db.insertInto('offers').values(more).execute()
  const full = await page(NEW)
  expect(wordsOf(full.html)).toContain('has 500 offers that have not ended, which is the most it can have')
  const refused = await read(people.owner.post(NEW, fields()))
  expect(refused.status).toBe(409)
  await setStatus(id, 'expired')
  expect(await create({ headline: 'Fits again' })).not.toBe(id)
  const back = await read(setStatus(id, 'active', people.owner, { from: 'list', back: 'status=expired' }))
  expect(back.status).toBe(409)
  expect(wordsOf(back.html)).toContain(
    'An organization can have 500 unexpired offers; end or delete one first.',
  )
})
