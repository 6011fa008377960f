/** The list of an organization's products, claiming one, and proposing one that the catalog does not have. */
import { beforeAll, describe, expect, test } from 'vitest'
import { textOf } from '../html.ts'
import { call } from '../orgs.ts'
import { createProductsWorld, filledIn, GTIN, PRODUCTS, read, WHOLE } from './dashboard.products.world.ts'

const world = await createProductsWorld()
const { owner, viewer, theirs, form, maker, rival } = world
const CLAIM = `${PRODUCTS}/claim`
const NEW = `${PRODUCTS}/new`

describe('the list', () => {
  test('each product is shown with its claim, profile, offers, issues and readiness, and what to do', async () => {
    const { status, html } = await read(owner.get(PRODUCTS))
    const text = textOf(html)
    expect(status).toBe(200)
    expect(text).toMatch(
      /Whole Kettle Spout .*You make it, verified .*Not confirmed .*None .*No one to answer/,
    )
    expect(text).toContain('You sell it, not verified yet')
    expect(html).toContain(`href="${CLAIM}?product=kettles/bare"`)
    expect(html).toContain('href="/dashboard/offers/new?product=kettles/whole"')
    expect(html).toContain(`href="${WHOLE}#issues"`)
  })

  test.each([
    ['q=whole', ['Whole Kettle']],
    ['relationship=sells', ['Bare']],
    ['claim=verified', ['Whole Kettle']],
    ['claim=nonsense&page=-3', ['Whole Kettle', 'Bare']],
    ['issues=no', []],
    ['q=zzz', []],
  ])('filtered by %s', async (query, titles) => {
    const { status, html } = await read(owner.get(`${PRODUCTS}?${query}`))
    expect(status).toBe(200)
    for (const title of ['Whole Kettle', 'Bare'])
      expect(html.includes(`>${title}`), title).toBe(titles.includes(title))
  })

  test('the list can be downloaded, as it is filtered', async () => {
    const { status, html } = await read(owner.get(`${PRODUCTS}?q=whole&format=csv`))
    expect(status).toBe(200)
    expect(html).toContain('Product,Claim,Profile,Offers,Issues,Quotes')
    expect(html).toMatch(
      /Whole Kettle,"You make it, verified",Not confirmed,None,\w+: \d+ issues?,No one to answer/,
    )
    expect(html).not.toContain('Bare')
  })

  test('a viewer sees the same facts and no way to change them', async () => {
    const { status, html } = await read(viewer.get(PRODUCTS))
    expect(status).toBe(200)
    expect(html).toContain('Whole Kettle')
    for (const way of [CLAIM, NEW, '/dashboard/offers/new', `${WHOLE}/change`])
      expect(html).not.toContain(`href="${way}`)
    for (const path of [CLAIM, NEW, `${WHOLE}/change`]) expect((await viewer.get(path)).status).toBe(403)
  })

  test('nobody sees the products of another organization', async () => {
    const { html } = await read(theirs.get(PRODUCTS))
    expect(html).not.toContain('Whole Kettle')
    expect((await theirs.get(WHOLE)).status).toBe(404)
  })
})

describe('claiming', () => {
  test('a product is found by its number, brand and part number, and pasted address; an unknown one is reported', async () => {
    for (const words of [GTIN, 'sk-100', 'Spout SK-100', 'whole'])
      expect((await read(owner.get(`${CLAIM}?q=${encodeURIComponent(words)}`))).html).toContain(
        `href="${CLAIM}?product=kettles/whole"`,
      )
    for (const words of ['https://souk.test/p/kettles/whole?x=1', 'kettles/whole'])
      expect((await read(owner.get(`${CLAIM}?q=${encodeURIComponent(words)}`))).location).toBe(
        `${CLAIM}?product=kettles/whole`,
      )
    expect(textOf((await read(owner.get(`${CLAIM}?q=no+such+thing`))).html)).toContain('still loading')
    expect(textOf((await read(owner.get(`${CLAIM}?product=no/such`))).html)).toContain(
      'find a product at that address',
    )
  })

  test('before it is claimed, the page says what will verify it', async () => {
    const ours = textOf((await read(owner.get(`${CLAIM}?product=kettles/free`))).html)
    expect(ours).toContain('verified right away, because your domain is the brand’s domain in the catalog')
    const rivals = textOf((await read(theirs.get(`${CLAIM}?product=kettles/free`))).html)
    expect(rivals).toContain('Your verified domain, rival.example, isn’t the brand’s domain, spout.example')
  })

  test('a refused claim keeps what was typed, and nothing is claimed', async () => {
    const before = await world.relationships()
    const typed = { product_slug: 'kettles/whole', relationship_type: 'sells', mpn: 'XX"1', gtin: '' }
    const wrong = await read(owner.post(CLAIM, form({ ...typed, evidence_url: 'not an address' })))
    expect(wrong.status).toBe(400)
    expect(textOf(wrong.html)).toContain('Evidence must be a full https or http URL')
    expect(filledIn(wrong.html, CLAIM)).toMatchObject({ mpn: 'XX"1', evidence_url: 'not an address' })
    const other = await read(owner.post(CLAIM, form({ ...typed, evidence_url: 'https://spout.example/e' })))
    expect(other.status).toBe(400)
    expect(textOf(other.html)).toContain('Part number (MPN) does not match kettles/whole')
    expect(filledIn(other.html, CLAIM)).toMatchObject({ evidence_url: 'https://spout.example/e' })
    expect(await world.relationships()).toEqual(before)
  })

  test('a claim that the catalog proves is proved at once; one it does not prove waits, and evidence can be added', async () => {
    const fields = { product_slug: 'kettles/free', relationship_type: 'sells', evidence_url: '' }
    const ours = await read(owner.post(CLAIM, form(fields)))
    expect(ours.location).toBe(`${PRODUCTS}/kettles/free?done=claimed`)
    expect(textOf((await read(owner.get(ours.location ?? ''))).html)).toContain('Claim verified')
    const rivals = await read(theirs.post(CLAIM, { org_id: rival.id, ...fields }))
    expect(rivals.location).toContain('done=claim_waits')
    const evidence = { ...fields, org_id: rival.id, evidence_url: 'https://rival.example/free' }
    expect((await read(theirs.post(CLAIM, evidence))).location).toContain('done=claim_known')
    const { html } = await read(theirs.get(`${PRODUCTS}/kettles/free`))
    expect(html).toContain('href="https://rival.example/free"')
    expect(textOf((await read(theirs.get(`${CLAIM}?product=kettles/free`))).html)).toContain(
      'You already claimed it: you sell it, not verified yet',
    )
  })

  test('a viewer’s claim, and one from a page of another organization, are refused', async () => {
    const fields = { product_slug: 'kettles/bare', relationship_type: 'manufactured_by' }
    const before = await world.relationships()
    expect((await viewer.post(CLAIM, form(fields))).status).toBe(403)
    expect((await owner.post(CLAIM, { org_id: rival.id, ...fields })).status).toBe(409)
    expect((await owner.post(CLAIM, form(fields), { origin: 'https://evil.example' })).status).toBe(403)
    expect(await world.relationships()).toEqual(before)
  })
})

describe('proposing a new product', () => {
  const PRODUCT = {
    category: 'kettles',
    title: 'Harbour Kettle',
    brand: 'Harbour',
    model: '',
    gtin: '',
    mpn: 'H-1',
    description: 'Boils <fast> & "well"',
    specs: '- Capacity: 2 l\r\n\r\nPower = 900 W',
    image_urls: 'https://harbour.example/1.jpg',
    product_url: 'https://harbour.example/h-1',
    price_usd: '$1,049.50',
  }

  test('everything that is wrong is said beside its field, and everything typed is kept', async () => {
    const typed = {
      ...PRODUCT,
      title: ' ',
      specs: 'Capacity: 2 l\nheavy',
      price_usd: 'cheap',
      image_urls: 'x',
    }
    const { status, html } = await read(owner.post(NEW, form(typed)))
    const text = textOf(html)
    expect(status).toBe(400)
    expect(text).toContain('Enter a title.')
    expect(text).toContain('Specs: line 2 (“heavy”) needs a name and a value, such as Weight: 2 kg')
    expect(text).toContain('Price: enter an amount in dollars, such as 49.99')
    expect(text).toContain('Images: line 1 (“x”) needs an address that starts with https://')
    expect(html).toContain('id="field-specs-error"')
    const kept = filledIn(html, NEW)
    for (const name of ['category', 'brand', 'mpn', 'description', 'price_usd', 'image_urls', 'product_url'])
      expect(kept[name], name).toBe(typed[name as keyof typeof typed])
    const refused = await read(owner.post(NEW, form({ ...PRODUCT, gtin: '123' })))
    expect(textOf(refused.html)).toContain('Bar code number (GTIN) must be 8, 12, 13 or 14 digits')
    expect(filledIn(refused.html, NEW).gtin).toBe('123')
    expect(await world.submissions()).toEqual([])
  })

  test('one that the catalog has leads to claiming it, with everything typed kept', async () => {
    const { status, html } = await read(owner.post(NEW, form({ ...PRODUCT, gtin: GTIN })))
    expect(status).toBe(409)
    expect(html).toContain(`href="${CLAIM}?product=kettles/whole"`)
    expect(textOf(html)).toContain('The catalog already has this product: Whole Kettle')
    expect(textOf(html)).not.toContain('claim_product')
    expect(filledIn(html, NEW)).toMatchObject({ title: PRODUCT.title, description: PRODUCT.description })
    expect(await world.submissions()).toEqual([])
  })

  test('it waits where its producer sees it, can be sent again and withdrawn, and comes back filled in', async () => {
    expect((await read(owner.post(NEW, form(PRODUCT)))).location).toBe(`${PRODUCTS}?done=proposed`)
    expect((await read(owner.post(NEW, form(PRODUCT)))).location).toContain('done=proposed_same')
    const [one] = await world.submissions()
    expect(one?.product).toMatchObject({
      specs: [
        { name: 'Capacity', value: '2 l' },
        { name: 'Power', value: '900 W' },
      ],
      price: { low: 1049.5, high: 1049.5 },
    })
    const id = one?.id ?? ''
    expect(textOf((await read(owner.get(PRODUCTS))).html)).toMatch(/Harbour Kettle .*In review/)
    expect(textOf((await read(theirs.get(PRODUCTS))).html)).not.toContain('Harbour Kettle')
    const again = filledIn((await read(owner.get(`${NEW}?from=${id}`))).html, NEW)
    expect(again).toMatchObject({
      title: 'Harbour Kettle',
      'specs.0.name': 'Capacity',
      'specs.0.value': '2 l',
      'specs.1.name': 'Power',
      'specs.1.value': '900 W',
      'image_urls.0.url': 'https://harbour.example/1.jpg',
      price_usd: '1049.50',
    })
    expect((await read(owner.post(NEW, { ...again, mpn: 'H-1', model: 'H' }))).location).toContain(
      'proposed_again',
    )
    expect((await theirs.get(`${NEW}?from=${id}`)).status).toBe(404)
    const withdraw = `${PRODUCTS}/proposed/withdraw`
    expect((await theirs.post(withdraw, { org_id: rival.id, submission_id: id })).status).toBe(404)
    expect((await viewer.post(withdraw, form({ submission_id: id }))).status).toBe(403)
    expect((await read(owner.post(withdraw, form({ submission_id: id })))).location).toContain(
      'done=proposal_withdrawn',
    )
    const twice = await read(owner.post(withdraw, form({ submission_id: id })))
    expect([twice.status, textOf(twice.html)]).toEqual([
      409,
      expect.stringContaining('This proposal is already withdrawn'),
    ])
    const { html } = await read(owner.get(`${PRODUCTS}?done=proposal_withdrawn`))
    expect(textOf(html)).toMatch(/Harbour Kettle .*Withdrawn .*Propose again/)
  })

  test('what the operator wrote about a rejected one is shown', async () => {
    await read(owner.post(NEW, form({ ...PRODUCT, mpn: 'H-2' })))
    await world.database.pool.query(
      `update product_submissions set status = 'rejected', reviewed_at = now(), review_note = 'Give <b>proof</b>'
       where status = 'pending'`,
    )
    const { html } = await read(viewer.get(PRODUCTS))
    expect(textOf(html)).toContain('Give <b>proof</b>')
    expect(html).not.toContain(`action="${PRODUCTS}/proposed/withdraw"`)
  })

  test('REST tells the same of the proposal as the page', async () => {
    const { body } = await call(world, maker.session, 'GET', '/api/org/submissions/')
    expect(body).toMatchObject({ total: 2, submissions: [{ status: 'rejected' }, { status: 'withdrawn' }] })
  })
})

describe('by words', () => {
  beforeAll(() => world.searchRuntime.fill())

  test('a product is found by its name once the search is ready', async () => {
    const { html } = await read(owner.get(`${CLAIM}?q=unclaimed+kettle`))
    expect(html).toContain(`href="${CLAIM}?product=kettles/free"`)
  })
})
