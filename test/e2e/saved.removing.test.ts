/** Removing saved products and taking it back, and what nobody else can do to them. */
import { describe, expect, test } from 'vitest'
import { MAX_LISTS } from '../../src/saved/saved.schema.ts'
import { addProduct } from '../products.ts'
import { createSavedPages, DOME, follow, KETTLE, to, words } from '../saved.pages.ts'
import { GOOSENECK } from '../skills.world.ts'

const MINUTE = 60_000
const { souk, person, day } = await createSavedPages()

describe('removing', () => {
  test('takes it from that list only, and can be undone with its note, target, day and price', async () => {
    const ada = await person()
    day('2026-11-21')
    await ada.save({ list: 'kitchen', note: 'a secret wish', target_price: '40' })
    await ada.save({ list: 'other' })
    const before = await ada.rows()
    day('2026-11-22')
    await addProduct(souk, { ...GOOSENECK, price: 70 })
    const removed = await ada.browser.post('/saved/remove', {
      p: KETTLE,
      from: 'kitchen',
      back: 'list=kitchen',
    })
    const [status, location] = to(removed)
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/saved\?list=kitchen&removed=/)])
    expect(location).not.toContain('secret')
    expect((await ada.rows()).map(({ list }) => list)).toEqual(['other'])
    const page = await follow(ada.browser, removed)
    expect(words(page)).toContain('Removed Spout Gooseneck Kettle from the list “kitchen”.')
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const eve = await person()
    expect(await eve.page(location)).not.toContain('Removed')
    expect(to(await eve.browser.post('/saved/undo', { token }))).toEqual([303, '/saved?done=late'])
    expect(await eve.rows()).toEqual([])
    const undone = await ada.browser.post('/saved/undo', { token, back: 'list=kitchen' })
    expect(to(undone)[1]).toMatch(/^\/saved\?list=kitchen&done=restored#entry-/)
    expect(await ada.rows()).toEqual(before)
    await ada.browser.post('/saved/undo', { token })
    expect(await ada.rows()).toEqual(before)
    await addProduct(souk, GOOSENECK)
  })

  test('can be undone for half an hour, and not by a made-up token', async () => {
    const ada = await person()
    await ada.save()
    const removed = await ada.browser.post('/saved/remove', { p: KETTLE, from: 'saved' })
    const page = await follow(ada.browser, removed)
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    souk.clock.advance(30 * MINUTE)
    for (const given of [token, `${token.slice(0, -2)}xx`, 'v1.a.b', ''])
      expect(to(await ada.browser.post('/saved/undo', { token: given }))).toEqual([303, '/saved?done=late'])
    expect(await ada.rows()).toEqual([])
    expect(await follow(ada.browser, removed)).not.toContain('Undo')
  })

  test('waits with its undo where there is no room for it any more', async () => {
    const ada = await person()
    await ada.save({ list: 'first' })
    const removed = await ada.browser.post('/saved/remove', { p: KETTLE, from: 'first' })
    const token = /name="token" value="([^"]+)"/.exec(await follow(ada.browser, removed))?.[1] ?? ''
    for (let list = 1; list <= MAX_LISTS; list++) await ada.save({ p: DOME, list: `list ${list}` })
    const refused = await ada.browser.post('/saved/undo', { token, back: 'since=7' })
    expect(to(refused)[1]).toMatch(/^\/saved\?since=7&done=lists&removed=/)
    const page = await follow(ada.browser, refused)
    expect(words(page)).toContain('You have 20 lists, which is the limit.')
    expect(page).toContain(`name="token" value="${token}"`)
    await ada.browser.post('/saved/remove', { p: DOME, from: 'list 1' })
    expect(to(await ada.browser.post('/saved/undo', { token }))[1]).toMatch(/done=restored/)
    expect(await ada.rows()).toMatchObject([{ list: 'first' }])
  })

  test('what another version of the program sealed is too late to undo, and no fault', async () => {
    const ada = await person()
    for (const held of ['{}', 'no JSON', '{"userId":1}'])
      expect(
        to(await ada.browser.post('/saved/undo', { token: souk.accounts.secrets.undo.seal(held) })),
      ).toEqual([303, '/saved?done=late'])
  })

  test('what another person saved is never touched, seen or told', async () => {
    const [ada, eve] = [await person(), await person()]
    await ada.save({ list: 'mine', note: 'mine alone' })
    const gone = await eve.browser.post('/saved/remove', { p: KETTLE, from: 'mine' })
    expect(to(gone)).toEqual([303, '/saved?done=gone'])
    expect(await follow(eve.browser, gone)).toContain('no longer on that list.')
    const edited = await eve.save({ from: 'mine', list: 'mine', note: 'hers' })
    expect(to(edited)).toEqual([303, '/saved?done=gone'])
    expect(await ada.rows()).toMatchObject([{ list: 'mine', note: 'mine alone' }])
    expect(await eve.rows()).toEqual([])
    for (const path of ['/saved', '/saved?list=mine', `/saved/add?p=${KETTLE}&list=mine`])
      expect(await eve.page(path)).not.toContain('mine alone')
  })

  test.each(['/saved', '/saved/remove', '/saved/undo'])(
    'a post to %s from another site does nothing',
    async (path) => {
      const ada = await person()
      await ada.save()
      const fields = { p: KETTLE, from: 'saved', list: 'theirs', note: 'theirs', back: '' }
      const elsewhere: Array<Record<string, string>> = [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
      ]
      for (const headers of elsewhere)
        expect((await ada.browser.post(path, fields, headers)).status).toBe(403)
      expect(await ada.rows()).toMatchObject([{ list: 'saved', note: null }])
    },
  )

  test.each(['//evil.example', 'https://evil.example', 'list=%0d%0aX: 1', '?x=/\\evil.example'])(
    'the way back %j leads to /saved and nowhere else',
    async (back) => {
      const ada = await person()
      await ada.save()
      const response = await ada.save({ from: 'saved', list: 'saved', note: 'new', back })
      expect(to(response)[1]).toMatch(/^\/saved\?(list=[\w+%]*&)?done=changed#entry-[\w-]{36}$/)
      expect(response.headers.get('x')).toBeNull()
    },
  )
})
