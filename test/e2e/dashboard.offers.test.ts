/** The offers of a producer on pages: made, shown, found again, changed by two at once, and ended. */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser } from '../accounts.ts'
import { actionsOf, read } from './dashboard.agent.world.ts'
import {
  CALENDAR,
  createOfferPagesWorld,
  formValues,
  LIST,
  NEW,
  rowWords,
  wordsOf,
} from './dashboard.offers.world.ts'
import { audits, clear, createLive, edit, setStatus as setByRest } from './offers.world.ts'

const world = await createOfferPagesWorld()
const { people, shop, rival, clock, create, opened, setStatus, publicPage, stored, fields } = world
beforeEach(() => clear(world))

const page = (path: string, browser = people.owner) => read(browser.get(path))

describe("an offer's whole life", () => {
  test('the public page follows every action at once: draft, shown, edited, paused, resumed, expired', async () => {
    const id = await create({ expires_at: '2026-11-20T00:00' })
    expect(await publicPage()).not.toContain('A fifth off')

    const showing = await setStatus(id, 'active')
    expect([showing.status, showing.headers.get('location')]).toEqual([303, `${LIST}/${id}?done=shown`])
    expect(wordsOf(await publicPage())).toContain('A fifth off')

    const form = await opened(id)
    const saving = await people.owner.post(`${LIST}/${id}`, { ...form, headline: 'A quarter off' })
    expect(saving.headers.get('location')).toBe(`${LIST}/${id}?done=saved`)
    const edited = await publicPage()
    expect([edited.includes('A quarter off'), edited.includes('A fifth off')]).toEqual([true, false])

    await setStatus(id, 'paused')
    expect(await publicPage()).not.toContain('A quarter off')
    await setStatus(id, 'active')
    expect(await publicPage()).toContain('A quarter off')

    clock.set('2026-11-20T00:00:00Z')
    expect(await publicPage()).not.toContain('A quarter off')
    const { html } = await page(`${LIST}/${id}`)
    expect(wordsOf(html)).toContain('Ended')
    expect(wordsOf(html)).toContain('give it a later end')
  })

  test('"Save and show" is one action: on the public page at once, with one record', async () => {
    const before = (await audits(world, shop)).length
    const id = await create({ save: 'show', price_usd: '$48', list_price_usd: '60' })
    expect(wordsOf(await publicPage())).toContain('$48')
    const [record, ...more] = (await audits(world, shop)).slice(before)
    expect(record).toMatchObject({ action: 'offer.created', detail: { offer_id: id, status: 'active' } })
    expect(more).toEqual([])
  })

  test('ended by hand it is gone, and can be shown again', async () => {
    const id = await create({ save: 'show' })
    await setStatus(id, 'expired')
    expect(await publicPage()).not.toContain('A fifth off')
    expect(wordsOf((await page(LIST)).html)).toContain('Publish again')
    await setStatus(id, 'active')
    expect(await publicPage()).toContain('A fifth off')
  })

  test('a state that is set twice is set, and recorded once', async () => {
    const id = await create({ save: 'show' })
    const before = (await audits(world, shop)).length
    const answers = await Promise.all([setStatus(id, 'paused'), setStatus(id, 'paused')])
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(
      Array(2).fill(`${LIST}/${id}?done=paused`),
    )
    expect((await audits(world, shop)).length - before).toBe(1)
  })
})

describe('two at once', () => {
  test('who saves second sees both versions, by whom, and may take either', async () => {
    const id = await create({ save: 'show' })
    const [mine, theirs] = [await opened(id), await opened(id, people.editor)]
    const first = await people.editor.post(`${LIST}/${id}`, {
      ...theirs,
      headline: 'Theirs',
      price_usd: '40',
    })
    expect(first.status).toBe(303)
    const second = await read(people.owner.post(`${LIST}/${id}`, { ...mine, headline: 'Mine' }))
    expect(second.status).toBe(409)
    expect(wordsOf(second.html)).toContain('Ada changed this offer since you opened it')
    expect(rowWords(second.html, 'Headline')).toBe(' Headline Theirs Mine ')
    expect(rowWords(second.html, 'Price')).toBe(' Price $40 Not stated ')
    expect(rowWords(second.html, 'Destination')).toBe('')
    expect(second.html).toMatch(new RegExp(`href="${LIST}/${id}"[^>]*>Take theirs`))
    expect(await publicPage()).toContain('Theirs')

    const again = formValues(second.html)
    expect(again.headline).toBe('Mine')
    const anyway = await people.owner.post(`${LIST}/${id}`, again)
    expect(anyway.headers.get('location')).toBe(`${LIST}/${id}?done=saved`)
    expect(await publicPage()).toContain('Mine')
  })

  test('a third change after the two were shown is noticed too', async () => {
    const id = await create()
    const form = await opened(id)
    await edit(world, shop, id, { headline: 'Second' })
    const { html } = await read(people.owner.post(`${LIST}/${id}`, { ...form, headline: 'First' }))
    expect(wordsOf(html)).toContain('A program with a link token changed this offer')
    await edit(world, shop, id, { headline: 'Third' })
    const answer = await read(people.owner.post(`${LIST}/${id}`, formValues(html)))
    expect([answer.status, rowWords(answer.html, 'Headline')]).toEqual([409, ' Headline Third First '])
  })

  test('of two that save different things at the same moment, one is refused; the same thing is no conflict', async () => {
    const id = await create()
    const form = await opened(id)
    const save = (headline: string) => people.owner.post(`${LIST}/${id}`, { ...form, headline })
    const different = await Promise.all([save('One'), save('Two')])
    expect(different.map(({ status }) => status).sort()).toEqual([303, 409])
    const fresh = await opened(id)
    const same = () => people.owner.post(`${LIST}/${id}`, { ...fresh, headline: 'Same' })
    expect((await Promise.all([same(), same()])).map(({ status }) => status)).toEqual([303, 303])
  })

  test('a form that is shown again, refused or previewed, keeps the version that it was opened with', async () => {
    const id = await create()
    const form = await opened(id)
    await edit(world, shop, id, { headline: 'Theirs' })
    for (const more of [{ price_usd: 'a lot' }, { preview: '1' }] as Array<Record<string, string>>) {
      const shown = formValues((await read(people.owner.post(`${LIST}/${id}`, { ...form, ...more }))).html)
      const answer = await people.owner.post(`${LIST}/${id}`, { ...shown, price_usd: '', headline: 'Mine' })
      expect(answer.status).toBe(409)
    }
  })
})

describe('who may', () => {
  test("another organization's offer is as unknown as one that never was, on every page and form", async () => {
    const id = await createLive(world, rival, { headline: 'Of the rival' })
    const before = await stored()
    const answers = [
      await page(`${LIST}/${id}`),
      await page(`${LIST}/${newId()}`),
      await page(`${LIST}/no-id`),
      await read(people.owner.post(`${LIST}/${id}`, fields())),
      await read(people.owner.post(`${LIST}/${id}`, fields({ preview: '1' }))),
      await read(people.owner.post(`${LIST}/${id}`, fields({ headline: '' }))),
      await read(setStatus(id, 'paused')),
      await read(setStatus(id, 'paused', people.viewer)),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    for (const { html } of [...answers, await page(LIST), await page(CALENDAR)])
      expect(html).not.toContain('Of the rival')
    expect(await stored()).toEqual(before)
  })

  test('a viewer sees everything and nothing to change it by', async () => {
    const id = await create({ save: 'show', promo_code: 'SPOUT' })
    const before = await stored()
    const [list, one] = [await page(LIST, people.viewer), await page(`${LIST}/${id}`, people.viewer)]
    expect([list.status, one.status]).toEqual([200, 200])
    expect(wordsOf(one.html)).toContain('SPOUT')
    expect(wordsOf(one.html)).toContain('An owner, admin or editor can change these.')
    expect(actionsOf(list.html)).toEqual([])
    expect(actionsOf(one.html)).toEqual([])
    expect((await page(CALENDAR, people.viewer)).status).toBe(200)
    expect((await page(NEW, people.viewer)).status).toBe(403)
    const actions = [
      await read(people.viewer.post(NEW, fields())),
      await read(people.viewer.post(`${LIST}/${id}`, fields({ headline: 'By a viewer' }))),
      await read(setStatus(id, 'paused', people.viewer)),
    ]
    expect(actions.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await stored()).toEqual(before)
  })

  test('an editor may do all of it', async () => {
    const id = await create({ save: 'show' }, people.editor)
    expect((await setStatus(id, 'paused', people.editor)).status).toBe(303)
  })

  test('a form that was opened for another organization does nothing', async () => {
    const answer = await read(people.owner.post(NEW, fields({ org_id: rival.id })))
    expect(answer.status).toBe(409)
    expect(await stored()).toEqual([])
  })
})

describe('the list', () => {
  test('is narrowed by state, product and end, and pages keep the filter', async () => {
    const soon = { expires_at: '2026-11-05T00:00:00Z' }
    const ids = {
      soon: await createLive(world, shop, { headline: 'Soon', ...soon }),
      later: await createLive(world, shop, { headline: 'Later', expires_at: '2026-11-25T00:00:00Z' }),
      other: await createLive(world, shop, { headline: 'Other', product_slug: 'whistler' }),
    }
    await setByRest(world, shop, ids.other, 'paused')
    const listed = async (query: string) => {
      const { html } = await page(`${LIST}?${query}`)
      return ['Soon', 'Later', 'Other'].filter((headline) => rowWords(html, headline) !== '')
    }
    expect(await listed('')).toEqual(['Soon', 'Later', 'Other'])
    expect(await listed('status=active')).toEqual(['Soon', 'Later'])
    expect(await listed('product=whistler')).toEqual(['Other'])
    expect(await listed('ends=7')).toEqual(['Soon'])
    expect(await listed('ends=30&product=kettles/gooseneck')).toEqual(['Soon', 'Later'])
    expect(await listed('product=no-such-thing')).toEqual([])
    expect(await listed('status=nonsense&ends=x&page=-1')).toEqual(['Soon', 'Later', 'Other'])

    const act = await setStatus(ids.soon, 'paused', people.owner, {
      from: 'list',
      back: 'status=active&x=//e',
    })
    expect(act.headers.get('location')).toBe(`${LIST}?status=active&done=paused`)
    for (let n = 0; n < 25; n++) await createLive(world, shop, { headline: `Many ${n}` })
    const { html } = await page(`${LIST}?status=active`)
    expect(html).toContain('href="/dashboard/offers?status=active&amp;page=2"')
    const past = await page(`${LIST}?status=active&page=9`)
    expect([past.status, past.headers.get('location')]).toEqual([303, `${LIST}?status=active&page=2`])
    const file = await page(`${LIST}?q=many&page=2&format=csv`)
    const [names = '', ...lines] = file.html.split('\r\n').slice(0, -1)
    const headlines = lines.map((line) => line.split(',')[names.split(',').indexOf('headline')])
    expect(new Set(headlines).size).toBe(25)
    expect(headlines).toHaveLength(25)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="souk-offers.csv"')
    const refused = await setStatus(ids.soon, 'nonsense', people.owner, { from: 'list', back: 'page=9' })
    expect(refused.status).toBe(400)
  })

  test('tells clicks, and which offers are meant to be shown and are not', async () => {
    const id = await createLive(world, shop, { headline: 'Clicked' })
    await createBrowser(world).get(`/go/${id}`)
    const words = rowWords((await page(LIST)).html, 'Clicked')
    expect(words).toContain('Live')
    expect(words).toContain(' 1 1 in all ')
    const { db } = world.database
    const at = clock.now()
    const claims = db.updateTable('product_relationships').where('org_id', '=', shop.id)
    await claims.set({ status: 'pending', verified_via: null, verified_at: null }).execute()
    expect(rowWords((await page(LIST)).html, 'Clicked')).toContain('Not live')
    await claims.set({ status: 'verified', verified_via: 'operator', verified_at: at }).execute()
  })
})

describe('the calendar', () => {
  test('draws what runs in a month where it runs, says it in words, and leaves out what does not', async () => {
    await createLive(world, shop, {
      ...{ headline: 'Middle', starts_at: '2026-11-16T00:00:00Z', expires_at: '2026-11-22T00:00:00Z' },
    })
    await create({ headline: 'Planned', starts_at: '2026-11-30T00:00', expires_at: '2026-12-02T00:00' })
    await createLive(world, shop, { headline: 'Past', expires_at: '2026-11-02T00:00:00Z' })
    const ended = await createLive(world, shop, { headline: 'By hand' })
    await setByRest(world, shop, ended, 'expired')

    const november = await page(`${CALENDAR}?month=2026-11`)
    expect(rowWords(november.html, 'Middle')).toContain(
      'Scheduled from November 16, 2026 until November 22, 2026',
    )
    expect(november.html).toContain('<rect class="run" x="50%" y="5" width="20%"')
    expect(november.html).toContain('<rect class="run plan" x="96.67%"')
    expect(november.html.match(/class="today"/g)).toHaveLength(5)
    expect(wordsOf(november.html)).not.toContain('By hand')

    const december = await page(`${CALENDAR}?month=2026-12`)
    const listed = ['Middle', 'Planned', 'Past'].map((headline) => rowWords(december.html, headline) !== '')
    expect(listed).toEqual([false, true, false])
    expect(december.html).not.toContain('class="today"')
    expect(december.html).toContain(`href="${CALENDAR}?month=2027-01"`)
  })

  test('shows the present month for an invalid one, and says when nothing runs', async () => {
    for (const month of ['2026-13', 'next', '0000-01', ''])
      expect((await page(`${CALENDAR}?month=${month}`)).html).toContain('<h1>Offers in November 2026</h1>')
    expect(wordsOf((await page(`${CALENDAR}?month=2027-02`)).html)).toContain(
      'No offers run in February 2027.',
    )
  })
})
