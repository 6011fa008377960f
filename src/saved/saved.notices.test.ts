import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMailbox } from '../../test/accounts.ts'
import { call as callRest } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { createSavedWorld, type SavedWorld, WHISTLER } from '../../test/saved.world.ts'
import type { ToolPerson } from '../../test/tools.world.ts'
import { sendNotices } from '../notices/send.job.ts'
import { lookForEndingOffers } from '../offers/ending.service.ts'
import { lookForNews } from './saved.service.ts'

let souk: SavedWorld
let box: ReturnType<typeof createMailbox>
const HOUR = 3_600_000
const DAY = 24 * HOUR

beforeAll(async () => {
  souk = await createSavedWorld()
  box = createMailbox(souk)
})
beforeEach(async () => {
  souk.clock.set('2026-11-02T12:00:00Z')
  await souk.database.pool.query('delete from notices; delete from saved_products; delete from offers')
  await addProduct(souk, WHISTLER)
  await souk.catchUp()
})

/** What a node does every few minutes, twice: what is told once must not be told again. */
async function look(): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await lookForNews({ ...souk.ctx, offers: souk.offers })
    await lookForEndingOffers(souk.ctx)
    souk.clock.advance(61_000)
    await sendNotices(souk.accounts)
  }
}
const price = async (dollars: number) => {
  await addProduct(souk, { ...WHISTLER, price: dollars })
  await souk.catchUp()
}
const emailOf = async (userId: string) =>
  (await souk.database.pool.query('select email from users where id = $1', [userId])).rows[0].email as string
const mailsTo = async ({ userId }: Pick<ToolPerson, 'userId'>) =>
  (await box.mails(await emailOf(userId))).filter(({ subject }) => /price|offer|notices/.test(subject))

describe('a saved product that comes down to its target', () => {
  const waits = async (target_price_usd: number, more: object = {}) => {
    const ada = await souk.person()
    await souk.save(ada, { slug: 'whistler', target_price_usd, ...more })
    return ada
  }

  test('is told once, with the price, and again after it had gone up', async () => {
    const ada = await waits(25)
    await souk.save(ada, { slug: 'whistler', target_price_usd: 26, list: 'gifts' })
    await look()
    expect(await mailsTo(ada)).toEqual([])
    await price(24.5)
    await look()
    const [mail, ...more] = await mailsTo(ada)
    expect(more).toEqual([])
    expect(mail?.text.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^- "Whistling Stove Kettle" now costs \$24\.50\. Your target was \$2[56]\.$/),
      'http://souk.test/p/kettles/whistler',
    ])
    await price(23)
    await look()
    expect(await mailsTo(ada)).toHaveLength(1)
    souk.clock.advance(DAY)
    await price(30)
    await look()
    await price(20)
    await look()
    expect(await mailsTo(ada)).toHaveLength(2)
  })

  test('is told by a live offer, from when its window opens', async () => {
    const ada = await souk.person()
    await souk.save(ada, { target_price_usd: 46 })
    const offer = await callRest(souk, souk.shop.bearer, 'POST', '/api/offers/create/', {
      ...{ product_slug: 'gooseneck', headline: 'A deal', destination_url: 'https://shop.example/deal' },
      ...{ price_usd: 45, list_price_usd: 60, starts_at: '2026-11-03T00:00:00Z' },
    })
    const active = { offer_id: offer.body.offer_id, status: 'active' }
    await callRest(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', active)
    await souk.catchUp()
    await look()
    expect(await mailsTo(ada)).toEqual([])
    souk.clock.set('2026-11-03T00:00:00Z')
    await look()
    expect((await mailsTo(ada)).map(({ text }) => text.includes('now costs $45.'))).toEqual([true])
  })

  test('is no news to who sets a target that is reached already', async () => {
    const ada = await waits(35)
    await souk.save(ada, { slug: 'whistler', target_price_usd: 25 })
    await souk.save(ada, { slug: 'whistler', target_price_usd: 40 })
    await look()
    expect(await mailsTo(ada)).toEqual([])
    await souk.save(ada, { slug: 'whistler', target_price_usd: 25 })
    await price(25)
    await look()
    expect(await mailsTo(ada)).toHaveLength(1)
  })

  test('is not told when nobody can buy it any more', async () => {
    const ada = await waits(25)
    await addProduct(souk, { ...WHISTLER, price: 20, discontinued: true })
    await souk.catchUp()
    await look()
    expect(await mailsTo(ada)).toEqual([])
    await addProduct(souk, { ...WHISTLER, price: 20, discontinued: false })
    await souk.catchUp()
  })
})

describe('a live offer', () => {
  const publish = async (more: object) => {
    const offer = await callRest(souk, souk.shop.bearer, 'POST', '/api/offers/create/', {
      ...{ product_slug: 'gooseneck', headline: 'A deal', destination_url: 'https://shop.example/deal' },
      ...{ price_usd: 45, list_price_usd: 60, ...more },
    })
    expect(offer.status).toBe(201)
    const offer_id = offer.body.offer_id as string
    await callRest(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
    return offer_id
  }
  const owner = () => ({ userId: souk.shop.ownerId })

  test('that ends within two days is told once, and again when it was extended', async () => {
    const id = await publish({ expires_at: '2026-11-06T12:00:00Z' })
    await look()
    const before = (await mailsTo(owner())).length
    souk.clock.set('2026-11-04T12:00:00Z')
    await look()
    const mails = await mailsTo(owner())
    expect(mails).toHaveLength(before + 1)
    expect(mails.at(-1)?.subject).toBe('Souk: An offer ends soon')
    expect(mails.at(-1)?.text.replaceAll('\n  ', ' ')).toContain('ends on November 6, 2026 at 12:00 UTC.')
    expect(mails.at(-1)?.text.split('\n')).toContain(`http://souk.test/dashboard/offers/${id}`)
    await souk.database.pool.query(`update offers set expires_at = '2026-11-12T12:00:00Z'`)
    souk.clock.set('2026-11-11T12:00:00Z')
    await look()
    expect(await mailsTo(owner())).toHaveLength(before + 2)
  })

  test('that is short, paused or over is not told', async () => {
    const before = (await mailsTo(owner())).length
    await publish({ expires_at: '2026-11-03T12:00:00Z' })
    const paused = await publish({ expires_at: '2026-11-08T12:00:00Z', headline: 'Another' })
    await callRest(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', {
      ...{ offer_id: paused, status: 'paused' },
    })
    await look()
    souk.clock.set('2026-11-07T12:00:00Z')
    await look()
    souk.clock.set('2026-11-09T12:00:00Z')
    await look()
    expect(await mailsTo(owner())).toHaveLength(before)
  })
})
